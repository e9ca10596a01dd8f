#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/field_mesh.h"
#include "anatomy/shape/shape_field.h"
#include "anatomy/skin/skin_person.h"
#include "anatomy/skin/skin_relax.h"

/// The implicit field of a person's skin.
///
///   body, arm   each a solid: measured envelope, joined with superficial muscles, its distances
///               kept on a grid and smoothed (face, hands and feet stay as measured)
///   + fat       each moved outwards by w(place, sex) t
///   + join      body and arm grow together at the shoulder and only touch below the armpit
///   + bones     under a thin skin
namespace pneuma::anatomy::internal {

/// The measured envelope: named pieces on the subject.
using SkinEnvelope = std::vector<std::pair<std::string, BoneShape>>;

/// What the skin is made of: the half x >= 0 of a symmetric body.
struct SkinTissues {
  SkinEnvelope envelope;
  BoneShape bones;                    ///< on the person
  BoneShape bodyMuscles, armMuscles;  ///< on the person
};

/// Body or arm: its field as described, and smoothed distances from its surface.
class SkinSolid {
 public:
  SkinSolid(const SkinTissues& tissues, const SkinMap& map, Sex sex, bool arm);

  /// As described, restricted to a box. Empty: nothing is near.
  FieldFunction described(const Box& box, double reach) const;
  /// Smoothed distance, anywhere.
  double smoothed(const Vec3& p) const {
    return distances_.sample({std::abs(p.x()), p.y(), p.z()});
  }
  /// How much of the described field counts at a place: 1 at face, hands and feet.
  double detail(const Vec3& p) const;
  /// Share of the fat layer.
  double fat(const Vec3& p) const;
  const Box& bounds() const { return bounds_; }
  /// Takes a place of the person to the subject's measured envelope.
  Vec3 toSubject(SkinBranch branch, const Vec3& p) const;

 private:
  struct Piece {
    SkinBranch branch;
    ShapeField field;
  };
  void fillDistances();

  SkinMap map_;
  Sex sex_;
  bool arm_;
  std::vector<Piece> pieces_;
  ShapeField muscles_;
  DistanceVolume distances_;
  Box bounds_;
};

/// The whole skin with a fat layer of thickness t [m] (may be negative).
class SkinField {
 public:
  SkinField(const SkinTissues& tissues, const SkinMap& map, Sex sex);

  void setFat(double thickness) { fat_ = thickness; }
  Box bounds() const;
  BlockField blocks() const;
  /// Draws a point onto the zero level by safeguarded Newton steps along the gradient, at most
  /// `most` [m] away; points of the mid-plane stay in it. Where the field has no gradient the point
  /// stays and its normal is zero.
  Drawn draw(const Vec3& p, double most) const;
  /// Where a place of the subject's skin lies in this person's proportions, before fat; `armShare`
  /// (0..1) blends between the map of the trunk and that of the arm.
  Vec3 carried(const Vec3& subject, double armShare) const;

 private:
  double join(double body, double arm, const Vec3& p) const;
  SkinMap map_;
  Sex sex_;
  SkinSolid body_, arm_;
  ShapeField bones_;
  double fat_ = 0;
};

}  // namespace pneuma::anatomy::internal
