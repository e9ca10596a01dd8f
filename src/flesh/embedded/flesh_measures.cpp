#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

FleshMeasures FleshSolver::measure(const FleshInputs& inputs, std::span<const Vec3> y) const {
  const Lattice& l = *model().lattice;
  const std::vector<Vec3> x = nodes(y);
  FleshMeasures m;
  m.leastJ = 1e300;
  double squares = 0;
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const auto p = [&](int k) -> const Vec3& { return x[l.tets[t][k]]; };
    const double volume = l.volume(t), rest = volume * double(l.share[t]);
    const double j = (p(1) - p(0)).cross(p(2) - p(0)).dot(p(3) - p(0)) / (6 * volume);
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

FleshVolumes measureVolumes(const BodyFlesh& flesh, std::span<const Vec3> x) {
  const Lattice& l = *flesh.model.lattice;
  FleshVolumes v;
  v.muscles.assign(flesh.muscles.size(), 0);
  const double soft = flesh.compliance[std::size_t(Tissue::Muscle)];
  double rest = 0, now = 0;
  auto share = flesh.muscleShares.begin();  // by tetrahedron
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const Vec3& origin = x[at(l.tets[t][0])];
    const auto edge = [&](std::size_t k) -> Vec3 { return x[at(l.tets[t][k])] - origin; };
    const double volume = l.volume(t);
    const double j = edge(1).cross(edge(2)).dot(edge(3)) / (6 * volume);
    // Of the tetrahedron's material: J - 1 over the mixture's compliance.
    const double material = double(l.share[t]) * volume;
    double mixed = 0;
    for (std::size_t k = 0; k < kTissues; ++k)
      mixed += double(flesh.shares[t][k]) * flesh.compliance[k];
    const double swelling = (j - 1) / mixed;
    for (std::size_t k = 0; k < kTissues; ++k) {
      if (k == std::size_t(Tissue::Lung)) continue;
      const double part = double(flesh.shares[t][k]) * material;
      rest += part, now += part * (1 + swelling * flesh.compliance[k]);
    }
    for (; share != flesh.muscleShares.end() && at(share->tet) == t; ++share)
      v.muscles[at(share->muscle)] += double(share->share) * material * (1 + swelling * soft);
  }
  v.flesh = now / rest;
  for (std::size_t m = 0; m < v.muscles.size(); ++m) {
    const double volume = flesh.muscles[m].volume;
    v.muscles[m] = volume > 0 ? v.muscles[m] / volume : 1;
    if (volume < kLargeMuscle || std::abs(v.muscles[m] - 1) <= std::abs(v.worst - 1)) continue;
    v.worst = v.muscles[m];
    v.worstMuscle = static_cast<std::int32_t>(m);
  }
  return v;
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
