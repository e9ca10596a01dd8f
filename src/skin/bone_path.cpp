#include "skin/bone_path.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"

namespace pneuma::skin::internal {
namespace {

/// A turn below this has its axis too far away to be known; it goes straight [rad].
constexpr double kNoTurn = 1e-5;

}  // namespace

Pose screwBetween(const Pose& a, const Pose& b, double s) {
  const Pose motion = a.inverse() * b;
  const Eigen::AngleAxisd turn(motion.rotation);
  if (turn.angle() < kNoTurn) {
    const Mat3 part = Quat::Identity().slerp(s, Quat(motion.rotation)).toRotationMatrix();
    return a * Pose{part, s * motion.position};
  }
  // motion.position = along + (1 - R) c with c on the axis: 2 c = t + cot(angle / 2) n x t.
  const Vec3& n = turn.axis();
  const Vec3 along = n * n.dot(motion.position), across = motion.position - along;
  const Vec3 centre = 0.5 * (across + n.cross(across) / std::tan(0.5 * turn.angle()));
  const Mat3 part = Eigen::AngleAxisd(s * turn.angle(), n).toRotationMatrix();
  return a * Pose{part, s * along + centre - part * centre};
}

BonePath::BonePath(std::span<const std::int32_t> parents)
    : parents_(parents.begin(), parents.end()) {
  const auto count = static_cast<std::int32_t>(parents_.size());
  std::vector<std::int32_t> depth(parents_.size(), 0);
  for (std::int32_t b = 0; b < count; ++b) {
    if (parents_[at(b)] >= count) parents_[at(b)] = -1;
    order_.push_back(b);
  }
  for (std::int32_t b = 0; b < count; ++b)
    for (std::int32_t p = parents_[at(b)]; p >= 0; p = parents_[at(p)]) ++depth[at(b)];
  std::ranges::stable_sort(order_, {}, [&](std::int32_t b) { return depth[at(b)]; });
}

std::vector<Pose> BonePath::between(std::span<const Pose> a, std::span<const Pose> b,
                                    double s) const {
  std::vector<Pose> now(parents_.size());
  for (const std::int32_t i : order_) {
    const std::int32_t p = parents_[at(i)];
    now[at(i)] = p < 0 ? screwBetween(a[at(i)], b[at(i)], s)
                       : now[at(p)] * screwBetween(a[at(p)].inverse() * a[at(i)],
                                                   b[at(p)].inverse() * b[at(i)], s);
  }
  return now;
}

double BonePath::largestTurn(std::span<const Pose> a, std::span<const Pose> b) const {
  double most = 0;
  for (const std::int32_t i : order_) {
    const std::int32_t p = parents_[at(i)];
    const auto against = [&](std::span<const Pose> pose) {
      return p < 0 ? pose[at(i)].rotation
                   : Mat3(pose[at(p)].rotation.transpose() * pose[at(i)].rotation);
    };
    most = std::max(most, Eigen::AngleAxisd(against(a).transpose() * against(b)).angle());
  }
  return most;
}

}  // namespace pneuma::skin::internal
