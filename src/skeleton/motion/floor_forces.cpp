#include "skeleton/motion/floor_forces.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace pneuma::skeleton::internal {

namespace {

constexpr double kEffort = 0.01;  // e: what a force costs against one that is missing
constexpr double kAlong = 0.3;    // the same along the line to the pivot, of what it costs across
constexpr double kRidge = 1e-3;   // and of each edge of a pyramid by itself, of e
constexpr double kPivot = 0.3;    // height of the pivot above the root [m]
constexpr double kLoose = 0.02;   // firmness below which a point is left out
constexpr int kEdges = 4;         // of a friction pyramid

/// Least squares over the columns in `free`; zero elsewhere.
VecX solveFree(const MatX& H, const VecX& g, const std::vector<bool>& free) {
  std::vector<int> index;
  for (int i = 0; i < g.size(); ++i)
    if (free[static_cast<std::size_t>(i)]) index.push_back(i);
  VecX x = VecX::Zero(g.size());
  const MatX A = H(index, index);
  const VecX b = g(index);
  const VecX solved = A.ldlt().solve(b);
  for (std::size_t i = 0; i < index.size(); ++i) x[index[i]] = solved[static_cast<Eigen::Index>(i)];
  return x;
}

}  // namespace

VecX solveNonNegative(const MatX& M, const VecX& b) {
  const MatX H = M.transpose() * M;
  const VecX g = M.transpose() * b;
  VecX x = VecX::Zero(g.size());
  std::vector<bool> free(static_cast<std::size_t>(g.size()), false);
  const double small = 1e-10 * (1 + g.cwiseAbs().maxCoeff());
  const auto rounds = 3 * g.size();
  for (Eigen::Index round = 0; round < rounds; ++round) {
    // The one that would gain most by growing is let go.
    const VecX gain = g - H * x;
    int best = -1;
    for (int i = 0; i < g.size(); ++i)
      if (!free[static_cast<std::size_t>(i)] && gain[i] > small &&
          (best < 0 || gain[i] > gain[best]))
        best = i;
    if (best < 0) break;
    free[static_cast<std::size_t>(best)] = true;
    // As far towards the free solution as nothing turns negative; what gets there is held again.
    for (VecX s = solveFree(H, g, free);; s = solveFree(H, g, free)) {
      double part = 1;
      for (int i = 0; i < g.size(); ++i)
        if (free[static_cast<std::size_t>(i)] && s[i] < 0)
          part = std::min(part, x[i] / (x[i] - s[i]));
      x += part * (s - x);
      if (part == 1) break;
      for (int i = 0; i < g.size(); ++i)
        if (free[static_cast<std::size_t>(i)] && x[i] <= small)
          free[static_cast<std::size_t>(i)] = false, x[i] = 0;
    }
  }
  return x;
}

std::vector<Vec3> solveFloorForces(const FloorProblem& p) {
  std::vector<std::size_t> standing;
  for (std::size_t i = 0; i < p.points.size(); ++i)
    if (p.firmness[i] > kLoose) standing.push_back(i);
  std::vector<Vec3> forces(p.points.size(), Vec3::Zero());
  if (standing.empty()) return forces;
  // A column for each edge of a pyramid: its wrench about the root, then its cost: the point's
  // force along and across the line to the pivot, and a little by itself.
  const auto n = static_cast<Eigen::Index>(kEdges * standing.size());
  const auto forceRow = [](std::size_t s) { return 6 + 3 * static_cast<Eigen::Index>(s); };
  const Eigen::Index ridge = forceRow(standing.size());
  MatX M = MatX::Zero(ridge + n, n);
  VecX b = VecX::Zero(ridge + n);
  const Vec3 missing = p.needed.head<3>() - p.root.cross(p.needed.tail<3>());
  b.head<6>() << missing / p.arm, p.needed.tail<3>();
  const auto edge = [&](int k) -> Vec3 {
    const double angle = (k + 0.5) * kPi / 2;
    return Vec3(p.friction * std::cos(angle), 1, p.friction * std::sin(angle));
  };
  for (std::size_t s = 0; s < standing.size(); ++s)
    for (int k = 0; k < kEdges; ++k) {
      const auto column = static_cast<Eigen::Index>(kEdges * s) + k;
      const Vec3 arm = p.points[standing[s]] - p.root;
      const Vec3 up = (Vec3(0, kPivot, 0) - arm).normalized();
      const double cost = kEffort / p.firmness[standing[s]];
      M.col(column).head<3>() = arm.cross(edge(k)) / p.arm;
      M.col(column).segment<3>(3) = edge(k);
      M.col(column).segment<3>(forceRow(s)) =
          cost * (edge(k) - (1 - kAlong) * edge(k).dot(up) * up);
      M(ridge + column, column) = kRidge * cost;
    }
  const VecX f = solveNonNegative(M, b);
  for (std::size_t s = 0; s < standing.size(); ++s)
    for (int k = 0; k < kEdges; ++k)
      forces[standing[s]] += f[static_cast<Eigen::Index>(kEdges * s) + k] * edge(k);
  return forces;
}

}  // namespace pneuma::skeleton::internal
