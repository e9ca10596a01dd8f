#pragma once

#include <span>
#include <vector>

#include "pneuma/shape/pca.h"
#include "pneuma/shape/shape_template.h"

namespace pneuma::shape {

/// Who a person is, as far as breath depends on it: scores of the trunk at rest.
///
///   z_j = (d_j . (r - r_template) - mean_j) / sigma_j       r places of the trunk's vertices about
///                                                           their middle, d_j principal directions
///
/// The trunk alone, about its own middle: neither the pose of limbs nor where somebody stands
/// counts. Scores are held within kWidest deviations, so that a figure unlike all people breathes
/// like the nearest of them.
class IdentitySpace {
 public:
  static constexpr double kWidest = 2.5;

  IdentitySpace() = default;  ///< no scores: all people are one
  IdentitySpace(FeatureRows directions, VecX means, VecX deviations)
      : directions_(std::move(directions)),
        means_(std::move(means)),
        deviations_(std::move(deviations)) {}
  /// At most `count` scores, strongest first; fewer where people do not differ.
  static IdentitySpace fit(const RowCompressor& trunks, Eigen::Index count);
  /// The row of a skin that the above is fitted to, 3 numbers for each vertex of the trunk [m].
  static Eigen::RowVectorXf trunkRow(const ShapeTemplate& shape, std::span<const Vec3> rest);

  Eigen::Index count() const { return means_.size(); }
  /// [1, z_1, ..., z_J] of a skin at rest.
  VecX scores(const ShapeTemplate& shape, std::span<const Vec3> rest) const;
  /// The first scores alone.
  IdentitySpace first(Eigen::Index count) const;

  const FeatureRows& directions() const { return directions_; }  ///< J x 3 per vertex of the trunk
  const VecX& means() const { return means_; }                   ///< [m]
  const VecX& deviations() const { return deviations_; }         ///< [m]

 private:
  FeatureRows directions_;
  VecX means_, deviations_;
};

}  // namespace pneuma::shape
