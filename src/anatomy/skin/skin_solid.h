#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/field_mesh.h"
#include "anatomy/shape/shape_field.h"
#include "anatomy/skin/head_surface.h"
#include "anatomy/skin/skin_person.h"
#include "anatomy/skin/skin_relief.h"

namespace pneuma::anatomy::internal {

/// Fields of flat parts are too small beyond their rim: they count this far around them, or the
/// surface would show where blocks meet [m].
inline constexpr double kFlatReach = 0.03;

inline Box grown(Box box, double by) {
  box.min.array() -= by;
  box.max.array() += by;
  return box;
}

/// The measured envelope: named pieces on the subject.
using SkinEnvelope = std::vector<std::pair<std::string, BoneShape>>;

/// What the skin is made of: the half x >= 0 of a symmetric body.
struct SkinTissues {
  SkinEnvelope envelope;
  BoneShape bodyMuscles, armMuscles;      ///< on the subject
  BoneShape bones;                        ///< on the person, but for those of the cage
  BoneShape cage;                         ///< ribs, costal cartilages and sternum, on the person
  std::shared_ptr<const HeadTable> head;  ///< on the subject; empty: the envelope's, if any
  SkinEnvelope relief;                    ///< tables, on the subject
  Breasts breasts;                        ///< on the subject; of women
  double heavy = 0;                       ///< how far fat lies as on the obese, 0..1
  double thin = 0;                        ///< how far it lacks as on the thin, 0..1
};

/// Body or arm of a man or woman, lean, in the subject's proportions: the measured envelope and
/// head joined with superficial muscles, smoothed distances from that surface on a grid, and the
/// relief that smoothing took. All places are the subject's; the person's map comes before. The
/// grid takes some ten seconds and is kept in the cache.
class SkinSolid {
 public:
  SkinSolid(const SkinTissues& tissues, Sex sex, bool arm, const GeometryCache& cache);

  /// As described, restricted to a box. Empty: nothing is near.
  FieldFunction described(const Box& box, double reach) const;
  /// Smoothed distance, anywhere.
  double smoothed(const Vec3& q) const {
    return distances_.sample({std::abs(q.x()), q.y(), q.z()});
  }
  /// Its direction of increase on the left half; about as long as 1.
  Vec3 slope(const Vec3& q) const { return distances_.gradient({std::abs(q.x()), q.y(), q.z()}); }
  /// Height of the relief over the smoothed surface [m], and that of navel and nipples.
  double relief(const Vec3& q) const;
  double marks(const Vec3& q) const { return relief_.marks(q); }
  /// How much of the described field counts at a place: 1 at face, hands and feet.
  double detail(const Vec3& q) const;
  /// Share of the fat layer, or of what a thin body lacks.
  double fat(const Vec3& q, bool lacking) const {
    return lacking ? leanWeight(q, arm_, thin_) : fatWeight(q, sex_, arm_, heavy_);
  }
  const Box& bounds() const { return bounds_; }

 private:
  Vec3 toMeasured(const Vec3& q) const;
  void placeHead(const HeadTable& table, const GeometryCache& cache);
  void fillDistances();

  Sex sex_;
  bool arm_;
  double heavy_, thin_;
  std::vector<ShapeField> pieces_;
  ShapeField muscles_;
  DistanceVolume head_;  ///< of the measured head; empty: none
  Box headBox_;
  DistanceVolume distances_;
  SkinRelief relief_;
  Box bounds_;
};

/// Where a place of the measured man's body lies on a woman's: the inverse of femaleToMale.
Vec3 maleToFemale(const Vec3& male);

}  // namespace pneuma::anatomy::internal
