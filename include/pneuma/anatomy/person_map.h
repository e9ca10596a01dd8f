#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/trunk.h"

/// The one map from the body as measured to a person: bones, joints, muscles, cavities and skin all
/// go through it.
namespace pneuma::anatomy {

/// The five skeleton parameters of [Nedel00, Sec. 6.2], resolved: all relative to the subject.
struct Proportions {
  double global = 1;       ///< height / height of the subject
  double spineRatio = 1;   ///< height of the spine's origin, at equal height
  double highLateral = 1;  ///< width above the spine's origin
  double lowLateral = 1;   ///< width below it
  double frontal = 1;      ///< depth
  double arms = 1;         ///< length of the arms, at equal height
  /// Head at equal height, 1 but in children: its braincase in all directions, the face below the
  /// eyes in height and in breadth.
  double cranium = 1, faceHeight = 1, faceBreadth = 1;
  bool grown = true;  ///< the last four are 1
};

/// The person's own ratios, or where they are not given those of the sex. Against a man of the same
/// height a woman is 5.2 % narrower at the shoulders (biacromial breadth), 7.0 % wider at the
/// pelvis (bicristal breadth) and 3.4 % less deep (at the waist): means of ANSUR II, 2012, over
/// stature, computed from its public files (4082 men, 1986 women). Her chest follows from her
/// lungs. Children (below 18 years) have the ratios of their age (growth.h) and before puberty the
/// same breadths: shoulders 4.7 % narrower and hips 3 % wider than the man's (6 years, recalled).
Proportions proportionsOf(const Person& person, const Person& subject);

/// Arms hang beside the trunk: they follow the shoulder joint as a whole, by factors of their own.
enum class MapBranch {
  Trunk,  ///< trunk, neck, head, legs, and the shoulder girdle, which lies on the ribs
  Arm     ///< from the humerus on
};
/// Which branch a bone follows, and a piece of the measured skin (skin_arm_l, skin_hand_l...).
MapBranch branchOf(const Bone& bone);
MapBranch skinBranch(const std::string& piece);

/// Takes places of the subject to places of the person and back.
///
///   trunk   x' = sx(y) x     y' = Y(y)     z' = z0 c + sz(y) (z - c)
///   arm     p' = s' + A diag(g h, a, g f) (p - s)          s, s' the shoulder joint and its image
///
///   sx = g [l + (h - l) R1(y)] [1 + (q - 1) W(y)]    sz = z0 [1 + (q - 1) W(y)]    z0 = g f
///   Y' = g r + (b - g r) R1(y),  b such that Y(H) = g H;  a = b
///
///   g, r, h, l, f   Proportions: global, spineRatio, highLateral, lowLateral, frontal
///   R1              0 at the promontory, 1 at T12, a cubic with level ends between (smoothStep)
///   W               1 over the ribs, 0 at the promontory and at the acromion, cubics between
///   q               thorax(): width and depth of the chest, such that the cavity above the
///                   diaphragm holds the person's lungs (see lungTargets in person.h)
///   c               depth of the trunk's axis; H height of the subject
///   A child's head is larger: with R2 from neck to chin and R3 from nose to brow
///
///   Y' = g r + (b - g r) R1 + (g u - b) R2 + g (k - u) R3   sx, sz times 1 + (v - 1) R2 + (k - v)
///   R3
///
///   k, u, v         cranium, faceHeight, faceBreadth; a = g arms
///   A               turns the hanging arm outwards in the frontal plane: fat on trunk and arm
///   keeps
///                   heavy people's arms away from the body (hang())
///
/// Once differentiable everywhere on a branch, odd in x to the last bit, and invertible.
class PersonMap {
 public:
  /// For an expanded body. A body without the landmarks or tables of the trunk has q = 1.
  PersonMap(const Body& body, const Person& person);

  Vec3 operator()(MapBranch branch, const Vec3& subject) const;
  Vec3 toSubject(MapBranch branch, const Vec3& person) const;
  /// Branch of soft tissue by its place on the subject: beyond the line that falls from the
  /// shoulder joint between trunk and arm.
  MapBranch branchAt(const Vec3& subject) const;
  /// Derivative at a place of the subject.
  Mat3 jacobian(MapBranch branch, const Vec3& subject) const;
  /// Box on the subject that holds every point of a person's box.
  Box toSubject(MapBranch branch, const Box& person) const;

  const Proportions& proportions() const { return proportions_; }
  double thorax() const { return thorax_; }  ///< q [-]
  /// Factor of the diaphragm's radii: fat and age move it while the ribs stay.
  double dome() const { return dome_; }

  /// How far the arm hangs further out than the subject's [rad].
  double hang() const { return hang_; }

  /// A table of the trunk and the trunk as a whole on the person.
  RadialTable operator()(const RadialTable& subject) const;
  TrunkAnatomy operator()(const TrunkAnatomy& subject) const;

 private:
  /// 0 below `low`, 1 above `high`, a cubic with level ends between; its slope and integral.
  struct Ramp {
    double low = 0, high = 1;
    double value(double y) const;
    double slope(double y) const;
    double integral(double y) const;
  };
  void readLandmarks(const Body& body);
  void growHead(const Person& subject, const Person& person);
  void fitLungs(const Body& body, const Person& person);
  double weight(double y) const { return ribs_.value(y) * (1 - neck_.value(y)); }
  double weightSlope(double y) const;
  double widthAt(double y) const;
  double widthSlope(double y) const;
  double depthAt(double y) const;
  double depthSlope(double y) const;
  double heightOf(double y) const;
  double heightSlope(double y) const;
  double subjectHeight(double y) const;
  /// What a child's head is larger by, and how that changes with the height.
  double headAt(double y, double face, double cranium) const {
    return 1 + (face - 1) * chin_.value(y) + (cranium - face) * brow_.value(y);
  }
  double headSlope(double y, double face, double cranium) const {
    return (face - 1) * chin_.slope(y) + (cranium - face) * brow_.slope(y);
  }

  Proportions proportions_;
  double lowRise_ = 1, highRise_ = 1;      ///< slopes of Y below and above the loins
  double faceRise_ = 1, craniumRise_ = 1;  ///< and in the head
  double armRise_ = 1;
  /// A child's head over its shoulders' width and over its depth: face and braincase.
  double faceWide_ = 1, craniumWide_ = 1, faceDeep_ = 1, craniumDeep_ = 1;
  double axis_ = 0;  ///< c [m]
  double thorax_ = 1, dome_ = 1, hang_ = 0;
  Ramp loins_, ribs_, neck_, chin_, brow_;
  Vec3 wrist_ = Vec3::Zero();           ///< left, on the subject
  Vec3 shoulder_ = Vec3::Zero();        ///< left, on the subject
  Vec3 shoulderPerson_ = Vec3::Zero();  ///< and on the person
};

}  // namespace pneuma::anatomy
