#include <cmath>

#include "flesh/grid/grid_stencil.h"

namespace pneuma::flesh {
namespace {

using V = Lane3<Float8>;
using Read = Components<const float>;
using Write = Components<float>;
/// Partial sums of this many nodes stay in single precision.
constexpr int kPart = 512;

PNEUMA_CLONED double dotProduct(int nodes, const Read& a, const Read& b) {
  double total = 0;
  for (int start = 0; start < nodes; start += kPart) {
    Float8 sum{};
    for (int at = start; at < std::min(nodes, start + kPart); at += 8)
      sum += dot(loadLanes(a, at), loadLanes(b, at));
    total += static_cast<double>(sumLanes(sum));
  }
  return total;
}

/// p = z + factor p.
PNEUMA_CLONED void turnDirection(int nodes, const Read& z, float factor, const Write& p) {
  const Float8 scale = Float8{} + factor;
  for (int at = 0; at < nodes; at += 8)
    storeLanes(p, at, loadLanes(z, at) + loadLanes(Read{p.x, p.y, p.z}, at) * scale);
}

/// x += step p, r -= step ap; returns r . r.
PNEUMA_CLONED double advance(int nodes, float step, const Read& p, const Read& ap, const Write& x,
                             const Write& r) {
  const Float8 scale = Float8{} + step;
  double total = 0;
  for (int start = 0; start < nodes; start += kPart) {
    Float8 sum{};
    for (int at = start; at < std::min(nodes, start + kPart); at += 8) {
      addLanes(x, at, loadLanes(p, at) * scale);
      const V rest = loadLanes(Read{r.x, r.y, r.z}, at) - loadLanes(ap, at) * scale;
      storeLanes(r, at, rest);
      sum += dot(rest, rest);
    }
    total += static_cast<double>(sumLanes(sum));
  }
  return total;
}

}  // namespace

GridSolver::GridSolver(const GridSize& size)
    : size_(size),
      lines_(size),
      sections_(size),
      r_(size, 3),
      z_(size, 3),
      p_(size, 3),
      ap_(size, 3),
      sides_(size, 6) {}

void GridSolver::factor(const GridStencil& matrix) {
  lines_.factor(matrix);
  sections_.factor(matrix);
}

GridSolver::Outcome GridSolver::solve(const GridStencil& matrix, const GridField<float>& b,
                                      GridField<float>& x, double tolerance, double floor,
                                      int maxIterations) {
  const int nodes = size_.nodeCount();
  const auto constant = [](const GridField<float>& f) { return f.vectors(); };
  Outcome outcome;
  x.clear(), p_.clear();
  r_ = b;
  double residual = std::sqrt(dotProduct(nodes, constant(r_), constant(r_)));
  const double scale = residual, target = std::max(tolerance * scale, floor);
  // Numbers beyond single precision leave nothing to solve.
  outcome.indefinite = !std::isfinite(scale);
  double rz = 0;
  while (residual > target && outcome.iterations < maxIterations) {
    lines_.apply(r_, z_);
    sections_.applyAdd(r_, z_);
    const double next = dotProduct(nodes, constant(r_), constant(z_));
    turnDirection(nodes, constant(z_), outcome.iterations == 0 ? 0 : static_cast<float>(next / rz),
                  p_.vectors());
    rz = next;
    const double curvature = matrix.multiply(p_, sides_, ap_);
    if (!(curvature > 0)) {
      outcome.indefinite = true;
      break;
    }
    residual = std::sqrt(advance(nodes, static_cast<float>(rz / curvature), constant(p_),
                                 constant(ap_), x.vectors(), r_.vectors()));
    ++outcome.iterations;
  }
  outcome.relativeResidual = scale > 0 ? residual / scale : 0;
  return outcome;
}

}  // namespace pneuma::flesh
