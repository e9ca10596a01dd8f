#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flesh/belly/link_mass.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/flesh/grid_link_system.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::flesh {
namespace {

constexpr double kEndRadius = 0.45;  // of a spindle's ends, part of its belly's (the preset's 0.55)
constexpr double kSlender = 0.1;     // first guess of a belly's radius, part of its length
constexpr double kSpread = 0.3;      // of tendons on bone against the muscle's end
constexpr double kPreStrain = 0.005;  // of tendons at rest, as in makeBicepsOnArm

const anatomy::CompiledMuscle& findLine(const anatomy::CompiledBody& body,
                                        const GridMuscleRequest& request) {
  std::vector<std::string> names;
  for (const anatomy::CompiledMuscle& m : body.muscles) {
    if (m.name == request.line) return m;
    names.push_back(m.name);
  }
  throw InputError(Diagnostic{.subject = "grid muscle",
                              .message = fmt::format("unknown line '{}'", request.line),
                              .nearest = nearestName(request.line, names)});
}

void requireSolid(const anatomy::CompiledMuscle& m, double volume) {
  const auto refuse = [&](const char* message, const char* expected) {
    throw InputError(Diagnostic{.subject = fmt::format("grid muscle '{}'", m.name),
                                .message = message,
                                .expected = expected});
  };
  if (!(volume > 0 && m.peakForce > 0)) refuse("has no volume or no force", "a muscle that pulls");
  if (m.points.front().link == m.points.back().link)
    refuse("begins and ends on one link", "ends on two links");
}

/// A spindle between two points, of a volume.
GridShape spindle(const GridSize& size, const Vec3& from, const Vec3& to, double volume) {
  const double length = (to - from).norm();
  const auto make = [&](double radius) {
    return makeFusiformGrid(size, length, radius, kEndRadius * radius);
  };
  const double guess = kSlender * length;
  const GridShape first = make(guess);
  const GridSolid solid = makeGridSolid(first, muscleMaterial());
  const double radius = guess * std::sqrt(volume / totalVolume(solid, toVector(solid.rest)));
  GridShape shape = make(radius);
  const Mat3 turn = Quat::FromTwoVectors(Vec3::UnitX(), (to - from) / length).toRotationMatrix();
  for (Vec3& p : shape.positions) p = from + turn * p;
  return shape;
}

/// The heaviest link between two: those above one end that are not above both, and the ends.
int heaviestBetween(const skeleton::Model& tree, int a, int b) {
  const int common = tree.commonAncestor(a, b);
  int heaviest = a;
  for (const int end : {a, b})
    for (int l = end; l >= 0 && l != common; l = tree.links[at(l)].parent)
      if (tree.links[at(l)].inertia.mass > tree.links[at(heaviest)].inertia.mass) heaviest = l;
  return heaviest;
}

void takeMass(const GridMusclePlan& plan, skeleton::Model& tree) {
  skeleton::Link& link = tree.links[at(plan.carrier)];
  const Pose toLink = link.X_WL_rest.inverse();
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (std::size_t i = 0; i < plan.model.solid.rest.size(); ++i) {
    const Vec3 x = toLink * plan.model.solid.rest[i];
    const double m = plan.model.solid.mass[i];
    mass += m, first += m * x, second += m * x * x.transpose();
  }
  const RigidInertia left = internal::without(link.inertia, mass, first, second);
  if (!(left.mass > 0) || !internal::isBody(left, link.inertia))
    throw InputError(Diagnostic{.subject = fmt::format("grid muscle '{}'", plan.name),
                                .message = fmt::format("weighs {:.2f} kg, link '{}' {:.2f} kg",
                                                       mass, link.name, link.inertia.mass),
                                .expected = "a muscle lighter than what carries it"});
  link.inertia = left;
}

}  // namespace

GridMusclePlan planGridMuscle(const anatomy::CompiledBody& body, const GridMuscleRequest& request,
                              skeleton::Model& tree) {
  const anatomy::CompiledMuscle& line = findLine(body, request);
  const double volume = line.volume > 0 ? line.volume : line.pcsa * line.fiberLength;
  requireSolid(line, volume);
  const std::vector<int> links = skeleton::linkIndices(body, tree);
  GridMusclePlan plan;
  plan.name = line.name;
  plan.links = {links[at(line.points.front().link)], links[at(line.points.back().link)]};
  plan.carrier = heaviestBetween(tree, plan.links[0], plan.links[1]);
  // The fibres are as long as the line says; tendons share what is left as the line has them.
  const Vec3 origin = line.points.front().position, insertion = line.points.back().position;
  const double whole = (insertion - origin).norm();
  const double belly = std::clamp(line.fiberLength, 0.3 * whole, 0.85 * whole);
  const double tendons = line.tendonOrigin + line.tendonInsertion;
  const double before = (whole - belly) * (tendons > 0 ? line.tendonOrigin / tendons : 0.5);
  const double margin = 0.05 * whole;
  const double start = std::clamp(before, margin, whole - belly - margin);
  const Vec3 way = (insertion - origin) / whole;
  const GridShape shape =
      spindle(request.grid, origin + start * way, origin + (start + belly) * way, volume);
  GridModel& model = plan.model;
  model.solid = makeGridSolid(shape, muscleMaterial());
  model.gravity = tree.gravity;
  model.anchors = {fixedAnchor(), fixedAnchor()};
  GridMuscleConfig config;
  config.maxForce = line.peakForce;
  addFibres(model, config);
  addTendonsToPoint(model, GridEnd::First, 0, origin, kSpread, kPreStrain, config);
  addTendonsToPoint(model, GridEnd::Last, 1, insertion, kSpread, kPreStrain, config);
  model.activation =
      ActivationTrace({{0, request.excitation}}, config.dynamics, request.excitation);
  takeMass(plan, tree);
  return plan;
}

}  // namespace pneuma::flesh
