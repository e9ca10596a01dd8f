#include "anatomy/skin/skin_solid.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"
#include "pneuma/core/hash.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kCell = 0.0045;             ///< of the smoothed distances [m]
constexpr float kBand = 26;                  ///< cells around the surface with true distances
constexpr int kSmoothing = 4;                ///< passes: a standard deviation of 6 mm
constexpr double kRoom = 0.117;              ///< around the surface [m]
constexpr double kSeamBlend = 0.0025;        ///< where measured pieces overlap [m]
constexpr double kMuscleBlend = 0.006;       ///< [m]
constexpr double kMuscleDepthMale = 0.0015;  ///< muscles show through from this depth on [m]
constexpr double kMuscleDepthFemale = 0.005;
/// The woman's envelope is taken from places up to this far beside [m].
constexpr double kFemaleShift = 0.015;
constexpr double kHeadCell = 0.002;  ///< of the head's distances [m]
/// A woman shows as much of the folds that were measured on the man; over her breasts none.
constexpr double kFemaleRelief = 0.6;
constexpr std::uint32_t kSolidVersion = 4;

bool overlap(const Box& a, const Box& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

std::uint64_t keyOf(const SkinTissues& tissues, Sex sex, bool arm) {
  Hash64 key;
  key.text("skin solid").value(kSolidVersion).value(sex).value(arm);
  for (const auto& [name, shape] : tissues.envelope)
    if (isArmPiece(name) == arm) key.text(name).value(contentHash(shape));
  key.value(contentHash(arm ? tissues.armMuscles : tissues.bodyMuscles));
  if (!arm && tissues.head) key.value(tissues.head->contentHash());
  return key.digest();
}

}  // namespace

SkinSolid::SkinSolid(const SkinTissues& tissues, Sex sex, bool arm, const GeometryCache& cache)
    : sex_(sex),
      arm_(arm),
      heavy_(tissues.heavy),
      thin_(tissues.thin),
      muscles_(arm ? tissues.armMuscles : tissues.bodyMuscles) {
  Box subject;
  for (const auto& [name, shape] : tissues.envelope) {
    if (isArmPiece(name) != arm) continue;
    pieces_.emplace_back(shape);
    subject.add(pieces_.back().bounds());
  }
  if (!arm && tissues.head) placeHead(*tissues.head, cache);
  if (!headBox_.empty()) subject.add(headBox_);
  bounds_ = grown(subject, kFemaleShift);
  Box room = grown(bounds_, kRoom);
  room.min.x() = -8 * kCell;  // the other half is the mirror image
  distances_ = DistanceVolume(room, kCell, 0);
  const std::uint64_t key = keyOf(tissues, sex, arm);
  if (!cache.loadValues(key, distances_.values())) {
    fillDistances();
    cache.storeValues(key, distances_.values());
  }
  relief_ = SkinRelief(tissues.relief, arm);
  if (!tissues.breasts.nipple.isZero())
    relief_.moveNipple(tissues.breasts.nipple, tissues.breasts.forwards);
}

void SkinSolid::placeHead(const HeadTable& table, const GeometryCache& cache) {
  const TriangleMesh solid = table.solid(sex_);
  headBox_ = boundingBox(solid.positions);
  Box room = grown(headBox_, 8 * kHeadCell);
  room.min.x() = -8 * kHeadCell;  // the other half is the mirror image
  head_ = DistanceVolume(room, kHeadCell, 0);
  Hash64 key;  // of nobody in particular: all people of a sex share their measured head
  key.text("skin head").value(kSolidVersion).value(sex_).value(table.contentHash());
  if (cache.loadValues(key.digest(), head_.values())) return;
  internal::fillDistances(std::span(&solid, 1), head_);
  cache.storeValues(key.digest(), head_.values());
}

double SkinSolid::relief(const Vec3& q) const {
  if (sex_ != Sex::Female) return relief_.at(q);
  const double breast = arm_ ? 0 : overBreast(q);
  return breast < 1 ? kFemaleRelief * (1 - breast) * relief_.at(toMeasured(q)) : 0.0;
}

Vec3 SkinSolid::toMeasured(const Vec3& q) const {
  return sex_ == Sex::Female && !arm_ ? femaleToMale(q) : q;
}

FieldFunction SkinSolid::described(const Box& box, double reach) const {
  std::vector<std::pair<const ShapeField*, std::vector<int>>> near;
  std::vector<int> active, m;
  for (const ShapeField& piece : pieces_) {
    piece.collectActive(grown(box, reach + kFemaleShift), kSeamBlend, active);
    if (!active.empty()) near.emplace_back(&piece, active);
  }
  muscles_.collectActive(box, reach + kMuscleBlend + kFlatReach, m);
  const bool head =
      !headBox_.empty() && overlap(grown(box, reach + kFemaleShift + kSeamBlend), headBox_);
  if (near.empty() && m.empty() && !head) return {};
  const double depth = sex_ == Sex::Female ? kMuscleDepthFemale : kMuscleDepthMale;
  const bool slimmer = arm_ && sex_ == Sex::Female;
  return [this, near = std::move(near), m = std::move(m), head, depth, slimmer](const Vec3& q) {
    double d = ShapeField::kFar;
    const Vec3 measured = toMeasured(q);
    for (const auto& [piece, parts] : near)
      d = smoothMinimum(d, piece->distance(measured, parts), kSeamBlend).value;
    if (head) {
      const Vec3 left(std::abs(measured.x()), measured.y(), measured.z());
      d = smoothMinimum(d, head_.sample(left), kSeamBlend).value;
    }
    if (!m.empty()) d = smoothMinimum(d, muscles_.distance(q, m) + depth, kMuscleBlend).value;
    return slimmer ? d + femaleArm(q.y()) : d;
  };
}

void SkinSolid::fillDistances() {
  const BlockField blocks = [this](const Box& box, double reach) { return described(box, reach); };
  Box half = bounds_;
  half.min.x() = -half.max.x();
  const std::vector<TriangleMesh> surface{meshField(blocks, half, kCell, 1)};
  internal::fillDistances(surface, distances_, kBand);
  smoothen(distances_, kSmoothing);
}

double SkinSolid::detail(const Vec3& q) const {
  if (arm_) return 1 - smoothStep(0.84, 0.9, q.y());
  return smoothStep(1.42, 1.47, q.y()) + 1 - smoothStep(0.1, 0.16, q.y());
}

Vec3 maleToFemale(const Vec3& male) {
  // Nearly the identity: a fixed point q <- q + (male - femaleToMale(q)) gains a digit per step.
  Vec3 q = male;
  for (int step = 0; step < 20; ++step) q += male - femaleToMale(q);
  return q;
}

}  // namespace pneuma::anatomy::internal
