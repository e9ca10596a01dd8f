#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"

/// From the measured envelope to a person's, beyond the map of proportions: fat and sex.
namespace pneuma::anatomy::internal {

/// Which bones a piece of skin follows.
enum class SkinBranch { Trunk, Leg, Upper };
SkinBranch branchOf(const std::string& piece);
/// Hands and arms hang beside the trunk; they are separate solids that only join it at the
/// shoulder.
bool isArmPiece(const std::string& piece);
/// The same of a part of a muscle, by its place on the subject.
bool isArmPlace(const Vec3& subject);

/// The map of the person as the skin asks for it: arms by the arm's branch, all else by the
/// trunk's.
class SkinMap {
 public:
  SkinMap(const Body& body, const Person& person) : map_(body, person) {}

  Vec3 toSubject(SkinBranch branch, const Vec3& person) const {
    return map_.toSubject(on(branch), person);
  }
  Vec3 toPerson(SkinBranch branch, const Vec3& subject) const { return map_(on(branch), subject); }
  /// Scale per axis at a height of the subject.
  Vec3 scaleAt(SkinBranch branch, double subjectY) const;
  /// Box on the subject that holds every point of a person's box.
  Box toSubject(SkinBranch branch, const Box& person) const {
    return map_.toSubject(on(branch), person);
  }
  /// A part of a muscle as a whole, by the derivative at its centre.
  ShapePart movedPart(const ShapePart& part) const;

 private:
  static MapBranch on(SkinBranch branch) {
    return branch == SkinBranch::Upper ? MapBranch::Arm : MapBranch::Trunk;
  }
  PersonMap map_;
};

/// The lean envelope of a woman differs from the measured man's by more than her skeleton: takes a
/// point of hers to the place on his it belongs to (waist, hips, chest, neck).
Vec3 femaleToMale(const Vec3& subject);

/// How much slimmer a woman's lean arm is all around at a height of the subject [m].
double femaleArm(double subjectY);

/// From 0 for people of normal mass to 1 for the obese: on these fat lies elsewhere.
double heaviness(const Person& person);
/// From 0 for the subject and all who are fuller to 1 for the thin.
double thinness(const Person& person);

/// Share of the fat layer at a place on the subject, about 1 on the trunk; smooth, and a function
/// of the place alone. Heavy people carry more of it around the waist, women less about the hips,
/// and all less below the chin.
double fatWeight(const Vec3& subject, Sex sex, bool arm, double heavy);

/// The same for what a thin body lacks against the subject: fat, and muscle that is not there. A
/// choice by where his soft tissue is thick: buttocks, thighs and belly most, over the ribs least;
/// of the thin less before hip bones and rib ends, or these would stand out as knobs.
double leanWeight(const Vec3& subject, bool arm, double thin);

/// The left breast of a woman, in the subject's frame: mounds on the trunk, and where the nipple
/// is.
struct Breasts {
  BoneShape mounds;  ///< empty: none
  Vec3 nipple = Vec3::Zero(), forwards = Vec3::UnitZ();
  /// Where the template has the nipple, and how far from there a heavy woman's skin is moved to
  /// hers, so that what is painted and meshed for it comes along.
  Vec3 templateNipple = Vec3::Zero(), hang = Vec3::Zero();
};
/// Size follows puberty and the body mass index, age lets them hang.
Breasts breastsOf(const Person& person);
/// 1 over a breast, 0 beside it: what was measured on a man's chest says nothing there.
double overBreast(const Vec3& subject);
}  // namespace pneuma::anatomy::internal
