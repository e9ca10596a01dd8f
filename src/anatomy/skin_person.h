#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"

/// From the measured envelope to a person's: proportions, fat, sex.
namespace pneuma::anatomy::internal {

/// Takes envelope and muscle parts of the subject to the person.
class SkinMap {
 public:
  SkinMap(const Body& body, const Person& person);
  /// `piece` says which half of the body a part follows (legs and feet the lower one; the trunk
  /// changes over between hips and waist).
  ShapePart operator()(const std::string& piece, const ShapePart& part) const;
  /// Height of a person's point on the subject, for labels [m].
  double subjectHeight(double y) const;
  double scaleX(double subjectY) const;
  double scaleZ() const { return upper_.z(); }

 private:
  Vec3 scaleAt(const std::string& piece, double y) const;
  double originY_;
  Vec3 upper_, lower_, shift_;
};

/// Share of the fat layer at a place on the subject, about 1 on the trunk; smooth, and a function
/// of the place alone.
double fatWeight(const Vec3& subject, Sex sex);

/// The measured pieces leave the groin open; a smooth mound closes it.
void closeGroin(std::vector<Shape>& envelope);

/// Changes of the measured (male) envelope for a woman, in the subject's frame.
void makeFemale(std::vector<Shape>& envelope);

}  // namespace pneuma::anatomy::internal
