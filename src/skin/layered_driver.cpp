#include "pneuma/skin/layered_driver.h"

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::skin {
namespace {

constexpr int kRounds = 3;              // of floor and volume law
constexpr double kCageSpacing = 0.006;  // of samples that keep their depth [m]

}  // namespace

LayeredDriver::LayeredDriver(TriangleMesh rest, std::unique_ptr<PoseDriver> pose,
                             std::unique_ptr<BreathLayer> breath, std::unique_ptr<BoneFloor> floor)
    : rest_(std::move(rest)),
      pose_(std::move(pose)),
      breath_(std::move(breath)),
      floor_(std::move(floor)),
      motions_(rest_.vertexCount()),
      displacements_(rest_.vertexCount(), Vec3::Zero()) {
  if (breath_) law_ = std::make_unique<VolumeLaw>(rest_.triangles, breath_->mobility());
}

void LayeredDriver::pose(const SkinInputs& inputs, std::span<Vec3> positions) {
  PNEUMA_CHECK(positions.size() == rest_.vertexCount(), "{} positions for {} vertices",
               positions.size(), rest_.vertexCount());
  pose_->carry(inputs.posture.empty() ? inputs.bones : inputs.posture, motions_);
  const auto place = [&] {
    parallelFor(positions.size(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        positions[v] = motions_[v] * (rest_.positions[v] + displacements_[v]);
    });
  };
  report_ = {};
  if (!breath_) {
    place();
    report_.posedVolume = report_.volume = enclosedVolume(positions, rest_.triangles);
    return;
  }
  std::ranges::fill(displacements_, Vec3::Zero());
  place();
  report_.posedVolume = law_->volume(positions);
  breath_->displace(inputs, displacements_);
  place();
  for (int round = 0; round < kRounds; ++round) {
    if (floor_) {
      const double push = floor_->apply(inputs.bones, positions);
      if (round == 0) report_.push = push;
    }
    report_.correction +=
        law_->apply(report_.posedVolume + inputs.gas, positions,
                    floor_ ? floor_->held() : std::span<const double>(), round + 1);
  }
  report_.volume = law_->volume(positions);
}

std::vector<BoneSample> sampleCage(const anatomy::Body& body, const anatomy::GeometryCache& cache) {
  return sampleBones(body, cache, kCageSpacing,
                     [](const anatomy::Bone& b) { return isCageBone(b.name); });
}

std::unique_ptr<LayeredDriver> makeWeightsSkin(const anatomy::SkinSurface& surface,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               const anatomy::GeometryCache& cache,
                                               std::span<const PointTrace> traces) {
  JointGroups groups = makeJointGroups(body, compiled);
  SkinWeights weights = makeSkinWeights(surface, body, groups, cache);
  auto breath =
      std::make_unique<BreathLayer>(makeBreathLayer(surface, weights, groups, body, cache, traces));
  auto floor = std::make_unique<BoneFloor>(surface.mesh, overTheCage(surface),
                                           sampleCage(body, cache), kLeastRibDepth);
  auto pose = std::make_unique<WeightsDriver>(std::move(groups), std::move(weights));
  return std::make_unique<LayeredDriver>(surface.mesh, std::move(pose), std::move(breath),
                                         std::move(floor));
}

}  // namespace pneuma::skin
