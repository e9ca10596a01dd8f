#include "pneuma/skin/layered_driver.h"

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"
#include "skin/untangle.h"

namespace pneuma::skin {
namespace {

constexpr int kRounds = 4;               // of floor and volume law
constexpr int kMostRounds = 10;          // while a bone still pushes by more than kStillPushed
constexpr double kStillPushed = 1.0e-3;  // [m], of the 1.6 mm that kLeastRibDepth has in hand

bool same(const Pose& a, const Pose& b) {
  return a.rotation == b.rotation && a.position == b.position;
}

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

void LayeredDriver::follow(std::unique_ptr<SwingLayer> swings) {
  swings_ = std::move(swings);
}

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
  const std::span<const Pose> posture = inputs.posture.empty() ? inputs.bones : inputs.posture;
  const bool held =
      std::equal(posture.begin(), posture.end(), posture_.begin(), posture_.end(), same);
  // A body that only breathes keeps its posture: what follows from that alone is kept too.
  if (!held) {
    pose_->carry(posture, motions_);
    if (tension_) tension_->relax(motions_, shifts_);
    posture_.assign(posture.begin(), posture.end());
  }
  const auto place = [&] {
    parallelFor(positions.size(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        positions[v] = motions_[v] * (rest_.positions[v] + displacements_[v]) + shifts_[v];
    });
  };
  const bool swinging = swings_ && !inputs.swings.empty();
  report_ = {};
  if (!breath_) {
    if (swings_) std::ranges::fill(displacements_, Vec3::Zero());
    if (swinging) swings_->displace(inputs.swings, motions_, displacements_);
    place();
    report_.posedVolume = report_.volume = enclosedVolume(positions, rest_.triangles);
    return;
  }
  if (!held) {
    std::ranges::fill(displacements_, Vec3::Zero());
    place();
    posedVolume_ = law_->volume(positions);
  }
  report_.posedVolume = posedVolume_;
  // Breath is a layer below the posture; the law of volume comes last, over all of them.
  breath_->displace(inputs, displacements_);
  if (tension_) tension_->slide(displacements_);
  if (swinging) swings_->displace(inputs.swings, motions_, displacements_);
  place();
  settle(inputs.bones, motions_, report_.posedVolume + inputs.gas, positions, report_);
}

void LayeredDriver::breathe(const SkinInputs& inputs, std::span<Vec3> positions) {
  PNEUMA_CHECK(positions.size() == rest_.vertexCount(), "{} positions for {} vertices",
               positions.size(), rest_.vertexCount());
  std::ranges::copy(rest_.positions, positions.begin());
  if (!breath_) return;
  breath_->displace(inputs, displacements_);
  if (tension_) tension_->slide(displacements_);
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += displacements_[v];
  LayerReport own;
  settle(breath_->bonesAtRest(), still_, law_->volume(rest_.positions) + inputs.gas, positions,
         own);
}

}  // namespace pneuma::skin
