#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/anatomy/skin_surface.h"

namespace pneuma::anatomy {

double triangleAspect(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double ab = (b - a).norm(), bc = (c - b).norm(), ca = (a - c).norm();
  const double area = triangleArea(a, b, c);
  if (!(area > 0)) return std::numeric_limits<double>::infinity();
  const double inradius = 2 * area / (ab + bc + ca);
  return std::max({ab, bc, ca}) / (2 * std::sqrt(3.0) * inradius);
}

std::vector<Vec4> skinTangents(const SkinAtlas& atlas, std::span<const Vec3> positions) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  // Directions of growing u and v, each triangle weighing as much as its area.
  std::vector<Vec3> along(atlas.uv.size(), Vec3::Zero()), across = along;
  TriangleMesh mesh{{positions.begin(), positions.end()}, {}};
  for (const Triangle& t : atlas.triangles) {
    const Vec3 &p = positions[at(atlas.vertexOf[at(t[0])])],
               e = positions[at(atlas.vertexOf[at(t[1])])] - p,
               f = positions[at(atlas.vertexOf[at(t[2])])] - p;
    const Vec2 a = atlas.uv[at(t[1])] - atlas.uv[at(t[0])],
               b = atlas.uv[at(t[2])] - atlas.uv[at(t[0])];
    const double area = a.x() * b.y() - b.x() * a.y();  // negative where a texture is mirrored
    if (area == 0) continue;
    const double weight = e.cross(f).norm() / area;
    for (const std::int32_t r : t) {
      along[at(r)] += weight * (b.y() * e - a.y() * f);
      across[at(r)] += weight * (a.x() * f - b.x() * e);
    }
    mesh.triangles.push_back(
        {atlas.vertexOf[at(t[0])], atlas.vertexOf[at(t[1])], atlas.vertexOf[at(t[2])]});
  }
  const std::vector<Vec3> normals = vertexNormals(mesh);
  std::vector<Vec4> tangents;
  for (std::size_t r = 0; r < atlas.uv.size(); ++r) {
    const Vec3& n = normals[at(atlas.vertexOf[r])];
    Vec3 t = along[r] - along[r].dot(n) * n;
    t = t.norm() > 1e-12 ? t.normalized() : n.unitOrthogonal();
    tangents.emplace_back(t.x(), t.y(), t.z(), n.cross(t).dot(across[r]) < 0 ? -1.0 : 1.0);
  }
  return tangents;
}

}  // namespace pneuma::anatomy
