#include "pneuma/skeleton/motion_dynamics.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "skeleton/motion/floor_forces.h"

namespace pneuma::skeleton {
namespace {

/// How firmly a foot stands, 0 to 1.
double standing(const MotionDynamicsConfig& c, double raised, double speed) {
  const double h = std::max(0.0, raised) / c.contactHeight, s = speed / c.contactSpeed;
  return std::exp(-h * h - s * s);
}

/// Central differences of configurations and of velocities.
void differentiate(const Model& model, const std::vector<VecX>& q, double dt,
                   MotionDynamics& result) {
  const std::size_t count = q.size();
  result.velocity.resize(count);
  result.acceleration.resize(count);
  const auto around = [&](std::size_t i, const auto& difference) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, count - 1);
    return VecX(difference(a, b) / (static_cast<double>(b - a) * dt));
  };
  for (std::size_t i = 0; i < count; ++i)
    result.velocity[i] = around(i, [&](std::size_t a, std::size_t b) {
      return configurationDifference(model, q[a], q[b]);
    });
  for (std::size_t i = 0; i < count; ++i)
    result.acceleration[i] = around(i, [&](std::size_t a, std::size_t b) -> VecX {
      return result.velocity[b] - result.velocity[a];
    });
}

/// One frame: what the floor gives, and what the joints then need.
class FloorShare {
 public:
  FloorShare(const Model& model, const MotionDynamicsConfig& config)
      : model_(model), config_(config), place_(config.points.size()), firm_(config.points.size()) {
    for (const FloorPoint& p : config.points)
      feet_ = std::max(feet_, static_cast<std::size_t>(p.foot) + 1);
  }

  /// `tau` comes in as if nothing but the root held the body.
  void addFrame(const Workspace& workspace, VecX tau, MotionDynamics& result) {
    const Kinematics& k = workspace.kinematics;
    const Vec6& needed = workspace.force.front();  // what the root transmits
    const Vec3 root = k.X_WL.front().position - k.origin;
    locate(k);
    const std::vector<Vec3> forces =
        internal::solveFloorForces({place_, firm_, needed, root, config_.friction, config_.arm});
    std::vector<Vec3> foot(feet_, Vec3::Zero()), pressure(feet_, Vec3::Zero());
    Vec6 given = Vec6::Zero();
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const FloorPoint& p = config_.points[i];
      const Vec6 wrench = spatial(place_[i].cross(forces[i]), forces[i]);
      given += wrench;
      foot[static_cast<std::size_t>(p.foot)] += forces[i];
      pressure[static_cast<std::size_t>(p.foot)] += forces[i].y() * (place_[i] + k.origin);
      for (const DofRange& range : model_.ancestorRanges(p.link))
        for (int j = range.begin; j < range.end; ++j)
          tau[j] -= k.axis[static_cast<std::size_t>(j)].dot(wrench);
    }
    for (std::size_t f = 0; f < feet_; ++f)
      if (foot[f].y() > 0) pressure[f] /= foot[f].y();
    const Vec6 left = needed - given;
    result.torque.push_back(std::move(tau));
    result.groundForce.push_back(given.tail<3>());
    result.footForce.push_back(std::move(foot));
    result.pressure.push_back(std::move(pressure));
    result.residualForce.push_back(left.tail<3>());
    result.residualMoment.push_back(left.head<3>() - root.cross(left.tail<3>()));
    result.flight.push_back(given.tail<3>().norm() == 0);
  }

 private:
  void locate(const Kinematics& k) {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const FloorPoint& p = config_.points[i];
      const Vec3 at = k.X_WL[static_cast<std::size_t>(p.link)] * p.local;
      firm_[i] = standing(config_, at.y(), pointVelocity(k, p.link, at).norm());
      place_[i] = at - k.origin;
    }
  }

  const Model& model_;
  const MotionDynamicsConfig& config_;
  std::size_t feet_ = 0;
  std::vector<Vec3> place_;   // of each point, from the origin of spatial vectors
  std::vector<double> firm_;  // of each point
};

}  // namespace

std::vector<VecX> smoothedMotion(const Model& model, std::span<const VecX> q, double dt,
                                 double deviation) {
  std::vector<VecX> smooth(q.begin(), q.end());
  const auto last = static_cast<int>(q.size()) - 1;
  const int reach = std::min(static_cast<int>(std::ceil(3 * deviation / dt)), last);
  const auto to = [&](int i, int k) {
    return configurationDifference(model, q[static_cast<std::size_t>(i)],
                                   q[static_cast<std::size_t>(k)]);
  };
  for (int i = 0; i <= last && reach > 0; ++i) {
    double sum = 0;
    VecX step = VecX::Zero(model.dofCount());
    for (int k = i - reach; k <= i + reach; ++k) {
      const double w = std::exp(-0.5 * std::pow((k - i) * dt / deviation, 2));
      sum += w;
      // Beyond an end the motion goes on mirrored at the end's pose, q(-t) = 2 q(0) - q(t): neither
      // place nor speed is pulled inwards there, and the noise of the last frames is taken out too.
      const int end = k < 0 ? 0 : last;
      if (k >= 0 && k <= last)
        step += w * to(i, k);
      else
        step += w * (2 * to(i, end) - to(i, 2 * end - k));
    }
    step /= sum;
    integrateConfiguration(model, step, smooth[static_cast<std::size_t>(i)]);
  }
  return smooth;
}

std::vector<FloorPoint> soleCorners(const Model& model) {
  // Of the way from ankle to toe joint: behind the ankle, at the toe joint and beyond it; half the
  // width of a sole (foot breadth 0.1 m, heel 0.065 m; ANSUR, recalled).
  constexpr double kHeel = -0.45, kTip = 1.5, kHeelHalf = 0.025, kBallHalf = 0.04, kTipHalf = 0.025;
  std::vector<FloorPoint> corners;
  for (int foot = 0; foot < 2; ++foot) {
    const std::string side = foot == 0 ? "_l" : "_r";
    const auto rest = [&](const char* link) -> const Pose& {
      return model.links[static_cast<std::size_t>(model.linkIndex(link + side))].X_WL_rest;
    };
    const Vec3 ankle = rest("talus").position, ball = rest("toes").position;
    const auto add = [&](const char* link, double along, double half) {
      for (const double across : {-half, half}) {
        Vec3 p = ankle + along * (ball - ankle) + Vec3(across, 0, 0);
        p.y() = 0;
        corners.push_back({foot, model.linkIndex(link + side), rest(link).inverse() * p});
      }
    };
    add("hindfoot", kHeel, kHeelHalf);
    add("midfoot", 1, kBallHalf);
    add("toes", kTip, kTipHalf);
  }
  return corners;
}

MotionDynamics computeMotionDynamics(const Model& model, std::span<const VecX> q, double dt,
                                     const MotionDynamicsConfig& config) {
  if (q.size() < 3) throw InputError("inverse dynamics needs at least 3 frames");
  if (model.links.front().joint != JointKind::Free)
    throw InputError("inverse dynamics of a motion needs a free root");
  const std::vector<VecX> smooth = smoothedMotion(model, q, dt, config.smoothing);
  MotionDynamics result;
  differentiate(model, smooth, dt, result);
  Workspace workspace(model);
  FloorShare floor(model, config);
  VecX tau(model.dofCount());
  for (std::size_t i = 0; i < q.size(); ++i) {
    updateDynamics(model, smooth[i], result.velocity[i], workspace);
    computeInverseDynamics(model, result.acceleration[i], workspace, tau);
    floor.addFrame(workspace, tau, result);
  }
  return result;
}

}  // namespace pneuma::skeleton
