#include "pneuma/body/living_skin.h"

#include <algorithm>

#include "pneuma/body/bone_motions.h"

namespace pneuma::body {
namespace {

constexpr const char* kWallTrace = "wall";

/// Particles of the abdominal wall: what no bone carries.
std::vector<std::int32_t> wallParticles(const breath::CageModel& cage) {
  std::vector<std::int32_t> list;
  for (const Triangle& t : cage.wall)
    for (const std::int32_t i : t)
      if (i < cage.layout.particles) list.push_back(i);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace

LivingSkin::LivingSkin(const LivingModel& model, const anatomy::SkinSurface& surface,
                       const anatomy::GeometryCache& cache)
    : LivingSkin(model, surface, skin::bindSkin(surface, *model.body, model.compiled, cache)) {}

LivingSkin::LivingSkin(const LivingModel& model, const anatomy::SkinSurface& surface,
                       const skin::SkinBinding& binding)
    : model_(&model),
      parts_(surface.parts),
      wall_(wallParticles(model.cage)),
      posture_(model.tree),
      q_(model.tree.neutral) {
  for (const std::int32_t i : wall_)
    wallRest_.push_back(model.cage.rest[static_cast<std::size_t>(i)]);
  wallNow_ = wallRest_;
  trace_ = trace();
  driver_ = skin::makeWeightsSkin(surface, binding, *model.body, model.compiled, {&trace_, 1});
  if (model.bellies.empty()) return;
  flesh::BellySystem bellies(model.bellies, model.tree);
  skeleton::computePoses(model.tree, model.tree.neutral, posture_);
  bellies.place(bellies.makeState(posture_), posture_);
  bellies.readPlaces(swings_);
  driver_->follow(std::make_unique<skin::SwingLayer>(surface.mesh, swings_));
}

void LivingSkin::pose(const LivingState& state, const LivingWorkspace& workspace,
                      std::span<Vec3> positions) {
  driver_->pose(inputs(state, workspace), positions);
}

skin::PointTrace LivingSkin::trace() const {
  return {kWallTrace, wallRest_, wallNow_};
}

skin::SkinInputs LivingSkin::inputs(const LivingState& state, const LivingWorkspace& workspace) {
  // The posture: ribs, sternum and cartilages where their vertebrae would carry them.
  q_ = state.tree.q;
  for (const int l : model_->cage.cageLinks) {
    const skeleton::Link& link = model_->tree.links[static_cast<std::size_t>(l)];
    q_.segment(link.firstPosition, link.positionCount) =
        model_->tree.neutral.segment(link.firstPosition, link.positionCount);
  }
  skeleton::computePoses(model_->tree, q_, posture_);
  boneMotions(*model_, posture_, postureBones_);
  boneMotions(*model_, workspace.kinematics(), bones_);
  const breath::PointArray& points = workspace.cage().points();
  for (std::size_t i = 0; i < wall_.size(); ++i)
    wallNow_[i] = points[static_cast<std::size_t>(wall_[i])];
  trace_ = trace();
  if (workspace.bellies() != nullptr) workspace.bellies()->readSwings(swings_);
  return {.bones = bones_,
          .posture = postureBones_,
          .traces = {&trace_, 1},
          .swings = workspace.bellies() != nullptr ? std::span<const Vec3>(swings_)
                                                   : std::span<const Vec3>(),
          .gas = workspace.cage().reading().lungVolume - model_->cage.restLung};
}

void LivingSkin::breathe(const std::vector<Pose>& links, std::span<const Vec3> wall, double gas,
                         std::span<Vec3> positions) {
  // The posture: links of the cage as their parents carry them.
  const std::vector<anatomy::CompiledLink>& compiled = model_->compiled.links;
  std::vector<Pose> posture;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const int parent = compiled[l].parent;
    const auto p = static_cast<std::size_t>(parent);
    const bool cage = std::ranges::find(model_->cage.cageLinks, model_->linkIndices[l]) !=
                      model_->cage.cageLinks.end();
    const Pose carried = parent < 0 ? Pose{} : posture[p];
    if (cage)
      posture.push_back(carried);
    else
      posture.push_back(parent < 0 ? links[l] : carried * (links[p].inverse() * links[l]));
  }
  skin::boneMotions(model_->compiled, links, bones_);
  skin::boneMotions(model_->compiled, posture, postureBones_);
  trace_ = {kWallTrace, wallRest_, wall};
  driver_->breathe({.bones = bones_, .posture = postureBones_, .traces = {&trace_, 1}, .gas = gas},
                   positions);
}

}  // namespace pneuma::body
