#include <algorithm>

#include "pneuma/core/error.h"
#include "pneuma/skin/bone_samples.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::skin {
namespace {

constexpr double kCageSpacing = 0.006;  // of samples that keep their depth [m]

/// A binding may come from a file.
void checkBinding(const SkinBinding& binding, std::size_t vertices, const JointGroups& groups) {
  bool fits = binding.weights.vertices.size() == vertices && binding.slide.size() == vertices;
  fits = fits && (binding.weights.limbs.empty() || binding.weights.limbs.size() == vertices);
  for (const auto* list : {&binding.weights.vertices, &binding.weights.limbs})
    for (const SkinWeights::Vertex& v : *list)
      for (const std::int32_t g : v.group) fits = fits && g >= 0 && g < groups.count();
  const auto ofBody = [&](const BoneSample& s) {
    return s.bone >= 0 && static_cast<std::size_t>(s.bone) < groups.ofBone.size();
  };
  fits = fits && std::ranges::all_of(binding.trunk, ofBody) &&
         std::ranges::all_of(binding.cage, ofBody);
  if (!fits) throw InputError("skin: the binding belongs to another skin or body");
}

}  // namespace

std::vector<BoneSample> sampleCage(const anatomy::Body& body, const anatomy::GeometryCache& cache) {
  return sampleBones(body, cache, kCageSpacing,
                     [](const anatomy::Bone& b) { return isCageBone(b.name); });
}

std::vector<double> skinSlide(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                              const anatomy::GeometryCache& cache) {
  return skinSlide(surface, body, sampleAllBones(body, cache).all);
}

std::unique_ptr<SkinTension> makeSkinTension(const anatomy::SkinSurface& surface,
                                             const anatomy::Body& body,
                                             const anatomy::GeometryCache& cache) {
  return std::make_unique<SkinTension>(surface.mesh, skinSlide(surface, body, cache));
}

SkinBinding bindSkin(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                     const anatomy::CompiledBody& compiled, const anatomy::GeometryCache& cache) {
  return bindSkin(surface, body, compiled, sampleAllBones(body, cache));
}

std::unique_ptr<LayeredDriver> makeWeightsSkin(const anatomy::SkinSurface& surface,
                                               const SkinBinding& binding,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               std::span<const PointTrace> traces) {
  JointGroups groups = makeJointGroups(body, compiled);
  checkBinding(binding, surface.mesh.vertexCount(), groups);
  auto breath = std::make_unique<BreathLayer>(
      makeBreathLayer(surface, binding.weights, groups, body, binding.trunk, traces));
  auto floor =
      std::make_unique<BoneFloor>(surface.mesh, overTheCage(surface), binding.cage, kLeastRibDepth);
  auto pose = std::make_unique<WeightsDriver>(std::move(groups), binding.weights);
  return std::make_unique<LayeredDriver>(
      surface.mesh, std::move(pose), std::move(breath), std::move(floor),
      std::make_unique<SkinTension>(surface.mesh, binding.slide));
}

std::unique_ptr<LayeredDriver> makeWeightsSkin(const anatomy::SkinSurface& surface,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               const anatomy::GeometryCache& cache,
                                               std::span<const PointTrace> traces) {
  return makeWeightsSkin(surface, bindSkin(surface, body, compiled, cache), body, compiled, traces);
}

}  // namespace pneuma::skin
