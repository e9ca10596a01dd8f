#include "pneuma/core/mesh_simplify.h"

#include <meshoptimizer.h>

#include "pneuma/core/error.h"

namespace pneuma {
namespace {

/// Stops at so many triangles or at that error [m], whichever comes first.
std::vector<Triangle> fewerTriangles(const TriangleMesh& mesh, std::size_t count,
                                     double tolerance) {
  std::vector<float> points;
  points.reserve(3 * mesh.vertexCount());
  for (const Vec3& p : mesh.positions)
    for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k]));
  std::vector<unsigned> corners;
  corners.reserve(3 * mesh.triangleCount());
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t v : t) corners.push_back(static_cast<unsigned>(v));

  constexpr std::size_t kStride = 3 * sizeof(float);
  // The library counts errors in shares of the surface's size.
  const float size = meshopt_simplifyScale(points.data(), mesh.vertexCount(), kStride);
  std::vector<unsigned> kept(corners.size());
  kept.resize(meshopt_simplify(kept.data(), corners.data(), corners.size(), points.data(),
                               mesh.vertexCount(), kStride, 3 * count,
                               static_cast<float>(tolerance) / size, 0, nullptr));
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < kept.size(); i += 3)
    triangles.push_back({static_cast<std::int32_t>(kept[i]), static_cast<std::int32_t>(kept[i + 1]),
                         static_cast<std::int32_t>(kept[i + 2])});
  return triangles;
}

TriangleMesh simplifiedOnce(const TriangleMesh& mesh, double tolerance) {
  TriangleMesh lighter{mesh.positions, fewerTriangles(mesh, 0, tolerance)};
  removeUnusedVertices(lighter);
  return lighter;
}

}  // namespace

TriangleMesh simplified(const TriangleMesh& mesh, double tolerance) {
  if (!(tolerance > 0)) throw InputError("simplified: tolerance must be > 0 [m]");
  if (mesh.empty()) return mesh;
  const bool watertight = analyzeTopology(mesh).watertight();
  // The library does not look whether two edges fall together, which happens at thin places now and
  // then; a slightly smaller tolerance takes another way.
  for (int attempt = 0; attempt < 8; ++attempt, tolerance *= 0.8) {
    TriangleMesh lighter = simplifiedOnce(mesh, tolerance);
    if (!watertight || analyzeTopology(lighter).watertight()) return lighter;
  }
  return mesh;
}

TriangleMesh lightened(const TriangleMesh& mesh, double tolerance) {
  if (!(tolerance > 0)) throw InputError("lightened: tolerance must be > 0 [m]");
  return mesh.empty() ? mesh : simplifiedOnce(mesh, tolerance);
}

std::vector<Triangle> coarserTriangles(const TriangleMesh& mesh, std::size_t count) {
  if (mesh.empty()) return {};
  constexpr double kWorst = 0.02;  // share of the surface's size: beyond it is another shape
  return fewerTriangles(mesh, count, kWorst * boundingBox(mesh.positions).size().norm());
}

}  // namespace pneuma
