#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "flesh/grid/grid_lanes.h"

namespace pneuma::flesh {

/// A symmetric matrix of 3x3 blocks over the 27-point stencil of a grid, in single precision: it
/// only steers an iteration whose residual is computed in double. Each node holds its diagonal
/// block and the blocks to the 13 neighbours after it; the other half is their transpose. Stored
/// component by component over the nodes (GridField); blocks outside the grid are zero.
class GridStencil {
 public:
  /// Components of the diagonal block: xx, xy, xz, yy, yz, zz; then nine per neighbour, row by row.
  static constexpr int kNeighbours = 13, kBlocks = 6, kComponents = kBlocks + 9 * kNeighbours;
  /// The neighbour one step along axis 1.
  static constexpr int kNextPlane = 8;

  /// Steps along the axes to a neighbour. The 13 come in five runs along axis 3.
  struct Step {
    int i, j, k;
  };
  static constexpr Step kSteps[kNeighbours]{
      {0, 0, 1},  {0, 1, -1}, {0, 1, 0}, {0, 1, 1},  {1, -1, -1}, {1, -1, 0}, {1, -1, 1},
      {1, 0, -1}, {1, 0, 0},  {1, 0, 1}, {1, 1, -1}, {1, 1, 0},   {1, 1, 1}};
  /// Which of the 13 a step is.
  static constexpr int neighbour(int i, int j, int k) { return 9 * i + 3 * j + k - 1; }

  explicit GridStencil(const GridSize& size);

  void clear() { values_.clear(); }
  float* component(int c) { return values_[c]; }
  const float* component(int c) const { return values_[c]; }
  static constexpr int block(int neighbour) { return kBlocks + 9 * neighbour; }
  /// Distance in the linear index to a neighbour.
  int offset(int neighbour) const { return offset_[neighbour]; }
  void addDiagonal(int node, float value) {
    for (int c : {0, 3, 5}) values_[c][node] += value;
  }
  /// Makes the row and column of a node those of the identity.
  void isolate(int node);

  /// To be called when all values are in, before multiply.
  void pack();
  /// y = A x, and x . y. `sides` is scratch of six components.
  double multiply(const GridField<float>& x, GridField<float>& sides, GridField<float>& y) const;

  const GridSize& size() const { return size_; }
  std::size_t stride() const { return values_.stride(); }

 private:
  GridSize size_;
  int offset_[kNeighbours];
  GridField<float> values_;
  std::vector<float> packed_;  ///< the same, eight nodes at a time: read from end to end
};

/// Solves along the lines of axis 1 exactly (block tridiagonal), ignoring what couples the lines.
/// Fibres make a muscle far stiffer along this axis than across; this takes that stiffness out.
class LinePreconditioner {
 public:
  explicit LinePreconditioner(const GridSize& size);
  void factor(const GridStencil& matrix);
  /// z = P^-1 r.
  void apply(const GridField<float>& r, GridField<float>& z);

 private:
  GridSize size_;
  GridField<float> pivot_;  ///< inverse of the pivots, symmetric: six components
  GridField<float> lower_;  ///< A(i, i-1) pivot(i-1)^-1
  GridField<float> half_;   ///< after the way down
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
  void applyAdd(const GridField<float>& r, GridField<float>& z);

 private:
  const float* shape(int mode) const { return shape_.data() + mode * shapeStride_ + lead_; }

  GridSize size_;
  int modes_, unknowns_;
  int lead_, shapeStride_;
  std::vector<float> shape_;               ///< the polynomials over a section, zero around it
  std::vector<Eigen::MatrixXd> pivot_;     ///< per plane: inverse of its pivot
  std::vector<Eigen::MatrixXd> coupling_;  ///< per plane: P^T A P to the next plane
  std::vector<Eigen::MatrixXf> inverse_, lower_;  ///< what the solution uses of them
  Eigen::MatrixXf reduced_, solved_;              ///< one column per plane
  std::vector<float> sums_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
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
  /// x from zero until |r| <= max(tolerance |b|, floor).
  Outcome solve(const GridStencil& matrix, const GridField<float>& b, GridField<float>& x,
                double tolerance, double floor, int maxIterations);

 private:
  GridSize size_;
  LinePreconditioner lines_;
  SectionPreconditioner sections_;
  GridField<float> r_, z_, p_, ap_, sides_;
};

}  // namespace pneuma::flesh
