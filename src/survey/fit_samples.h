#pragma once

#include <optional>
#include <vector>

#include "survey/shape_fit.h"

namespace pneuma::survey::internal {

struct FitSample {
  Vec3 position;
  double target;  ///< distance wanted there, cut to +-band [m]
  double weight;
};

/// Where a shape is compared with its target: nodes of a grid, all of them near the surface, every
/// third one along each axis elsewhere.
struct SampleGrid {
  std::vector<FitSample> samples;
  Box bounds;              ///< of the samples
  double spacing;          ///< [m]
  Eigen::Vector3i size;    ///< nodes along the axes
  std::vector<int> nodes;  ///< sample at a node, -1: none

  SampleGrid(const anatomy::internal::DistanceVolume& target, const ShapeFitConfig& config);

  Eigen::Vector3i node(int sample) const;
  /// Sample at a node, -1: none, or outside the grid.
  int sampleAt(const Eigen::Vector3i& node) const;
};

/// Connected samples that lie inside the target but outside the shape, or the other way round.
struct WrongRegion {
  bool missing = false;  ///< true: the shape lacks it; false: it has too much
  std::vector<Vec3> points;
  std::vector<double> weights;  ///< how wrong [m]
};

/// Takes the regions where a shape is wrong, the worst first.
class WrongRegions {
 public:
  /// `wrongness` of each sample: > 0 missing, < 0 too much, 0 right.
  WrongRegions(const SampleGrid& grid, std::vector<double> wrongness);

  /// The worst region that was not taken before; nothing when none is worth a part.
  std::optional<WrongRegion> takeWorst(bool cutsAllowed);

 private:
  double blurred(const Eigen::Vector3i& node) const;
  int worstSample(bool cutsAllowed) const;
  std::vector<int> grow(int seed);

  const SampleGrid& grid_;
  std::vector<double> wrongness_;
  std::vector<char> used_;
};

}  // namespace pneuma::survey::internal
