#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "flesh/embedded/block_matrix.h"

namespace pneuma::flesh::embedded {

/// Galerkin multigrid on the lattice's hierarchy: A_{k+1} = P_k^T A_k P_k.
///
/// One V(1,1)-cycle is a symmetric preconditioner: block Gauss-Seidel forwards before, backwards
/// after the coarser level. Sweeps go through chunks of rows by colour: chunks of one colour are
/// not coupled, so threads share them and the order of operations stays that of one thread. (Chunks
/// that see one another's old values instead, as in block Jacobi, are indefinite for flesh that
/// hardly compresses; damping them by row sums costs a hundred times the iterations.) The coarsest
/// level is solved by a sparse factorisation in double precision.
class Multigrid {
 public:
  /// `matrix` keeps its pattern and outlives this.
  Multigrid(BlockMatrix<float>& matrix, const std::vector<SparseRows>& prolongations);
  /// Takes in new values of the matrix.
  void update();
  /// x = M^-1 b for vectors of the finest level.
  void apply(const float* b, float* x);

  std::size_t levels() const { return levels_.size(); }

 private:
  struct Level {
    BlockMatrix<float>* matrix = nullptr;
    BlockMatrix<float> own;  ///< of coarser levels
    std::vector<float> inverse, b, x, residual;
    std::vector<std::vector<std::int32_t>> colours;  ///< chunks of rows
    SparseRows prolong, restrict_;
    BlockFolding folding;  ///< to the next coarser
  };
  static void sweep(const Level& level, const float* b, float* x, bool forward);
  void cycle(std::size_t level, const float* b, float* x);
  void solveCoarsest(const float* b, float* x);
  void factorizeCoarsest();

  std::vector<Level> levels_;
  Eigen::SparseMatrix<double> coarse_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
  bool analyzed_ = false;
  Eigen::VectorXd right_, solution_;
};

}  // namespace pneuma::flesh::embedded
