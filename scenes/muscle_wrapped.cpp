#include <fmt/format.h>

#include "scenes/muscle_upper_body.h"

namespace pneuma::scenes {

using muscle::MuscleDescription;
using muscle::WrapCylinder;
using muscle::WrapEllipsoid;
using muscle::WrapSense;

namespace {

/// A frame at p whose z axis points along `axis`.
Pose frameAlong(const Vec3& p, const Vec3& axis) {
  return {Quat::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix(), p};
}

void finish(MuscleDescription& m, std::vector<MuscleDescription>& out) {
  m.force = muscle::makeLinearHill(muscle::restLength(m), 3e-4);
  out.push_back(std::move(m));
}

}  // namespace

std::vector<MuscleDescription> wrappedMuscles(const skeleton::Model& body) {
  std::vector<MuscleDescription> out;
  for (int side : {1, -1}) {
    const char* s = side > 0 ? "l" : "r";
    const double x = side;
    const auto link = [&](const char* bone) { return fmt::format("{}_{}", bone, s); };
    const auto place = [&](const std::string& name) -> Vec3 {
      return body.links[body.linkIndex(name)].X_WL_rest.position;
    };
    const Vec3 elbow = place(link("ulna")), shoulder = place(link("humerus"));

    // The elbow turns about +x; seen along it, y is up to the right of z.
    const Pose trochlea = frameAlong(elbow, Vec3::UnitX());
    MuscleDescription triceps{.name = link("triceps_wrapped"), .group = link("arm")};
    triceps.points = {{link("humerus"), elbow + Vec3(-x * 0.03, 0.15, -0.03)},
                      {link("ulna"), elbow + Vec3(0, -0.03, -0.025)}};
    triceps.wraps = {{0, link("humerus"), trochlea, WrapCylinder{0.018, WrapSense::Clockwise}}};
    finish(triceps, out);

    MuscleDescription biceps{.name = link("biceps_wrapped"), .group = link("arm")};
    biceps.points = {{link("humerus"), elbow + Vec3(-x * 0.03, 0.2, 0.03)},
                     {link("radius"), elbow + Vec3(x * 0.01, -0.05, 0.025)}};
    biceps.wraps = {
        {0, link("humerus"), trochlea, WrapCylinder{0.015, WrapSense::CounterClockwise}}};
    finish(biceps, out);

    MuscleDescription deltoid{.name = link("deltoid_wrapped"), .group = link("arm")};
    deltoid.points = {{link("clavicle"), shoulder + Vec3(x * 0.02, 0.042, 0.01)},
                      {link("humerus"), shoulder + Vec3(x * 0.07, -0.12, 0.0)}};
    deltoid.wraps = {
        {0, link("humerus"), {Mat3::Identity(), shoulder}, WrapEllipsoid{{0.03, 0.028, 0.032}}}};
    finish(deltoid, out);

    MuscleDescription latissimus{.name = link("latissimus_wrapped"), .group = link("arm")};
    latissimus.points = {{"vertebra_t08", place("vertebra_t08") + Vec3(x * 0.01, 0, -0.12)},
                         {link("humerus"), shoulder + Vec3(x * 0.02, -0.06, 0.02)}};
    latissimus.wraps = {{0,
                         "vertebra_t06",
                         {Mat3::Identity(), place("vertebra_t06") + Vec3(0, 0, 0.02)},
                         WrapEllipsoid{{0.14, 0.18, 0.10}}}};
    finish(latissimus, out);

    MuscleDescription mastoid{.name = link("sternocleidomastoid_wrapped"), .group = "neck"};
    mastoid.points = {{"sternum", place("sternum") + Vec3(x * 0.015, 0.02, 0)},
                      {"skull", place("skull") + Vec3(x * 0.065, 0.02, -0.03)}};
    mastoid.wraps = {
        {0, "vertebra_c4", frameAlong(place("vertebra_c4"), Vec3::UnitY()),
         WrapCylinder{0.045, side > 0 ? WrapSense::CounterClockwise : WrapSense::Clockwise}}};
    finish(mastoid, out);
  }
  return out;
}

}  // namespace pneuma::scenes
