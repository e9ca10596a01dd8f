#include "pneuma/body/living_flesh.h"

#include <algorithm>
#include <cmath>

#include "pneuma/body/bone_motions.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skeleton/pose_maker.h"

namespace pneuma::body {
namespace {

namespace embedded = flesh::embedded;

constexpr const char* kDome = "diaphragm";
constexpr const char* kAbdomen = "abdominal wall";
constexpr int kLatticeSkin = 80000;  // triangles of the skin that the lattice fills

/// Surfaces of named shapes, each made once and kept.
std::vector<embedded::NamedSolid> solids(
    const std::vector<std::pair<std::string, const anatomy::BoneShape*>>& shapes,
    const anatomy::GeometryCache& cache) {
  std::vector<embedded::NamedSolid> result(shapes.size());
  parallelFor(shapes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      result[i].name = shapes[i].first;
      if (shapes[i].second) result[i].mesh = cache.boneMesh(*shapes[i].second, anatomy::kLightBone);
    }
  });
  return result;
}

std::vector<embedded::NamedSolid> boneSolids(const anatomy::Body& body,
                                             const anatomy::GeometryCache& cache) {
  std::vector<std::pair<std::string, const anatomy::BoneShape*>> shapes;
  for (const anatomy::Bone& b : body.bones) {
    const auto s = std::ranges::find(body.shapes, b.name, &anatomy::Shape::bone);
    shapes.emplace_back(b.name, s == body.shapes.end() ? nullptr : &s->shape);
  }
  return solids(shapes, cache);
}

/// The first bone of the link that each bone's link is jointed to; links without bones are passed
/// over.
std::vector<std::int32_t> boneParents(const LivingModel& model) {
  const auto linkOf = [&](std::size_t bone) { return std::max(0, model.boneLink[bone]); };
  std::vector<std::int32_t> firstBone(model.tree.links.size(), -1);
  for (std::size_t b = model.boneLink.size(); b-- > 0;)
    firstBone[at(linkOf(b))] = static_cast<std::int32_t>(b);
  std::vector<std::int32_t> parents;
  for (std::size_t b = 0; b < model.boneLink.size(); ++b) {
    int link = model.tree.links[at(linkOf(b))].parent;
    while (link >= 0 && firstBone[at(link)] < 0) link = model.tree.links[at(link)].parent;
    parents.push_back(link < 0 ? -1 : firstBone[at(link)]);
  }
  return parents;
}

/// Bones with each joint at either end of its range, those that follow it moved along.
std::vector<std::vector<Pose>> extremes(const LivingModel& model) {
  const skeleton::PoseMaker maker(model.compiled, model.tree);
  skeleton::Kinematics kinematics(model.tree);
  std::vector<std::vector<Pose>> poses;
  for (const skeleton::Freedom& f : maker.freedoms()) {
    if (!f.limited || !f.shares.empty()) continue;
    for (const double angle : {f.lower, f.upper}) {
      const skeleton::JointSetting setting{f.name, angle};
      skeleton::computePoses(model.tree, maker.make({&setting, 1}), kinematics);
      boneMotions(model, kinematics, poses.emplace_back());
    }
  }
  return poses;
}

/// Solids of tissue that pulls; sheets of collagen among the measured solids are none.
std::vector<embedded::NamedSolid> muscleSolids(const anatomy::Body& measured,
                                               const anatomy::Person& person,
                                               const anatomy::GeometryCache& cache) {
  const std::vector<anatomy::Shape> all =
      anatomy::personMuscles(anatomy::skinModelOf(measured), measured, person);
  const auto collagen = [](const std::string& name) {
    return name.starts_with("calcaneal_tendon") || name.starts_with("iliotibial_tract") ||
           name.starts_with("interosseous_membrane");
  };
  std::vector<std::pair<std::string, const anatomy::BoneShape*>> shapes;
  for (const anatomy::Shape& s : all)
    if (!collagen(s.bone)) shapes.emplace_back(s.bone, &s.shape);
  return solids(shapes, cache);
}

std::vector<embedded::FleshLine> linesOf(const anatomy::CompiledBody& compiled) {
  std::vector<embedded::FleshLine> lines;
  for (const anatomy::CompiledMuscle& m : compiled.muscles) {
    const double along = (m.restLength - m.tendonLength) / m.fiberLength;
    embedded::FleshLine line{.name = m.name,
                             .muscle = m.muscle,
                             .volume = m.pcsa * m.fiberLength,
                             .force = m.peakForce,
                             .section = m.pcsa,
                             .restFibre = std::hypot(along, std::sin(m.pennation)),
                             .originBone = m.points.front().bone,
                             .insertionBone = m.points.back().bone};
    for (const anatomy::CompiledPoint& p : m.points) line.points.push_back(p.position);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// A surface of the cage in a numbering of its own.
embedded::FleshWall wallOf(const char* name, const breath::CageModel& cage,
                           std::vector<Triangle> triangles, const std::vector<std::int32_t>& used) {
  embedded::FleshWall wall{.name = name, .triangles = std::move(triangles)};
  for (Triangle& t : wall.triangles)
    for (std::int32_t& i : t)
      i = static_cast<std::int32_t>(std::ranges::lower_bound(used, i) - used.begin());
  for (const std::int32_t i : used) wall.rest.push_back(cage.rest[at(i)]);
  return wall;
}

std::vector<std::int32_t> pointsOf(const std::vector<Triangle>& triangles) {
  std::vector<std::int32_t> used;
  for (const Triangle& t : triangles) used.insert(used.end(), t.begin(), t.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace

embedded::FleshAnatomy fleshAnatomy(const LivingModel& model, const anatomy::Body& measured,
                                    const anatomy::CompiledBody& lines, bool walls,
                                    const anatomy::GeometryCache& cache) {
  embedded::FleshAnatomy a;
  a.muscles = muscleSolids(measured, model.body->person, cache);
  a.bones = boneSolids(*model.body, cache);
  a.boneParents = boneParents(model);
  a.extremes = extremes(model);
  a.lines = linesOf(lines);
  a.lungs = breath::lungSurface(model.cage, model.cage.rest);
  a.gut = breath::gutSurface(model.cage, model.cage.rest);
  if (walls) {
    a.walls.push_back(wallOf(kDome, model.cage, model.cage.dome, pointsOf(model.cage.dome)));
    a.walls.push_back(wallOf(kAbdomen, model.cage, model.cage.wall, pointsOf(model.cage.wall)));
  }
  return a;
}

std::shared_ptr<const embedded::BodyFlesh> makeFlesh(const LivingModel& model,
                                                     const anatomy::Body& measured,
                                                     const anatomy::CompiledBody& lines,
                                                     const FleshOptions& options,
                                                     const anatomy::GeometryCache& cache) {
  const anatomy::SkinSurface skin =
      anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, model.body->person,
                               {.triangles = kLatticeSkin}, cache);
  auto lattice = std::make_shared<const embedded::Lattice>(embedded::cachedLattice(
      skin.mesh, embedded::LatticeConfig::of(options.level), cache.folder()));
  return std::make_shared<const embedded::BodyFlesh>(embedded::makeBodyFlesh(
      std::move(lattice), skin.mesh, fleshAnatomy(model, measured, lines, options.walls, cache),
      embedded::TissueConstants::of(options.preset)));
}

LivingFlesh::LivingFlesh(const LivingModel& model, std::shared_ptr<const embedded::BodyFlesh> flesh,
                         const TriangleMesh& skin, const skin::FleshEffects& effects,
                         std::unique_ptr<skin::LayeredDriver> guide,
                         const skin::FleshDriver::Settings& settings)
    : model_(&model),
      driver_(std::make_unique<skin::FleshDriver>(std::move(flesh), skin, settings, effects,
                                                  std::move(guide))) {
  if (driver_->flesh().walls.empty()) return;
  used_ = {pointsOf(model.cage.dome), pointsOf(model.cage.wall)};
  walls_.resize(used_.size());
}

void LivingFlesh::pose(const LivingState& state, const LivingWorkspace& workspace,
                       std::span<Vec3> positions) {
  boneMotions(*model_, workspace.kinematics(), bones_);
  const breath::PointArray& points = workspace.cage().points();
  std::vector<skin::PointTrace> traces;
  for (std::size_t w = 0; w < used_.size(); ++w) {
    walls_[w].clear();
    for (const std::int32_t i : used_[w]) walls_[w].push_back(points[at(i)]);
    const embedded::FleshWall& wall = driver_->flesh().walls[w];
    traces.push_back({wall.name, wall.rest, walls_[w]});
  }
  skin::SkinInputs inputs;
  inputs.bones = bones_;
  inputs.traces = traces;
  inputs.gas = workspace.cage().reading().lungVolume - model_->cage.restLung;
  inputs.time = state.time();
  driver_->pose(inputs, positions);
}

}  // namespace pneuma::body
