#include "pneuma/skin/layered_driver.h"

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skin/skin_checks.h"
#include "skin/untangle.h"

namespace pneuma::skin {
namespace {

constexpr int kRounds = 4;               // of floor and volume law
constexpr int kMostRounds = 10;          // while a bone still pushes by more than kStillPushed
constexpr double kStillPushed = 1.0e-3;  // [m], of the 1.6 mm that kLeastRibDepth has in hand
constexpr double kCageSpacing = 0.006;   // of samples that keep their depth [m]
constexpr double kFleshSpacing = 0.008;  // of samples that tell how thick the flesh is [m]
/// How far skin slides where it lies on the bone [m]; as far again as the flesh is thick elsewhere.
/// Chosen on three clips and four people: at half of it ribs come out beside a raised arm, at twice
/// nothing is gained.
constexpr double kLeastSlide = 0.02;

}  // namespace

LayeredDriver::LayeredDriver(TriangleMesh rest, std::unique_ptr<PoseDriver> pose,
                             std::unique_ptr<BreathLayer> breath, std::unique_ptr<BoneFloor> floor,
                             std::unique_ptr<SkinTension> tension)
    : rest_(std::move(rest)),
      pose_(std::move(pose)),
      breath_(std::move(breath)),
      floor_(std::move(floor)),
      tension_(std::move(tension)),
      motions_(rest_.vertexCount()),
      still_(rest_.vertexCount()),
      displacements_(rest_.vertexCount(), Vec3::Zero()),
      shifts_(rest_.vertexCount(), Vec3::Zero()) {
  untangler_ = std::make_unique<internal::Untangler>(rest_);
  if (breath_) law_ = std::make_unique<VolumeLaw>(rest_.triangles, breath_->mobility());
}

LayeredDriver::~LayeredDriver() = default;

void LayeredDriver::settle(std::span<const Pose> bones, std::span<const Pose> motions,
                           double volume, std::span<Vec3> positions, LayerReport& report) {
  double push = 0;
  for (int round = 0; round < kRounds || (push > kStillPushed && round < kMostRounds); ++round) {
    if (floor_) push = floor_->apply(bones, positions);
    if (round == 0) report.push = push;
    untangler_->apply(motions, positions);
    report.correction += law_->apply(
        volume, positions, floor_ ? floor_->held() : std::span<const double>(), round + 1);
  }
  report.volume = law_->volume(positions);
}

void LayeredDriver::pose(const SkinInputs& inputs, std::span<Vec3> positions) {
  PNEUMA_CHECK(positions.size() == rest_.vertexCount(), "{} positions for {} vertices",
               positions.size(), rest_.vertexCount());
  pose_->carry(inputs.posture.empty() ? inputs.bones : inputs.posture, motions_);
  if (tension_) tension_->relax(motions_, shifts_);
  const auto place = [&] {
    parallelFor(positions.size(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        positions[v] = motions_[v] * (rest_.positions[v] + displacements_[v]) + shifts_[v];
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
  settle(inputs.bones, motions_, report_.posedVolume + inputs.gas, positions, report_);
}

void LayeredDriver::breathe(const SkinInputs& inputs, std::span<Vec3> positions) {
  PNEUMA_CHECK(positions.size() == rest_.vertexCount(), "{} positions for {} vertices",
               positions.size(), rest_.vertexCount());
  std::ranges::copy(rest_.positions, positions.begin());
  if (!breath_) return;
  breath_->displace(inputs, displacements_);
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += displacements_[v];
  LayerReport own;
  settle(breath_->bonesAtRest(), still_, law_->volume(rest_.positions) + inputs.gas, positions,
         own);
}

std::vector<BoneSample> sampleCage(const anatomy::Body& body, const anatomy::GeometryCache& cache) {
  return sampleBones(body, cache, kCageSpacing,
                     [](const anatomy::Bone& b) { return isCageBone(b.name); });
}

std::unique_ptr<SkinTension> makeSkinTension(const anatomy::SkinSurface& surface,
                                             const anatomy::Body& body,
                                             const anatomy::GeometryCache& cache) {
  const std::vector<BoneSample> samples =
      sampleBones(body, cache, kFleshSpacing, [](const anatomy::Bone&) { return true; });
  JointGroups one;  // only the distance is asked for
  one.ofBone.assign(body.bones.size(), 0);
  std::vector<double> slide = findWeightSources(surface, body, one, samples).distance;
  for (double& l : slide) l += kLeastSlide;
  return std::make_unique<SkinTension>(surface.mesh, slide);
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
                                         std::move(floor), makeSkinTension(surface, body, cache));
}

}  // namespace pneuma::skin
