#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "pneuma/flesh/grid_shape.h"

namespace pneuma::flesh {

/// One float vector per node, padded to four lanes (the fourth stays zero).
using NodalVectors = Eigen::Matrix<float, 4, Eigen::Dynamic>;
using Lane = Eigen::Array4f;

inline Lane lane(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z()), 0.0f};
}

/// A matrix of 3x3 blocks over the 27-point stencil of a grid, in single precision: it only
/// steers an iteration whose residual is computed in double. Blocks are three columns of four
/// lanes, so that a product needs no shuffles; blocks outside the grid stay zero and are skipped.
class GridStencil {
 public:
  explicit GridStencil(const GridSize& size);

  void clear() { columns_.setZero(); }
  /// First of the three columns of the block (row, column); the nodes must be neighbours.
  Eigen::Index block(int row, int column) const {
    return (static_cast<Eigen::Index>(row) * 27 + 13 + code_[static_cast<std::size_t>(column)] -
            code_[static_cast<std::size_t>(row)]) *
           3;
  }
  bool neighbours(int row, int column) const;
  /// Adds u w^T.
  void addOuter(int row, int column, const Lane& u, const Lane& w) {
    const Eigen::Index b = block(row, column);
    for (int c = 0; c < 3; ++c) columns_.col(b + c).array() += u * w[c];
  }
  void addColumns(int row, int column, const Lane& c0, const Lane& c1, const Lane& c2) {
    const Eigen::Index b = block(row, column);
    columns_.col(b).array() += c0;
    columns_.col(b + 1).array() += c1;
    columns_.col(b + 2).array() += c2;
  }
  void addDiagonal(int row, int column, float value) {
    const Eigen::Index b = block(row, column);
    for (int c = 0; c < 3; ++c) columns_(c, b + c) += value;
  }
  /// Makes the row and column of a node those of the identity.
  void isolate(int node);

  void multiply(const NodalVectors& x, NodalVectors& y) const;

  const GridSize& size() const { return size_; }
  auto column(Eigen::Index i) const { return columns_.col(i).array(); }
  Eigen::Matrix3f matrix(int row, int column) const {
    return columns_.block<3, 3>(0, block(row, column));
  }

 private:
  GridSize size_;
  std::vector<int> code_;  ///< 9 i + 3 j + k: differences of neighbours number the stencil
  NodalVectors columns_;
};

/// Solves along the lines of axis 1 exactly (block tridiagonal), ignoring what couples the lines.
/// Fibres make a muscle far stiffer along this axis than across; this takes that stiffness out.
class LinePreconditioner {
 public:
  explicit LinePreconditioner(const GridSize& size);
  void factor(const GridStencil& matrix);
  /// z = P^-1 r.
  void apply(const NodalVectors& r, NodalVectors& z) const;

 private:
  void multiplyAdd(Eigen::Index block, const NodalVectors& blocks, const Lane& x, Lane& y) const;

  GridSize size_;
  NodalVectors inverse_;  ///< inverse of the pivots
  NodalVectors lower_;    ///< A(i, i-1) pivot(i-1)^-1
  NodalVectors upper_;    ///< pivot(i)^-1 A(i, i+1)
};

/// Solves for what whole cross-sections do together: motions that are polynomials of low degree
/// over each section (affine ones are its shift, turn, shear and swelling). The Galerkin matrix of
/// these motions is block tridiagonal along axis 1 and is solved exactly. Lines and sections
/// together leave only local motions to the iteration.
class SectionPreconditioner {
 public:
  explicit SectionPreconditioner(const GridSize& size);
  void factor(const GridStencil& matrix);
  /// z += P (P^T A P)^-1 P^T r.
  void applyAdd(const NodalVectors& r, NodalVectors& z);

 private:
  int modes() const { return static_cast<int>(shape_.rows()); }

  GridSize size_;
  Eigen::MatrixXf shape_;  ///< modes x nodes of a section: the polynomials
  std::vector<Eigen::MatrixXd> diagonal_, coupling_;  ///< per plane: D_i and A(i+1, i)
  std::vector<Eigen::LLT<Eigen::MatrixXd>> pivot_;
  NodalVectors product_;     ///< A P of one node row, by plane offset and mode
  Eigen::MatrixXd reduced_;  ///< P^T r, one column per plane
  Eigen::MatrixXd scratch_;
};

/// Preconditioned conjugate gradients. All scratch is sized once.
class GridSolver {
 public:
  explicit GridSolver(const GridSize& size);

  struct Outcome {
    int iterations = 0;
    double relativeResidual = 0;
    bool indefinite = false;  ///< stopped at a direction of negative curvature
  };
  /// Prepares the preconditioners; they may serve later matrices too.
  void factor(const GridStencil& matrix);
  /// Improves x until |r| <= max(tolerance |b|, floor).
  Outcome solve(const GridStencil& matrix, const NodalVectors& b, NodalVectors& x, double tolerance,
                double floor, int maxIterations);

 private:
  LinePreconditioner lines_;
  SectionPreconditioner sections_;
  NodalVectors r_, z_, p_, ap_;
};

}  // namespace pneuma::flesh
