#include <fmt/format.h>

#include <cmath>

#include "flesh/grid/grid_terms.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {
namespace {

void requirePositive(const char* field, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError(Diagnostic{.subject = "muscle",
                                .field = field,
                                .message = fmt::format("value {} is not usable", value),
                                .expected = "a number > 0"});
}

void requireConfig(const GridModel& model, const GridMuscleConfig& config) {
  requirePositive("force", config.maxForce);
  requirePositive("tendon", config.tendonSlack);
  requirePositive("max-velocity", config.maxVelocity);
  if (config.optimalLength < 0 || !std::isfinite(config.optimalLength))
    requirePositive("optimal-length", config.optimalLength);
  if (!(config.pennation >= 0 && config.pennation <= kPi / 3))
    throw InputError(Diagnostic{.subject = "muscle",
                                .field = "pennation",
                                .message = fmt::format("angle {} rad", config.pennation),
                                .expected = "an angle in [0, 60] degrees"});
  if (model.solid.size.isSurface()) throw InputError("muscle: fibres need a solid, not a surface");
}

/// Share of a section that node (j, k) of a section stands for: a quarter of the quads around it.
std::vector<double> sectionShares(const GridSolid& solid, int i) {
  const GridSize& s = solid.size;
  std::vector<double> share(static_cast<std::size_t>(s.n * s.o), 0.0);
  const auto x = [&](int j, int k) {
    return solid.rest[static_cast<std::size_t>(s.index(i, j, k))];
  };
  double total = 0;
  if (s.isSurface())
    for (int j = 0; j + 1 < s.n; ++j) {
      const double length = (x(j + 1, 0) - x(j, 0)).norm();
      total += length;
      share[static_cast<std::size_t>(j)] += length / 2;
      share[static_cast<std::size_t>(j + 1)] += length / 2;
    }
  for (int j = 0; j + 1 < s.n; ++j)
    for (int k = 0; k + 1 < s.o; ++k) {
      const double area = 0.5 * (x(j + 1, k + 1) - x(j, k)).cross(x(j, k + 1) - x(j + 1, k)).norm();
      total += area;
      for (int dj = 0; dj < 2; ++dj)
        for (int dk = 0; dk < 2; ++dk)
          share[static_cast<std::size_t>((j + dj) * s.o + k + dk)] += area / 4;
    }
  for (double& value : share) value /= total;
  return share;
}

}  // namespace

void addFibres(GridModel& model, const GridMuscleConfig& config) {
  requireConfig(model, config);
  const GridSolid& solid = model.solid;
  const GridSize& s = solid.size;
  model.curves = muscle::ZajacCurves(config.curves);
  model.maxVelocity = config.maxVelocity;

  // Mean rest length of the lines, weighted by their share in the middle of the muscle.
  const std::vector<double> share = sectionShares(solid, s.m / 2);
  const auto rest = [&](int i, int line) {
    return solid.rest[static_cast<std::size_t>(i * s.n * s.o + line)];
  };
  double meanLength = 0;
  for (int line = 0; line < s.n * s.o; ++line)
    for (int i = 0; i + 1 < s.m; ++i)
      meanLength +=
          share[static_cast<std::size_t>(line)] * (rest(i + 1, line) - rest(i, line)).norm();
  const double cosine = std::cos(config.pennation);
  const double chord = config.optimalLength > 0 ? config.optimalLength * cosine : meanLength;

  // Optimal length of a piece: its rest chord scaled to the optimum, measured along the fibre.
  for (int i = 0; i + 1 < s.m; ++i)
    for (int line = 0; line < s.n * s.o; ++line) {
      const double piece = (rest(i + 1, line) - rest(i, line)).norm() * chord / meanLength;
      const double optimal = piece / cosine;
      model.fibres.push_back({i * s.n * s.o + line, (i + 1) * s.n * s.o + line,
                              config.maxForce * share[static_cast<std::size_t>(line)], optimal,
                              optimal * std::sin(config.pennation)});
    }
}

std::vector<std::pair<int, double>> endNodes(const GridSolid& solid, GridEnd end) {
  const int i = end == GridEnd::First ? 0 : solid.size.m - 1;
  // The share in the middle, so that fibres and tendons of a line carry the same force.
  const std::vector<double> share = sectionShares(solid, solid.size.m / 2);
  std::vector<std::pair<int, double>> nodes;
  for (int line = 0; line < solid.size.n * solid.size.o; ++line)
    nodes.emplace_back(i * solid.size.n * solid.size.o + line,
                       share[static_cast<std::size_t>(line)]);
  return nodes;
}

void addTendonsToPlane(GridModel& model, GridEnd end, int anchor, const GridMuscleConfig& config) {
  requireConfig(model, config);
  const auto first = endNodes(model.solid, GridEnd::First),
             last = endNodes(model.solid, GridEnd::Last);
  Vec3 axis = Vec3::Zero();
  for (std::size_t i = 0; i < first.size(); ++i)
    axis += model.solid.rest[static_cast<std::size_t>(last[i].first)] -
            model.solid.rest[static_cast<std::size_t>(first[i].first)];
  axis.normalize();
  const bool atFirst = end == GridEnd::First;
  for (const auto& [id, share] : atFirst ? first : last) {
    const Vec3 out = (atFirst ? -1.0 : 1.0) * config.tendonSlack * axis;
    model.tendons.push_back({id, anchor, model.solid.rest[static_cast<std::size_t>(id)] + out,
                             config.maxForce * share, config.tendonSlack});
  }
}

void addTendonsToPoint(GridModel& model, GridEnd end, int anchor, const Vec3& point, double spread,
                       double preStrain, const GridMuscleConfig& config) {
  requireConfig(model, config);
  const auto nodes = endNodes(model.solid, end);
  Vec3 center = Vec3::Zero();
  for (const auto& [id, share] : nodes)
    center += share * model.solid.rest[static_cast<std::size_t>(id)];
  for (const auto& [id, share] : nodes) {
    const Vec3& x = model.solid.rest[static_cast<std::size_t>(id)];
    const Vec3 target = point + spread * (x - center);
    model.tendons.push_back(
        {id, anchor, target, config.maxForce * share, (target - x).norm() / (1 + preStrain)});
  }
}

void fixEnd(GridModel& model, GridEnd end, int anchor) {
  for (const auto& [id, share] : endNodes(model.solid, end)) model.fixed.push_back({id, anchor});
}

}  // namespace pneuma::flesh
