#pragma once

#include <array>
#include <span>
#include <vector>

namespace pneuma::breath::internal {

/// One edge of a graph with a weight; `b` < 0 ties `a` to something that does not move.
struct WeightedEdge {
  int a = 0, b = -1;
  double weight = 0;
};

/// Solves (diag(m) + L) X = B for nine right-hand sides at a time, where L is the Laplacian of a
/// weighted graph. Factored once (sparse Cholesky); solving allocates nothing.
class ParticleSolver {
 public:
  static constexpr int kWidth = 9;
  using Row = std::array<double, kWidth>;

  ParticleSolver() = default;
  ParticleSolver(std::span<const double> mass, std::span<const WeightedEdge> edges);

  /// In place: row i holds the right-hand sides of particle i, then the solutions.
  void solve(std::vector<Row>& rows);
  std::size_t nonZeros() const { return rowIndex_.size(); }

 private:
  // L of P A P^T = L L^T by columns; the diagonal apart and inverted.
  std::vector<int> columnStart_, rowIndex_, order_;
  std::vector<double> value_, inverseDiagonal_;
  std::vector<Row> work_;
};

}  // namespace pneuma::breath::internal
