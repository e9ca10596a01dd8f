#include "pneuma/flesh/figure_bellies.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/error.h"
#include "pneuma/flesh/belly_shape.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::flesh {
namespace {

constexpr double kUpdate = 0.05;  // [s] of settling

BellyConfig shapeOf(const anatomy::Belly& b, const BellyConfig& base) {
  BellyConfig config = base;
  config.elasticityHorizontal = b.elasticityHorizontal;
  config.elasticityVertical = b.elasticityVertical;
  config.curvatureHorizontal = b.curvatureHorizontal;
  config.curvatureVertical = b.curvatureVertical;
  if (b.mass > 0) config.totalMass = b.mass;
  return config;
}

/// Bellies that have a zone, or hold another one's.
std::set<std::string> tiedBellies(const anatomy::Body& body) {
  std::set<std::string> names;
  for (const anatomy::Belly& b : body.bellies)
    for (const anatomy::BellyZone& zone : b.zones) names.insert({b.name, zone.to});
  return names;
}

}  // namespace

BellyConfig scaledToMass(BellyConfig config, double particleMass, double highestFrequency,
                         double dampingRate) {
  // The bound on the stiffest oscillation that BellyModel uses, solved for the common factor.
  const double stiffness = 4 * (config.elasticityHorizontal + config.elasticityVertical +
                                config.curvatureHorizontal + config.curvatureVertical) +
                           config.goalStiffness + config.shapeStiffness;
  const double factor =
      stiffness > 0 ? particleMass * highestFrequency * highestFrequency / stiffness : 0;
  config.elasticityHorizontal *= factor;
  config.elasticityVertical *= factor;
  config.curvatureHorizontal *= factor;
  config.curvatureVertical *= factor;
  config.goalStiffness *= factor;
  config.shapeStiffness *= factor;
  config.damping = dampingRate * particleMass;
  return config;
}

FigureBellies::FigureBellies(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                             const skeleton::Model& model, const FigureBellyConfig& config) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  const std::set<std::string> tied = tiedBellies(body);
  for (const anatomy::CompiledMuscle& m : compiled.muscles) {
    if (m.belly.empty()) continue;
    const auto described = std::ranges::find(body.bellies, m.belly, &anatomy::Belly::name);
    if (described == body.bellies.end())
      throw InputError(Diagnostic{.subject = "muscle '" + m.name + "'",
                                  .field = "belly",
                                  .message = "unknown belly '" + m.belly + "'"});
    if (!(m.volume > 0) && m.profile.size() < 2 && described->sections.empty())
      throw InputError(Diagnostic{.subject = "muscle '" + m.name + "'",
                                  .field = "volume",
                                  .message = "is not given",
                                  .expected = "a volume, a profile, or sections of its belly"});
    std::vector<LinePoint> points;
    std::vector<Vec3> rest;
    for (const anatomy::CompiledPoint& p : m.points) {
      const auto link = static_cast<std::size_t>(p.link);
      points.push_back({links[link], p.position - compiled.links[link].center});
      rest.push_back(p.position);
    }
    const ActionLine line(rest, m.tendonOrigin, m.tendonInsertion);
    const int slices = described->slices, around = described->pointsPerSlice;
    const BellyGrid grid =
        !described->sections.empty() ? makeSectioned(line, described->sections, m.volume,
                                                     described->rotation, slices, around)
        : m.profile.size() >= 2
            ? makeProfiled(line, m.profile, slices, around)
            : makeFusiformOfVolume(line, m.volume, config.exponent, slices, around);
    BellyConfig shape = shapeOf(*described, config.belly);
    if (!tied.contains(m.belly)) shape.goalStiffness = 0;
    const BellyConfig scaled =
        scaledToMass(shape, BellyModel(grid, shape).particleMass(), config.highestFrequency,
                     2 * described->damping * config.dampingRate);
    const Vec3 reference = ringReference(rest);
    parts_.push_back({m.belly, std::move(points), reference,
                      Belly(std::make_shared<BellyModel>(grid, scaled), grid, line, reference)});
  }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const anatomy::BellyZone& zone :
         std::ranges::find(body.bellies, parts_[p].name, &anatomy::Belly::name)->zones)
      addZone(p, zone, body, compiled, links);
}

void FigureBellies::addZone(std::size_t index, const anatomy::BellyZone& described,
                            const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                            const std::vector<int>& links) {
  Part& part = parts_[index];
  const auto bone = std::ranges::find(body.bones, described.to, &anatomy::Bone::name);
  if (bone != body.bones.end()) {
    const auto l = static_cast<std::size_t>(
        compiled.boneLink[static_cast<std::size_t>(bone - body.bones.begin())]);
    const Vec3 center = compiled.links[l].center;
    Vec3 end = center;
    for (const anatomy::CompiledLink& child : compiled.links)
      if (child.parent == static_cast<int>(l)) end = child.center;
    std::vector<Vec3> facing;
    for (int i = 0; i <= 20; ++i) facing.push_back(center + i / 20.0 * (end - center));
    for (const int particle : zoneParticles(part.belly, described, facing)) {
      const Vec3 p = part.belly.state().position(particle);
      part.ties.push_back({links[l], p - center, part.belly.goals().size()});
      part.belly.goals().push_back({.particles = {particle, 0, 0}, .target = p});
    }
    return;
  }
  const auto other = std::ranges::find(parts_, described.to, &Part::name);
  if (other == parts_.end())
    throw InputError(Diagnostic{.where = described.where.position(),
                                .subject = "belly '" + part.name + "'",
                                .field = "zone",
                                .message = "unknown bone or belly '" + described.to + "'"});
  std::vector<Vec3> facing;
  other->belly.state().positions(facing);
  const std::vector<int> particles = zoneParticles(part.belly, described, facing);
  if (!particles.empty())
    bellyTies_.push_back({static_cast<int>(index), static_cast<int>(other - parts_.begin()),
                          BellyTie(part.belly, other->belly, particles)});
}

void FigureBellies::moveBoneTies(Part& part, std::span<const Pose> X_WL) {
  for (const BoneTie& tie : part.ties)
    part.belly.moveGoal(tie.goal, X_WL[at(tie.link)] * tie.place);
}

Vec3 FigureBellies::findLine(const Part& part, std::span<const Pose> X_WL) {
  points_.clear();
  for (const LinePoint& p : part.points) points_.push_back(X_WL[at(p.link)] * p.local);
  const auto turn = [&](const LinePoint& p) { return Quat(X_WL[at(p.link)].rotation); };
  const Quat half = turn(part.points.front()).slerp(0.5, turn(part.points.back()));
  return half * part.reference;
}

void FigureBellies::moveBellyTies() {
  for (const Tie& tie : bellyTies_)
    tie.tie.update(parts_[at(tie.part)].belly, parts_[at(tie.other)].belly);
}

void FigureBellies::aim(std::span<const Pose> X_WL) {
  for (Part& part : parts_) {
    const Vec3 reference = findLine(part, X_WL);
    part.belly.aim(points_, reference);
    moveBoneTies(part, X_WL);
  }
  moveBellyTies();
}

void FigureBellies::follow(const skeleton::Kinematics& kinematics, double dt) {
  // All lines first: what is tied to another belly looks at where that one is in this pose.
  for (Part& part : parts_) {
    const Vec3 reference = findLine(part, kinematics.X_WL);
    part.belly.moveLine(points_, reference);
    moveBoneTies(part, kinematics.X_WL);
  }
  moveBellyTies();
  for (Part& part : parts_) {
    try {
      part.belly.advance(dt);
    } catch (const SimulationError& error) {
      throw SimulationError(error.time(), "belly '" + part.name + "'", error.cause());
    }
  }
}

void FigureBellies::settle(const skeleton::Kinematics& kinematics, double seconds) {
  for (double t = 0; t < seconds; t += kUpdate) follow(kinematics, kUpdate);
}

}  // namespace pneuma::flesh
