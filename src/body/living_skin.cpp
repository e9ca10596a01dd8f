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
    : model_(&model),
      parts_(surface.parts),
      wall_(wallParticles(model.cage)),
      posture_(model.tree),
      q_(model.tree.neutral) {
  for (const std::int32_t i : wall_)
    wallRest_.push_back(model.cage.rest[static_cast<std::size_t>(i)]);
  wallNow_ = wallRest_;
  const skin::PointTrace trace{kWallTrace, wallRest_, wallNow_};
  driver_ = skin::makeWeightsSkin(surface, *model.body, model.compiled, cache, {&trace, 1});
}

void LivingSkin::pose(const LivingState& state, const LivingWorkspace& workspace,
                      std::span<Vec3> positions) {
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
  const skin::PointTrace trace{kWallTrace, wallRest_, wallNow_};
  skin::SkinInputs inputs;
  inputs.bones = bones_;
  inputs.posture = postureBones_;
  inputs.traces = {&trace, 1};
  inputs.gas = workspace.cage().reading().lungVolume - model_->cage.restLung;
  driver_->pose(inputs, positions);
}

}  // namespace pneuma::body
