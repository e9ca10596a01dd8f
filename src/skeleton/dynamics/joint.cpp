#include "pneuma/skeleton/joint.h"

namespace pneuma::skeleton {

namespace {

Motion hingeAbout(const Vec3& axis) {
  return {MotionKind::Hinge, axis};
}

Motion slideAlong(const Vec3& axis) {
  return {MotionKind::Slide, axis};
}

}  // namespace

Joint Joint::fixed() {
  return {};
}

Joint Joint::hinge(const Vec3& axis) {
  return {JointKind::Hinge, {hingeAbout(axis)}};
}

Joint Joint::slide(const Vec3& axis) {
  return {JointKind::Slide, {slideAlong(axis)}};
}

Joint Joint::universal(const Vec3& first, const Vec3& second) {
  return {JointKind::Universal, {hingeAbout(first), hingeAbout(second)}};
}

Joint Joint::threeHinge(const Vec3& first, const Vec3& second, const Vec3& third) {
  return {JointKind::ThreeHinge, {hingeAbout(first), hingeAbout(second), hingeAbout(third)}};
}

Joint Joint::ball() {
  return {JointKind::Ball, {{MotionKind::Ball}}};
}

Joint Joint::free() {
  return {JointKind::Free,
          {slideAlong(Vec3::UnitX()),
           slideAlong(Vec3::UnitY()),
           slideAlong(Vec3::UnitZ()),
           {MotionKind::Ball}}};
}

Joint Joint::chain(std::vector<Motion> motions) {
  return {JointKind::Chain, std::move(motions)};
}

int Joint::dofCount() const {
  int count = 0;
  for (const Motion& m : motions) count += m.kind == MotionKind::Ball ? 3 : 1;
  return count;
}

int Joint::positionCount() const {
  int count = 0;
  for (const Motion& m : motions) count += m.kind == MotionKind::Ball ? 4 : 1;
  return count;
}

std::string_view toString(JointKind kind) {
  switch (kind) {
    case JointKind::Fixed:
      return "fixed";
    case JointKind::Hinge:
      return "hinge";
    case JointKind::Slide:
      return "slide";
    case JointKind::Universal:
      return "universal";
    case JointKind::ThreeHinge:
      return "three-hinge";
    case JointKind::Ball:
      return "ball";
    case JointKind::Free:
      return "free";
    case JointKind::Chain:
      return "chain";
  }
  return "?";
}

}  // namespace pneuma::skeleton
