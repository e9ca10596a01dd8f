#pragma once

#include <cstdint>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::survey::internal {

/// A grid of cubes, each with a small number; for filling solids and asking what is nearest.
class VoxelGrid {
 public:
  VoxelGrid(const Box& box, double cell);

  double cell() const { return cell_; }
  const Eigen::Vector3i& size() const { return size_; }
  std::size_t count() const { return values_.size(); }
  Vec3 center(std::size_t index) const;
  std::uint8_t& at(std::size_t i) { return values_[i]; }
  std::uint8_t at(std::size_t i) const { return values_[i]; }

  /// Writes `value` into the cubes whose centre lies within a closed surface.
  void fill(const TriangleMesh& mesh, std::uint8_t value);

  /// Gives every empty cube (0) the value of the nearest cube that holds one (exact distances of
  /// centres, by one pass per axis [Felzenszwalb & Huttenlocher 2012]; ties go to the lower index).
  void spread();

 private:
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(i) * static_cast<std::size_t>(size_.y()) +
            static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(size_.z()) +
           static_cast<std::size_t>(k);
  }

  Vec3 low_ = Vec3::Zero();
  double cell_ = 1;
  Eigen::Vector3i size_ = Eigen::Vector3i::Zero();
  std::vector<std::uint8_t> values_;
};

}  // namespace pneuma::survey::internal
