#pragma once

#include <Eigen/LU>
#include <cmath>

#include "pneuma/anatomy/bone_shape.h"

/// Shapes under a map of places, PersonMap or FittedMap: `map(branch, p)` and its derivative
/// `map.jacobian(branch, p)`.
namespace pneuma::anatomy::internal {

/// An ellipsoid under a mild linear map: its middle plane and long axis follow exactly.
void stretchEllipsoid(ShapePart& part, const Mat3& j);

// Shapes are not meshes: each kind of part carries its own numbers through the map, lengths by the
// cube root of the local change of volume, so that a bone keeps its share of the body whatever it
// is described by.
template <class Map, class Branch>
ShapePart fitPart(const ShapePart& part, const Map& map, Branch branch) {
  const auto lengthAt = [&](const Vec3& p) {
    return std::cbrt(map.jacobian(branch, p).determinant());
  };
  ShapePart m = part;
  const Vec3 middle = !part.sections.empty()   ? part.sections[part.sections.size() / 2].center
                      : !part.grid.empty()     ? part.grid[part.grid.size() / 2]
                      : !part.contours.empty() ? part.contours[part.contours.size() / 2].center
                                               : part.center;
  m.blend *= lengthAt(middle);
  if (part.kind == ShapeKind::Ellipsoid) {
    stretchEllipsoid(m, map.jacobian(branch, part.center));
    m.center = map(branch, part.center);
  }
  for (SweepSection& s : m.sections) {
    const double length = lengthAt(s.center);
    s.radiusA *= length;
    s.radiusB *= length;
    s.reference = map.jacobian(branch, s.center) * s.reference;
    s.center = map(branch, s.center);
  }
  for (std::size_t i = 0; i < m.grid.size(); ++i) {
    if (i < m.thickness.size()) m.thickness[i] *= lengthAt(m.grid[i]);
    m.grid[i] = map(branch, m.grid[i]);
  }
  for (ProfileSection& c : m.contours) {
    const double length = lengthAt(c.center);
    c.meanRadius *= length;
    for (double& v : c.cosine) v *= length;
    for (double& v : c.sine) v *= length;
    c.center = map(branch, c.center);
  }
  return m;
}

/// A shape carried by the map: points follow it, ellipsoids and directions its derivative at their
/// centre, radii of sweeps and contours and thicknesses the cube root of its determinant. `right`:
/// the mirror image of what the left side would become, to the last bit.
template <class Map, class Branch>
BoneShape fitShape(const BoneShape& shape, const Map& map, Branch branch, bool right) {
  if (right) return mirrored(fitShape(mirrored(shape), map, branch, false));
  BoneShape m{shape.symmetric, {}};
  for (const ShapePart& part : shape.parts) m.parts.push_back(fitPart(part, map, branch));
  return m;
}

}  // namespace pneuma::anatomy::internal
