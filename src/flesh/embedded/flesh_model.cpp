#include "pneuma/flesh/embedded/flesh_model.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::flesh::embedded {
namespace {

void require(bool good, const std::string& field, const std::string& message) {
  if (!good)
    throw InputError(Diagnostic{.subject = "flesh model", .field = field, .message = message});
}

}  // namespace

void check(const FleshModel& m) {
  require(m.lattice != nullptr && m.lattice->tetCount() > 0, "lattice", "is missing");
  const std::size_t tets = m.lattice->tetCount();
  require(m.tissue.size() == tets, "tissue",
          fmt::format("has {} entries for {} tetrahedra", m.tissue.size(), tets));
  for (const TissueMaterial& t : m.tissue)
    require(t.mu10 >= 0 && t.mu01 >= 0 && t.kappa > 0 && t.shearModulus() > 0, "tissue",
            fmt::format("has constants {}, {}, {} Pa, expected mu >= 0, kappa > 0", t.mu10, t.mu01,
                        t.kappa));
  require(m.density.empty() || m.density.size() == tets, "density",
          "has another size than the lattice");
  require(m.fixed.empty() || m.fixed.size() == std::size_t(m.lattice->freeCount), "fixed",
          "has another size than the free nodes");
  for (const Fibre& f : m.fibres)
    require(f.tet >= 0 && std::size_t(f.tet) < tets && f.line >= 0 && f.line < m.lineCount &&
                f.share >= 0 && std::isfinite(f.share) && f.direction.norm() > 0.1 &&
                f.direction.norm() < 10,
            "fibres", fmt::format("tetrahedron {}, line {}, share {}", f.tet, f.line, f.share));
  for (const Anchor& a : m.anchors)
    require(a.place.tet >= 0 && std::size_t(a.place.tet) < tets && a.stiffness > 0, "anchors",
            fmt::format("tetrahedron {}, stiffness {} N/m", a.place.tet, a.stiffness));
}

std::vector<double> nodeMasses(const FleshModel& model) {
  if (model.density.empty()) return {};
  const Lattice& l = *model.lattice;
  std::vector<double> mass(std::size_t(l.freeCount), 0);
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const double quarter = 0.25 * double(model.density[t]) * double(l.share[t]) * l.volume(t);
    for (const std::int32_t n : l.tets[t])
      for (std::int32_t e = l.bindings.start[n]; e < l.bindings.start[n + 1]; ++e)
        mass[std::size_t(l.bindings.column[e])] += double(l.bindings.weight[e]) * quarter;
  }
  return mass;
}

FleshModel makeUniformFlesh(std::shared_ptr<const Lattice> lattice, const TissueMaterial& tissue) {
  FleshModel model;
  model.tissue.assign(lattice->tetCount(), tissue);
  model.lattice = std::move(lattice);
  return model;
}

}  // namespace pneuma::flesh::embedded
