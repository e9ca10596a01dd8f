#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// Signed distances [m] on a dense grid: what measuring works on. Negative inside.
class DistanceVolume {
 public:
  DistanceVolume() = default;
  /// A grid over `box`, nodes at integer multiples of `cell`, filled with `value`.
  DistanceVolume(const Box& box, double cell, float value);

  double cell() const { return cell_; }
  const Eigen::Vector3i& size() const { return size_; }
  Vec3 position(int i, int j, int k) const {
    return cell_ * (first_ + Eigen::Vector3i(i, j, k)).cast<double>();
  }
  Vec3 position(std::size_t index) const;
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(i) * static_cast<std::size_t>(size_.y()) +
            static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(size_.z()) +
           static_cast<std::size_t>(k);
  }
  /// Node nearest to a point, clamped to the grid.
  Eigen::Vector3i nearest(const Vec3& p) const;
  bool inside(const Eigen::Vector3i& n) const {
    return (n.array() >= 0).all() && (n.array() < size_.array()).all();
  }
  float& at(std::size_t i) { return values_[i]; }
  float at(std::size_t i) const { return values_[i]; }
  std::vector<float>& values() { return values_; }
  const std::vector<float>& values() const { return values_; }
  /// Trilinear; beyond the grid the value at its border plus the distance from it.
  double sample(const Vec3& p) const;
  Vec3 gradient(const Vec3& p) const;
  double volume() const;  ///< of the inside, voxels at the surface counted in part [m^3]
  Box interiorBounds() const;

 private:
  double cell_ = 1;
  Eigen::Vector3i first_ = Eigen::Vector3i::Zero(), size_ = Eigen::Vector3i::Zero();
  std::vector<float> values_;
};

/// Distance to the union of closed meshes; `margin` [m] of space around them.
DistanceVolume makeDistanceVolume(std::span<const TriangleMesh> meshes, double cell, double margin);
/// The same on the grid of `frame`. Beyond `band` cells outside, values are only a lower bound.
void fillDistances(std::span<const TriangleMesh> meshes, DistanceVolume& frame, float band = 12);
/// Averages neighbouring nodes with the weights 1, 2, 1 along each axis, `passes` times.
void smoothen(DistanceVolume& volume, int passes);
/// Average with the reflection in x = 0 of `other` (for a left bone: the right one; for a mid bone:
/// itself), on a grid that covers `left`.
DistanceVolume mirrorAverage(const DistanceVolume& left, const DistanceVolume& other);

}  // namespace pneuma::anatomy::internal
