#include <cmath>
#include <map>
#include <utility>

#include "pneuma/core/check.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma {

TriangleMesh makeBox(const Vec3& size, const Vec3& center) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.positions.push_back(center + 0.5 * Vec3((i & 1 ? 1 : -1) * size.x(),
                                                 (i & 2 ? 1 : -1) * size.y(),
                                                 (i & 4 ? 1 : -1) * size.z()));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// From an icosahedron, not from longitudes: triangles of like size everywhere and no poles.
TriangleMesh makeSphere(double radius, int levels, const Vec3& center) {
  PNEUMA_CHECK(levels >= 0 && levels <= 9, "{} levels", levels);
  const double g = (1 + std::sqrt(5.0)) / 2;
  TriangleMesh mesh;
  mesh.positions = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                    {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> midpoints;
    const auto midpoint = [&](std::int32_t a, std::int32_t b) {
      const auto [it, isNew] = midpoints.try_emplace(
          std::minmax(a, b), static_cast<std::int32_t>(mesh.positions.size()));
      if (isNew) mesh.positions.push_back(0.5 * (mesh.positions[a] + mesh.positions[b]));
      return it->second;
    };
    std::vector<Triangle> finer;
    finer.reserve(mesh.triangles.size() * 4);
    for (const Triangle& t : mesh.triangles) {
      const std::int32_t ab = midpoint(t[0], t[1]), bc = midpoint(t[1], t[2]),
                         ca = midpoint(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], ab, ca}, {t[1], bc, ab}, {t[2], ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& p : mesh.positions) p = center + radius * p.normalized();
  return mesh;
}

TriangleMesh makeTube(std::span<const Vec3> line, std::span<const double> radii, int sides) {
  PNEUMA_CHECK(line.size() >= 2 && radii.size() == line.size() && sides >= 3,
               "{} points, {} radii, {} sides", line.size(), radii.size(), sides);
  TriangleMesh mesh;
  const auto tangentAt = [&](std::size_t i) {
    const Vec3 d = line[std::min(i + 1, line.size() - 1)] - line[i > 0 ? i - 1 : 0];
    return Vec3(d.normalized());
  };
  // A frame carried along the line without twist.
  Vec3 tangent = tangentAt(0);
  Vec3 normal = tangent.unitOrthogonal();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Vec3 next = tangentAt(i);
    normal = Quat::FromTwoVectors(tangent, next) * normal;
    tangent = next;
    normal = (normal - normal.dot(tangent) * tangent).normalized();
    const Vec3 binormal = tangent.cross(normal);
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      mesh.positions.push_back(line[i] +
                               radii[i] * (std::cos(angle) * normal + std::sin(angle) * binormal));
    }
  }
  const auto at = [&](std::size_t ring, int s) {
    return static_cast<std::int32_t>(ring * static_cast<std::size_t>(sides) +
                                     static_cast<std::size_t>(s % sides));
  };
  for (std::size_t i = 0; i + 1 < line.size(); ++i)
    for (int s = 0; s < sides; ++s) {
      mesh.triangles.push_back({at(i, s), at(i, s + 1), at(i + 1, s)});
      mesh.triangles.push_back({at(i, s + 1), at(i + 1, s + 1), at(i + 1, s)});
    }
  const auto cap = [&](std::size_t ring, bool front) {
    const auto center = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.push_back(line[ring]);
    for (int s = 0; s < sides; ++s) {
      if (front)
        mesh.triangles.push_back({center, at(ring, s + 1), at(ring, s)});
      else
        mesh.triangles.push_back({center, at(ring, s), at(ring, s + 1)});
    }
  };
  cap(0, true);
  cap(line.size() - 1, false);
  return mesh;
}

}  // namespace pneuma
