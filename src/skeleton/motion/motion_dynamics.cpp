#include "pneuma/skeleton/motion_dynamics.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/inverse_dynamics.h"

namespace pneuma::skeleton {
namespace {

/// How firmly a foot stands, 0 to 1.
double standing(const MotionDynamicsConfig& c, double raised, double speed) {
  const double h = std::max(0.0, raised) / c.contactHeight, s = speed / c.contactSpeed;
  return std::exp(-h * h - s * s);
}

constexpr double kFlight = 0.05;   // below: no foot stands
constexpr double kAlongLeg = 100;  // a force along the leg costs this much less than one across it

Mat3 crossMatrix(const Vec3& r) {
  Mat3 m;
  m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return m;
}

/// Shares a wrench about the origin between forces and couples at points, see the header. `pelvis`
/// is where forces like to point.
std::vector<Vec6> shareWrench(const Vec6& needed, std::span<const Vec3> points, const Vec3& pelvis,
                              std::span<const double> firmness, double arm) {
  // Least x' D^-1 x with A x = needed, hence x = D A' (A D A')^-1 needed.
  Mat6 sum = Mat6::Zero();
  std::vector<Mat6> A(points.size(), Mat6::Identity()), DAt(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    A[i].topRightCorner<3, 3>() = crossMatrix(points[i]);
    const Vec3 leg = (pelvis - points[i]).normalized();
    Mat6 D = firmness[i] * Mat6::Identity();
    D.bottomRightCorner<3, 3>() += firmness[i] * kAlongLeg * leg * leg.transpose();
    D.bottomRightCorner<3, 3>() /= arm * arm;
    DAt[i] = D * A[i].transpose();
    sum += A[i] * DAt[i];
  }
  const Vec6 lambda = sum.ldlt().solve(needed);
  std::vector<Vec6> wrenches;
  for (std::size_t i = 0; i < points.size(); ++i) wrenches.push_back(A[i] * (DAt[i] * lambda));
  return wrenches;
}

}  // namespace

std::vector<VecX> smoothedMotion(const Model& model, std::span<const VecX> q, double dt,
                                 double deviation) {
  std::vector<VecX> smooth(q.begin(), q.end());
  const int reach = static_cast<int>(std::ceil(3 * deviation / dt));
  const auto last = static_cast<int>(q.size()) - 1;
  for (int i = 0; i <= last && reach > 0; ++i) {
    // At the ends the window shrinks evenly, so that nothing is pulled inwards.
    const int half = std::min({reach, i, last - i});
    double sum = 0;
    VecX step = VecX::Zero(model.dofCount());
    for (int k = -half; k <= half; ++k) {
      const double w = std::exp(-0.5 * std::pow(k * dt / deviation, 2));
      step += w * configurationDifference(model, q[static_cast<std::size_t>(i)],
                                          q[static_cast<std::size_t>(i + k)]);
      sum += w;
    }
    step /= sum;
    integrateConfiguration(model, step, smooth[static_cast<std::size_t>(i)]);
  }
  return smooth;
}

MotionDynamics computeMotionDynamics(const Model& model, std::span<const VecX> q, double dt,
                                     const MotionDynamicsConfig& config) {
  if (q.size() < 3) throw InputError("inverse dynamics needs at least 3 frames");
  PNEUMA_CHECK(config.soles.size() == config.feet.size(), "{} feet, {} soles", config.feet.size(),
               config.soles.size());
  if (model.links.front().joint != JointKind::Free)
    throw InputError("inverse dynamics of a motion needs a free root");
  const std::vector<VecX> smooth = smoothedMotion(model, q, dt, config.smoothing);
  const std::size_t count = q.size();
  MotionDynamics result;
  result.velocity.resize(count);
  result.acceleration.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, count - 1);
    result.velocity[i] =
        configurationDifference(model, smooth[a], smooth[b]) / (static_cast<double>(b - a) * dt);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, count - 1);
    result.acceleration[i] =
        (result.velocity[b] - result.velocity[a]) / (static_cast<double>(b - a) * dt);
  }

  Workspace workspace(model);
  VecX tau(model.dofCount());
  for (std::size_t i = 0; i < count; ++i) {
    updateDynamics(model, smooth[i], result.velocity[i], workspace);
    computeInverseDynamics(model, result.acceleration[i], workspace, tau);
    const Kinematics& k = workspace.kinematics;
    const Vec6 needed = workspace.force.front();  // what the root transmits
    std::vector<double> firmness;
    std::vector<Vec3> soles;
    double total = 0;
    for (std::size_t f = 0; f < config.feet.size(); ++f) {
      const Vec3 p = k.X_WL[static_cast<std::size_t>(config.feet[f])] * config.soles[f];
      firmness.push_back(standing(config, p.y(), pointVelocity(k, config.feet[f], p).norm()));
      soles.push_back(p - k.origin);
      total += firmness.back();
    }
    const bool flight = total < kFlight;
    std::vector<Vec3> forces(config.feet.size(), Vec3::Zero());
    if (!flight) {
      const std::vector<Vec6> wrenches =
          shareWrench(needed, soles, k.X_WL.front().position - k.origin, firmness, config.arm);
      for (std::size_t f = 0; f < wrenches.size(); ++f) {
        forces[f] = wrenches[f].tail<3>();
        for (const DofRange& range : model.ancestorRanges(config.feet[f]))
          for (int j = range.begin; j < range.end; ++j)
            tau[j] -= k.axis[static_cast<std::size_t>(j)].dot(wrenches[f]);
      }
    }
    result.torque.push_back(tau);
    result.groundForce.push_back(flight ? Vec3::Zero() : Vec3(needed.tail<3>()));
    result.unsupported.push_back(flight ? needed.tail<3>().norm() : 0);
    result.footForce.push_back(std::move(forces));
  }
  return result;
}

}  // namespace pneuma::skeleton
