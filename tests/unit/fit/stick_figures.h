#pragma once

#include "pneuma/anatomy/bone_shape.h"

/// Things made of round limbs: who stands on two legs, and who does not.
namespace pneuma::fit::test {

inline anatomy::ShapePart limb(std::initializer_list<Vec3> line, double radius) {
  anatomy::ShapePart part;
  part.blend = 0.01;
  for (const Vec3& p : line) part.sections.push_back({p, radius, radius});
  return part;
}

inline TriangleMesh meshOf(std::vector<anatomy::ShapePart> parts) {
  return anatomy::makeBoneMesh({true, std::move(parts)}, 0.012);
}

/// Trunk, arms at an angle from hanging [rad], and legs of a person of 1.7 m of tubes.
inline std::vector<anatomy::ShapePart> stickBody(double angle) {
  const Vec3 shoulder(0.17, 1.38, 0), down(std::sin(angle), -std::cos(angle), 0);
  return {limb({{0, 0.88, 0}, {0, 1.1, 0}, {0, 1.36, 0}}, 0.13),
          limb({{0.05, 1.38, 0}, shoulder, shoulder + 0.3 * down, shoulder + 0.62 * down}, 0.042),
          limb({{0.09, 0.9, 0}, {0.12, 0.5, 0}, {0.14, 0.04, 0}}, 0.06),
          limb({{0.14, 0.04, -0.02}, {0.15, 0.035, 0.18}}, 0.035)};
}

inline TriangleMesh stickPerson(double angle) {
  std::vector<anatomy::ShapePart> parts = stickBody(angle);
  parts.push_back(limb({{0, 1.36, 0}, {0, 1.5, 0}}, 0.055));   // neck
  parts.push_back(limb({{0, 1.52, 0}, {0, 1.66, 0}}, 0.085));  // head
  return meshOf(std::move(parts));
}

/// Four legs, a head in front, and no tail.
inline TriangleMesh dog() {
  return meshOf({limb({{0, 0.55, -0.4}, {0, 0.55, 0}, {0, 0.57, 0.35}}, 0.12),
                 limb({{0, 0.6, 0.38}, {0, 0.8, 0.5}, {0, 0.82, 0.72}}, 0.07),
                 limb({{0.08, 0.5, 0.33}, {0.1, 0.03, 0.33}}, 0.04),
                 limb({{0.08, 0.5, -0.38}, {0.1, 0.03, -0.42}}, 0.045)});
}

/// Four legs, a seat, and a back with a knob on top.
inline TriangleMesh chair() {
  return meshOf({limb({{0, 0.45, -0.2}, {0, 0.45, 0.2}}, 0.2),
                 limb({{0.18, 0.45, 0.18}, {0.2, 0.02, 0.2}}, 0.03),
                 limb({{0.18, 0.45, -0.18}, {0.2, 0.02, -0.2}}, 0.03),
                 limb({{0, 0.45, -0.2}, {0, 1.05, -0.26}}, 0.06)});
}

}  // namespace pneuma::fit::test
