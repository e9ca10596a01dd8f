#include "pneuma/stage/skin_meter.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/core/tape.h"

namespace pneuma::stage {
namespace {

constexpr double kSampleSpacing = 0.008;  // of places on bones whose depth is looked at [m]

struct SolidBone {
  int index = -1;
  std::vector<Vec3> points;
};

std::optional<SolidBone> findBone(const anatomy::Body& body, std::string_view name,
                                  const anatomy::GeometryCache& cache) {
  const auto bone = std::ranges::find(body.bones, name, &anatomy::Bone::name);
  const auto shape = std::ranges::find(body.shapes, name, &anatomy::Shape::bone);
  if (bone == body.bones.end() || shape == body.shapes.end()) return {};
  return SolidBone{static_cast<int>(bone - body.bones.begin()),
                   cache.boneMesh(shape->shape, anatomy::kLightBone).positions};
}

/// The direction in which points spread most.
Vec3 longAxis(std::span<const Vec3> points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose();
  return Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(2);
}

/// The vertebra whose middle is nearest to a height, and that middle.
std::optional<std::pair<int, Vec3>> vertebraAt(const anatomy::Body& body, double height,
                                               const anatomy::GeometryCache& cache) {
  std::optional<std::pair<int, Vec3>> best;
  for (const anatomy::Bone& b : body.bones) {
    if (!b.name.starts_with("vertebra_")) continue;
    const auto solid = findBone(body, b.name, cache);
    if (!solid) continue;
    const Vec3 middle = boundingBox(solid->points).center();
    if (!best || std::abs(middle.y() - height) < std::abs(best->second.y() - height))
      best = {solid->index, middle};
  }
  return best;
}

}  // namespace

std::string_view name(TapeSite site) {
  constexpr std::array<std::string_view, kTapes> names{
      "upper_arm_l", "upper_arm_r", "thickest_arm_l", "thickest_arm_r",
      "chest",       "lower_chest", "belly"};
  return names[static_cast<std::size_t>(site)];
}

SkinMeter::SkinMeter(const anatomy::Body& body, TriangleMesh rest,
                     const anatomy::GeometryCache& cache)
    : samples_(skin::sampleBones(body, cache, kSampleSpacing,
                                 [](const anatomy::Bone&) { return true; })),
      triangles_(std::move(rest.triangles)) {
  for (const anatomy::Bone& b : body.bones) boneNames_.push_back(b.name);
  addArm(TapeSite::UpperArmLeft, TapeSite::ThickestArmLeft, body, "humerus_l", cache);
  addArm(TapeSite::UpperArmRight, TapeSite::ThickestArmRight, body, "humerus_r", cache);
  addLevel(TapeSite::Chest, body, "body_of_sternum", true, cache);
  addLevel(TapeSite::LowerChest, body, "xiphoid_process", true, cache);
  addLevel(TapeSite::Belly, body, "vertebra_l4", false, cache);
  dropOutside(rest.positions);
  restReading_ = read(rest.positions, std::vector<Pose>(body.bones.size()));
}

void SkinMeter::addArm(TapeSite middle, TapeSite thickest, const anatomy::Body& body,
                       const char* bone, const anatomy::GeometryCache& cache) {
  const auto humerus = findBone(body, bone, cache);
  if (!humerus) return;
  Vec3 axis = longAxis(humerus->points);
  if (axis.y() < 0) axis = -axis;  // to the shoulder
  double low = 1e300, high = -1e300;
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : humerus->points) {
    low = std::min(low, axis.dot(p)), high = std::max(high, axis.dot(p));
    mean += p / static_cast<double>(humerus->points.size());
  }
  const Vec3 halfway = mean + (0.5 * (low + high) - axis.dot(mean)) * axis;
  sites_[static_cast<std::size_t>(middle)] = {humerus->index, halfway, axis};
  sites_[static_cast<std::size_t>(thickest)] = {humerus->index, halfway, axis, (high - low) / 6};
}

void SkinMeter::addLevel(TapeSite site, const anatomy::Body& body, const char* bone, bool lowest,
                         const anatomy::GeometryCache& cache) {
  const auto mark = findBone(body, bone, cache);
  if (!mark) return;
  const Box box = boundingBox(mark->points);
  const double height = lowest ? box.min.y() : box.center().y();
  if (const auto behind = vertebraAt(body, height, cache))
    sites_[static_cast<std::size_t>(site)] = {behind->first, Vec3(0, height, behind->second.z()),
                                              Vec3::UnitY(), 0, true};
}

void SkinMeter::dropOutside(std::span<const Vec3> rest) {
  const SurfaceQuery skin(TriangleMesh{{rest.begin(), rest.end()}, triangles_});
  outside_ =
      std::erase_if(samples_, [&](const skin::BoneSample& s) { return !skin.inside(s.place); });
}

SkinReading SkinMeter::read(std::span<const Vec3> positions, std::span<const Pose> bones) const {
  constexpr int kStations = 4;  // beyond the first, of a place that is the thickest of several
  SkinReading reading{.depth = skin::leastBoneDepth(positions, triangles_, samples_, bones)};
  for (std::size_t i = 0; i < kTapes; ++i) {
    const Site& s = sites_[i];
    if (s.bone < 0) continue;
    const Pose& carried = bones[at(s.bone)];
    const Vec3 normal = carried.rotation * s.normal;
    const int stations = s.reach > 0 ? kStations : 0;
    for (int k = 0; k <= stations; ++k) {
      const double down = stations > 0 ? s.reach * k / stations : 0;
      const Vec3 point = carried * s.point - down * normal;
      const Tape tape = tapeAround(positions, triangles_, point, normal);
      reading.girths[i] = std::max(reading.girths[i], tape.length);
      if (!s.trunk) continue;
      const Vec3 forwards = carried.rotation * Vec3::UnitZ();
      for (const Vec3& p : tape.outline)
        reading.fronts[i] = std::max(reading.fronts[i], forwards.dot(p - point));
    }
  }
  return reading;
}

}  // namespace pneuma::stage
