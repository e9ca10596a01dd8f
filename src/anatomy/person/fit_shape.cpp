#include "anatomy/person/fit_shape.h"

#include <Eigen/LU>
#include <cmath>

namespace pneuma::anatomy::internal {
namespace {

/// An ellipsoid under a mild linear map: its middle plane and long axis follow exactly.
void stretchEllipsoid(ShapePart& part, const Mat3& j) {
  const Vec3 x = j * part.rotation.col(0), y = j * part.rotation.col(1);
  const Vec3 z = j.inverse().transpose() * part.rotation.col(2);  // normals stretch inversely
  const Vec3 n = z.normalized(), u = (x - x.dot(n) * n).normalized(), v = n.cross(u);
  part.radii = part.radii.cwiseProduct(Vec3(x.norm(), std::abs(y.dot(v)), 1 / z.norm()));
  part.bend = part.bend.cwiseQuotient(Vec3(x.squaredNorm(), y.squaredNorm(), x.norm() * y.norm()) *
                                      z.norm());
  part.rotation << u, v, n;
}

}  // namespace

// Shapes are not meshes: each kind of part carries its own numbers through the map, lengths by the
// cube root of the local change of volume, so that a bone keeps its share of the body whatever it
// is described by.
ShapePart fitPart(const ShapePart& part, const PersonMap& map, MapBranch branch) {
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

BoneShape fitShape(const BoneShape& shape, const PersonMap& map, MapBranch branch, bool right) {
  if (right) return mirrored(fitShape(mirrored(shape), map, branch, false));
  BoneShape m{shape.symmetric, {}};
  for (const ShapePart& part : shape.parts) m.parts.push_back(fitPart(part, map, branch));
  return m;
}

}  // namespace pneuma::anatomy::internal
