#pragma once

#include <array>
#include <optional>
#include <string>

#include "pneuma/anatomy/fitted_part.h"
#include "pneuma/anatomy/fitted_shapes.h"

namespace pneuma::anatomy {

/// Takes places of a person to those of the character it was fitted to, in our rest pose: the
/// second half of the way from the measured body, after PersonMap.
///
///   trunk   p' = sum_k w_k(y) R_k(p)     k pelvis, cage, head (TrunkRow)
///   girdle  p' = trunk(p) + u(|x|) (s' - trunk(s))
///   limb    p' = a' + Q S (p - a)        through its two joint centres, which neighbours share
///
///   w_k     cubics with level ends: pelvis to cage between promontory and T12, cage to head
///           between the joint below C7 and that below C1
///   u       a cubic, 0 at the sternal end of the clavicle, 1 at the shoulder joint s
///   Q, S    the shortest turn; a stretch by the ratio of the lengths along the limb and by its
///           girth across. Hand and foot follow their own size
///
/// each after the part's Taper, which draws bones in under the skin.
///
/// Odd in x to the last bit. Ribs, sternum and spine within the cage go by one affine map.
class FittedMap {
 public:
  /// `person` is fitted to the person of the shapes (fitToPerson of a body without fit). Throws
  /// InputError when the shapes would fold it.
  FittedMap(const Body& person, const FittedShapes& shapes);

  Vec3 operator()(FittedPart part, const Vec3& person) const;
  Mat3 jacobian(FittedPart part, const Vec3& person) const;
  /// The way back on the trunk.
  Vec3 toPerson(const Vec3& character) const;
  /// Part of soft tissue by its place on the person.
  FittedPart partAt(const Vec3& person) const;
  RadialTable operator()(const RadialTable& person) const;
  /// Size of the cage against the person's: cube root of its change of volume.
  double cageSize() const;

 private:
  /// Coefficients of the trunk at a height, and their slopes.
  struct Level {
    double width, rise, depth, shift;  ///< x' = width x, y' = rise, z' = depth z + shift
    double widthSlope, riseSlope, depthSlope, shiftSlope;
  };
  /// x' = linear x + offset, of the left side.
  struct Limb {
    Mat3 linear = Mat3::Identity();
    Vec3 offset = Vec3::Zero();
  };
  Level levelAt(double y) const;
  Vec3 trunkAt(const Vec3& p) const;
  Mat3 trunkSlope(const Vec3& p) const;
  double girdleShare(double x) const;
  void requireRising() const;
  void setTapers(const Body& person, const FittedShapes& shapes);

  TrunkRow pelvis_, cage_, head_;
  double loinsLow_ = 0, loinsHigh_ = 1, neckLow_ = 0, neckHigh_ = 1;  ///< ramps of w [m]
  LimbJoints joints_;                                                 ///< of the person
  double sternal_ = 0;                                                ///< of the clavicle, |x| [m]
  Vec3 girdle_ = Vec3::Zero();                                        ///< s' - trunk(s) [m]
  std::array<Limb, kFittedParts> limbs_;
  PartTapers tapers_;
};

/// The map of a measured body that carries a fit, for its person; none without a fit.
std::optional<FittedMap> fittedMapOf(const Body& measured, const Person& person);

}  // namespace pneuma::anatomy
