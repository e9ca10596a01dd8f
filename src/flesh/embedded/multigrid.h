#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "flesh/embedded/block_matrix.h"

namespace pneuma::flesh::embedded {

/// Galerkin multigrid on the lattice's hierarchy: A_{k+1} = P_k^T A_k P_k.
///
/// One V(1,1)-cycle is a symmetric preconditioner: block Gauss-Seidel forwards before, backwards
/// after the coarser level, in the order of the matrix: threads share the chunks of one colour and
/// the order of operations stays that of one thread. What a sweep has just made zero is not summed
/// again: with A = L + D + U in the order of the sweep, the forward one from x = 0 needs L alone
/// and leaves the residual -U x; the backward one from x0 leaves L (x0 - x). (Chunks that see one
/// another's old values instead, as in block Jacobi, are indefinite for flesh that hardly
/// compresses; damping them by row sums costs a hundred times the iterations.) The coarsest level
/// is solved by a sparse factorisation in double precision.
class Multigrid {
 public:
  /// `matrix` keeps its pattern and outlives this.
  Multigrid(BlockMatrix<float>& matrix, const std::vector<SparseRows>& prolongations);
  /// Takes in new values of the matrix, of the rows that it has.
  void update();
  /// x = M^-1 b for vectors of the finest level, and A x, which is half-known by then. Only rows
  /// that the matrix has are read and written; x is zero in all others.
  void apply(const float* b, float* x, float* ax);

  std::size_t levels() const { return levels_.size(); }

 private:
  struct Level {
    BlockMatrix<float>* matrix = nullptr;
    BlockMatrix<float> own;                      ///< of coarser levels
    std::vector<float> inverse, b, x, residual;  ///< inverse: of the diagonal
    SparseRows prolong, restrict_;
    BlockFolding folding;  ///< to the next coarser
  };
  void cycle(std::size_t level, const float* b, float* x);
  void solveCoarsest(const float* b, float* x);
  void factorizeCoarsest();
  RowMask coarserRows(std::size_t level) const;

  std::vector<Level> levels_;
  Eigen::SparseMatrix<double> coarse_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
  bool analyzed_ = false;
  Eigen::VectorXd right_, solution_;
};

}  // namespace pneuma::flesh::embedded
