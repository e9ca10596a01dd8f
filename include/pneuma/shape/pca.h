#pragma once

#include <Eigen/Core>

#include "pneuma/core/types.h"

/// Principal components of many long rows, without ever forming their covariance.
namespace pneuma::shape {

/// Rows of features, 32-bit: a population's gradients fill gigabytes.
using FeatureRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Keeps a small orthonormal basis W of all rows seen so far and their coordinates in it.
///
/// Batches (one person's frames) come one by one. Each is first reduced by the eigenvectors of its
/// Gram matrix (frames x frames), then joined with the basis, weighted by what it stood for, and
/// reduced again: incremental singular value decomposition. What is dropped is counted.
class RowCompressor {
 public:
  /// `rank` directions are kept at most.
  RowCompressor(Eigen::Index dimension, Eigen::Index rank);

  void add(const FeatureRows& rows);

  const FeatureRows& basis() const { return basis_; }       ///< rank x dimension, orthonormal
  const MatX& coordinates() const { return coordinates_; }  ///< all rows so far x rank
  /// Share of the rows' squared length outside of the basis.
  double lost() const;

 private:
  Eigen::Index rank_;
  FeatureRows basis_;
  VecX strength_;  // singular values that belong to the basis
  MatX coordinates_;
  double total_ = 0;
};

/// Principal directions of rows about zero, strongest first.
struct Components {
  MatX directions;   ///< K x dimension, orthonormal rows
  VecX variances;    ///< mean squared coordinate along each
  double total = 0;  ///< mean squared length of a row
};
Components principalComponents(const MatX& rows, Eigen::Index count);

}  // namespace pneuma::shape
