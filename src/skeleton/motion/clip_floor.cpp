#include "skeleton/motion/clip_floor.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pneuma::skeleton::internal {

namespace {

constexpr double kStill = 0.3;    // [m/s] slower: the point stands
constexpr double kStance = 0.6;   // [s] a usual stance, which counts as one observation
constexpr double kSlope = 0.01;   // [-] how steep a floor is expected to be
constexpr double kHeight = 0.01;  // [m] how well a standing point knows its height

/// Slope (b, c) by the points that stand, those of one path about their own mean.
class SlopeFit {
 public:
  void add(const std::vector<Vec3>& standing, double dt) {
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : standing) mean += p / static_cast<double>(standing.size());
    for (const Vec3& p : standing) {
      const Vec3 d = p - mean;
      const Eigen::Vector2d level(d.x(), d.z());
      normal_ += dt / kStance * level * level.transpose();
      right_ += dt / kStance * d.y() * level;
    }
  }
  Eigen::Vector2d slope() const { return normal_.ldlt().solve(right_); }

 private:
  Eigen::Matrix2d normal_ = std::pow(kHeight / kSlope, 2) * Eigen::Matrix2d::Identity();
  Eigen::Vector2d right_ = Eigen::Vector2d::Zero();
};

/// Heights over a plane of this slope.
double heightOver(const Eigen::Vector2d& slope, const Vec3& p) {
  return p.y() - slope[0] * p.x() - slope[1] * p.z();
}

/// Where a point stands, given the slope so far: still, and hardly higher than the lowest place it
/// stands at (a foot on the rung of a stool says nothing of the floor).
std::vector<Vec3> standingPlaces(const Path& path, double dt, const Eigen::Vector2d& slope,
                                 double low) {
  std::vector<Vec3> still, standing;
  for (std::size_t i = 1; i + 1 < path.size(); ++i)
    if ((path[i + 1] - path[i - 1]).norm() < 2 * dt * kStill) still.push_back(path[i]);
  if (still.empty()) return {};
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& p : still) lowest = std::min(lowest, heightOver(slope, p));
  for (const Vec3& p : still)
    if (heightOver(slope, p) < lowest + low) standing.push_back(p);
  return standing;
}

}  // namespace

std::vector<std::size_t> standingFrames(std::span<const Pose> ankle, const Path& toe, double dt) {
  constexpr double kLow = 0.03;  // [m]
  std::vector<std::size_t> still;
  double low = std::numeric_limits<double>::infinity();
  const auto height = [&](std::size_t i) { return ankle[i].position.y() + toe[i].y(); };
  for (std::size_t i = 1; i + 1 < toe.size(); ++i) {
    const double moved = std::max((ankle[i + 1].position - ankle[i - 1].position).norm(),
                                  (toe[i + 1] - toe[i - 1]).norm());
    if (moved > 2 * dt * kStill) continue;
    still.push_back(i);
    low = std::min(low, height(i));
  }
  std::erase_if(still, [&](std::size_t i) { return height(i) > low + 2 * kLow; });
  return still;
}

Pose levelFloor(std::span<const Path> feet, double dt) {
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (const double low : {0.08, 0.05, 0.03, 0.03}) {  // [m] closer and closer
    SlopeFit fit;
    sum.setZero(), count = 0;
    for (const Path& path : feet) {
      const std::vector<Vec3> standing = standingPlaces(path, dt, slope, low);
      fit.add(standing, dt);
      for (const Vec3& p : standing) sum += p, count += 1;
    }
    slope = fit.slope();
  }
  if (count == 0) return {};
  const Vec3 up = Vec3(-slope[0], 1, -slope[1]).normalized();
  Pose level;
  level.rotation = Quat::FromTwoVectors(up, Vec3::UnitY()).toRotationMatrix();
  const Vec3 about = sum / count;
  level.position = about - level.rotation * about;
  return level;
}

}  // namespace pneuma::skeleton::internal
