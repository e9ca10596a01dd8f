#include <algorithm>
#include <cmath>

#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

FleshMeasures FleshSolver::measure(const FleshInputs& inputs, std::span<const Vec3> y) const {
  const Lattice& l = *model().lattice;
  const std::vector<Vec3> x = nodes(y);
  FleshMeasures m;
  m.leastJ = 1e300;
  double squares = 0;
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const auto p = [&](int k) { return x[l.tets[t][k]]; };
    const double rest = l.volume(t) * double(l.share[t]);
    const double j = (p(1) - p(0)).cross(p(2) - p(0)).dot(p(3) - p(0)) / (6 * l.volume(t));
    m.volume += j * rest, m.restVolume += rest;
    squares += rest * (j - 1) * (j - 1);
    m.inverted += j <= 0;
    if (j < m.leastJ) m.leastJ = j, m.worstTet = static_cast<std::int32_t>(t);
  }
  m.volumeRms = std::sqrt(squares / m.restVolume);
  for (std::size_t a = 0; a < inputs.targets.size(); ++a) {
    const LatticePlace& place = model().anchors[a].place;
    Vec3 point = Vec3::Zero();
    for (int k = 0; k < 4; ++k) point += place.weights[k] * x[l.tets[place.tet][k]];
    const double gap = (point - inputs.targets[a]).norm();
    m.meanGap += gap / double(inputs.targets.size());
    m.worstGap = std::max(m.worstGap, gap);
  }
  return m;
}

std::string_view name(LinearMethod method) {
  switch (method) {
    case LinearMethod::BlockJacobi:
      return "block Jacobi";
    case LinearMethod::Cholesky:
      return "CHOLMOD";
    case LinearMethod::Multigrid:
      break;
  }
  return "multigrid";
}

}  // namespace pneuma::flesh::embedded
