#include <algorithm>
#include <cmath>

#include "pneuma/fit/inside.h"

namespace pneuma::fit {
namespace {

double meanFootSize(const CarriedAnatomy& inside) {
  double sum = 0, count = 0;
  for (const CarriedBone& bone : inside.bones)
    if (anatomy::fittedPartOf(bone.name) == anatomy::FittedPart::Foot)
      sum += std::log(bone.length), count += 1;
  return count > 0 ? std::exp(sum / count) : 1;
}

}  // namespace

// Bones and skin come to our rest pose by the same turns: what registration moved a joint by is
// turned back with its part, as it is for the skin around it.
anatomy::FittedShapes fittedShapesOf(const FittedFigure& fitted, const CarriedAnatomy& inside,
                                     std::string character) {
  const FigureJoints &f = fitted.figure->joints, &found = fitted.pose.joints, &c = inside.joints;
  anatomy::FittedShapes s{.character = std::move(character),
                          .sex = fitted.person.sex,
                          .height = fitted.person.height,
                          .mass = fitted.person.mass,
                          .pelvis = inside.pelvis,
                          .cage = inside.cage,
                          .head = inside.head};
  using Pair = std::array<Vec3, 2>;
  const auto length = [](const Pair& a, const Pair& b) {
    return 0.5 * ((a[0] - b[0]).norm() + (a[1] - b[1]).norm());
  };
  // The mean of a left joint and the image of the right one, at rest.
  const auto atRest = [&](Pair FigureJoints::*joint, FigurePart left) -> Vec3 {
    Pair place;
    for (std::size_t side = 0; side < 2; ++side) {
      const Mat3& turn =
          fitted.posed[static_cast<std::size_t>(left) + (left == FigurePart::Trunk ? 0 : side)]
              .rotation;
      place[side] = (fitted.restJoints.*joint)[side] +
                    turn.transpose() * ((c.*joint)[side] - (found.*joint)[side]);
    }
    return 0.5 * (place[0] + Vec3(-place[1].x(), place[1].y(), place[1].z()));
  };
  // Towards where a joint lies at rest, as far as it lies in the character's pose.
  const auto next = [&](const Vec3& from, Pair FigureJoints::*a, Pair FigureJoints::*b,
                        FigurePart left) -> Vec3 {
    return from + length(c.*a, c.*b) * (atRest(b, left) - from).normalized();
  };
  using J = FigureJoints;
  anatomy::LimbJoints& j = s.joints;
  j.shoulder = atRest(&J::shoulder, FigurePart::Trunk);
  j.elbow = next(j.shoulder, &J::shoulder, &J::elbow, FigurePart::UpperArmL);
  j.wrist = next(j.elbow, &J::elbow, &J::wrist, FigurePart::ForearmL);
  j.hip = s.pelvis(f.hip[0]);
  j.knee = next(j.hip, &J::hip, &J::knee, FigurePart::ThighL);
  j.ankle = next(j.knee, &J::knee, &J::ankle, FigurePart::ShankL);
  s.hand = length(found.wrist, found.hand) / length(f.wrist, f.hand);
  s.foot = meanFootSize(inside);
  s.arm = inside.arm, s.leg = inside.leg;
  for (std::size_t k = 0; k < inside.tapers.size(); ++k)
    if (inside.tapers[k].any()) s.tapers[k] = inside.tapers[k].stations();
  s.topology = fitted.skin.topology->id;
  s.skin = fitted.restSkin;
  // On the floor, and as far forward as our person.
  const Vec3 shift(0, -boundingBox(s.skin).min.y(), f.hip[0].z() - j.hip.z());
  for (Vec3& p : s.skin) p += shift;
  for (Vec3* p : {&j.shoulder, &j.elbow, &j.wrist, &j.hip, &j.knee, &j.ankle}) *p += shift;
  for (anatomy::TrunkRow* row : {&s.pelvis, &s.cage, &s.head})
    row->rise += shift.y(), row->forward += shift.z();
  return s;
}

}  // namespace pneuma::fit
