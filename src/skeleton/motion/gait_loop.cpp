#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/pose_track.h"

namespace pneuma::skeleton {

namespace {

constexpr double kHeightAsAngle = 5;  // [rad/m] a centimetre of height counts as three degrees

/// What of a frame must come again: angles from the neutral pose, the root without its place and
/// without where it faces. A column per frame.
class Features {
 public:
  Features(const Model& model, std::span<const double> times, std::span<const VecX> q)
      : pose_(model.dofCount(), static_cast<Eigen::Index>(q.size())) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      auto column = pose_.col(static_cast<Eigen::Index>(i));
      column = configurationDifference(model, model.neutral, q[i]);
      const Quat root(q[i][3], q[i][4], q[i][5], q[i][6]);
      const Vec3 up = root.conjugate() * Vec3::UnitY();  // the lean, whatever way it faces
      column.head<6>() << 0, kHeightAsAngle * q[i][1], 0, up.x(), 0, up.z();
    }
    speed_ = MatX::Zero(pose_.rows(), pose_.cols());
    for (Eigen::Index i = 1; i + 1 < pose_.cols(); ++i)
      speed_.col(i) = (pose_.col(i + 1) - pose_.col(i - 1)) / (times[i + 1] - times[i - 1]);
  }

  double poseGap(std::size_t i, std::size_t j) const { return gap(pose_, i, j); }
  double speedGap(std::size_t i, std::size_t j) const { return gap(speed_, i, j); }

 private:
  static double gap(const MatX& m, std::size_t i, std::size_t j) {
    return (m.col(static_cast<Eigen::Index>(i)) - m.col(static_cast<Eigen::Index>(j))).norm() /
           std::sqrt(static_cast<double>(m.rows()));
  }
  MatX pose_, speed_;
};

/// The turn about the vertical that takes the root's heading in a to that in b.
double headingChange(const VecX& a, const VecX& b) {
  const auto ahead = [](const VecX& q) -> Vec3 {
    return Quat(q[3], q[4], q[5], q[6]) * Vec3::UnitZ();
  };
  const Vec3 x = ahead(a), y = ahead(b);
  return std::atan2(y.x(), y.z()) - std::atan2(x.x(), x.z());
}

/// Turns the root about the vertical through a point and then moves it.
VecX moved(const VecX& q, double turn, const Vec3& about, const Vec3& by) {
  const Quat yaw(Eigen::AngleAxisd(turn, Vec3::UnitY()));
  VecX result = q;
  result.head<3>() = about + yaw * (Vec3(q.head<3>()) - about) + by;
  const Quat r = yaw * Quat(q[3], q[4], q[5], q[6]);
  result.segment<4>(3) << r.w(), r.x(), r.y(), r.z();
  return result;
}

}  // namespace

GaitCycle findCycle(const Model& model, std::span<const double> times, std::span<const VecX> q,
                    const LoopConfig& config) {
  PNEUMA_CHECK(times.size() == q.size(), "{} times, {} poses", times.size(), q.size());
  PNEUMA_CHECK(model.links.front().joint == JointKind::Free, "a gait needs a free root");
  const Features features(model, times, q);
  GaitCycle best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i + 2 < q.size(); ++i)
    for (std::size_t j = i + 1; j + 1 < q.size(); ++j) {
      const double length = times[j] - times[i];
      // What comes before the cycle takes part in closing it.
      if (length < config.shortest || length > config.longest) continue;
      if (times[i] - times[0] < config.blend * length) continue;
      const double pose = features.poseGap(i, j), speed = features.speedGap(i, j);
      const double cost = pose * pose + std::pow(config.lookAhead * speed, 2);
      if (cost < least) least = cost, best = {i, j, pose, speed};
    }
  if (best.end == 0)
    throw InputError(
        Diagnostic{.subject = "motion",
                   .message = fmt::format("lasts {:.2f} s", times.back() - times.front()),
                   .expected = fmt::format("more than {:.2f} s to find a cycle in it",
                                           config.shortest * (1 + config.blend))});
  return best;
}

PoseTrack makeLoop(const Model& model, std::span<const double> times, std::span<const VecX> q,
                   const LoopConfig& config, GaitCycle* found) {
  const GaitCycle cycle = findCycle(model, times, q, config);
  if (found) *found = cycle;
  const double end = times[cycle.end], length = end - times[cycle.begin];
  const double fade = config.blend * length;
  // What led to the beginning is brought to where the end is, and fades in until it is all.
  const double turn = headingChange(q[cycle.begin], q[cycle.end]);
  const Vec3 from = q[cycle.begin].head<3>();
  Vec3 by = Vec3(q[cycle.end].head<3>()) - from;
  by.y() = 0;
  const PoseTrack recorded(model, times, q);
  std::vector<double> keyTimes;
  std::vector<VecX> keys;
  VecX lead(model.positionCount()), step(model.dofCount());
  for (std::size_t i = cycle.begin; i <= cycle.end; ++i) {
    VecX pose = q[i];
    if (const double s = (times[i] - (end - fade)) / fade; s > 0) {
      const double weight = s * s * s * (10 + s * (6 * s - 15));
      recorded.sample(times[i] - length - times[0], lead);
      configurationDifference(model, pose, moved(lead, turn, from, by), step);
      step *= weight;
      integrateConfiguration(model, step, pose);
    }
    // Straight ahead: the turn of a cycle is taken back evenly along it.
    const double part = (times[i] - times[cycle.begin]) / length;
    keyTimes.push_back(times[i]);
    keys.push_back(moved(pose, -turn * part, from, Vec3::Zero()));
  }
  return PoseTrack(model, keyTimes, keys, {.cyclic = true});
}

}  // namespace pneuma::skeleton
