#pragma once

#include "anatomy/skin/skin_relax.h"
#include "anatomy/skin/skin_solid.h"

namespace pneuma::anatomy::internal {

/// The implicit field of a person's skin, with a fat layer of thickness t [m] (may be negative):
///
///   body, arm   two solids of the subject, taken to the person by the map (face, hands and feet as
///               measured, the rest smoothed)
///   + breasts   of women, by age and mass
///   + relief    what smoothing took from the measured skin: navel, nipples, folds, knee caps
///   + fat       each moved outwards by w(place, sex) t
///   + join      body and arm grow together at the shoulder and only touch below the armpit
///   + bones     under a thin skin
class SkinField {
 public:
  SkinField(const SkinTissues& tissues, const SkinMap& map, Sex sex, const GeometryCache& cache);

  void setFat(double thickness) { fat_ = thickness; }
  /// How much of navel and nipples is there, 0 to 1.
  void setMarks(double share) { marks_ = share; }
  /// Joins arm and trunk as they were when version 7 of the topology was meshed, with a lump in
  /// front of the armpit: triangles must come out as they are frozen.
  void joinAsMeshed() { asMeshed_ = true; }
  Box bounds() const;
  BlockField blocks() const;
  /// Draws a point onto the zero level by safeguarded Newton steps along the gradient, at most
  /// `most` [m] away; points of the mid-plane stay in it. Where the field has no gradient the point
  /// stays and its normal is zero.
  Drawn draw(const Vec3& p, double most) const;
  /// Where a place of the subject lies on this person; `armShare` (0..1) blends between the map of
  /// the trunk and that of the arm.
  Vec3 carried(const Vec3& subject, double armShare) const;
  /// Where a place of the lean man's chest lies on a woman's: the nipple at hers.
  Vec3 onBreast(const Vec3& p) const;
  /// Where a place of the template's left half lies on a heavy woman's breast, which hangs lower.
  Vec3 hung(const Vec3& p) const;
  /// Where a place of the measured head lies on this person: carried as above and moved outwards by
  /// the layer there, less where eyelids, lips and ears would grow together. Only with a head.
  Vec3 onHead(const Vec2& place) const;

 private:
  /// A place of the person on the subject, and how much longer lengths are on the person.
  struct Place {
    Vec3 subject;
    double scale;
  };
  /// Distance from the smoothed lean skin, with breasts.
  double lean(const SkinSolid& solid, const Vec3& subject) const;
  /// Height of the relief on a layer of that thickness [m].
  double relief(const SkinSolid& solid, const Vec3& subject, double layer) const;
  Place placeOn(SkinBranch branch, const Vec3& p) const;
  double layerOn(const SkinSolid& solid, const Place& at) const;
  /// The layer where a share `detail` of the field is as described.
  double layerOn(const SkinSolid& solid, const Place& at, double detail) const;
  double laidOn(const SkinSolid& solid, const FieldFunction& described, const Place& at) const;
  /// How much two surfaces lie athwart, not upon one another, at a place of both: 0 to 1.
  double athwart(const Vec3& onBody, const Vec3& onArm) const;
  double join(double body, double arm, const Vec3& onBody, const Vec3& onArm) const;
  double layer() const;

  SkinMap map_;
  Sex sex_;
  std::shared_ptr<const HeadTable> head_;
  SkinSolid body_, arm_;
  ShapeField bones_, cage_;
  Breasts breasts_;
  ShapeField mounds_;
  double fat_ = 0;
  double marks_ = 1;
  bool asMeshed_ = false;
};

}  // namespace pneuma::anatomy::internal
