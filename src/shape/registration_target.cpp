#include <array>
#include <set>
#include <utility>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/registration.h"
#include "shape/corner_shares.h"

namespace pneuma::shape {
namespace {

/// Which edges of each triangle lie on a border: those without a reverse.
std::vector<std::array<bool, 3>> rimEdges(const TriangleMesh& mesh) {
  std::set<std::pair<std::int32_t, std::int32_t>> directed;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) directed.emplace(t[(k + 1) % 3], t[(k + 2) % 3]);
  std::vector<std::array<bool, 3>> rim;
  rim.reserve(mesh.triangleCount());
  for (const Triangle& t : mesh.triangles) {
    std::array<bool, 3> edges{};
    for (std::size_t k = 0; k < 3; ++k)
      edges[k] = !directed.contains({t[(k + 2) % 3], t[(k + 1) % 3]});
    rim.push_back(edges);
  }
  return rim;
}

}  // namespace

RegistrationTarget::RegistrationTarget(TriangleMesh mesh, std::vector<int> labels)
    : surface_(std::move(mesh)), labels_(std::move(labels)) {
  if (!labels_.empty() && labels_.size() != surface_.mesh().vertexCount())
    throw InputError("registration: one label for each vertex of the surface is needed");
  normals_ = vertexNormals(surface_.mesh());
  rim_ = rimEdges(surface_.mesh());
}

RegistrationTarget::Place RegistrationTarget::closest(const Vec3& point, int label) const {
  constexpr double kOnEdge = 1e-6;  // share of a corner below which a point lies on its edge
  const SurfaceQuery::Hit hit = surface_.closest(point);
  const TriangleMesh& mesh = surface_.mesh();
  const Triangle& t = mesh.triangles[at(hit.triangle)];
  const Vec3 &a = mesh.positions[at(t[0])], &b = mesh.positions[at(t[1])],
             &c = mesh.positions[at(t[2])];
  const Vec3 shares = internal::cornerShares(hit.point, a, b, c);
  Place p{.point = hit.point, .distance = hit.distance, .counts = true};
  p.plane = (b - a).cross(c - a).normalized();
  int corner = 0;
  shares.maxCoeff(&corner);
  for (int k = 0; k < 3; ++k) {
    p.normal += shares[k] * normals_[at(t[static_cast<std::size_t>(k)])];
    if (shares[k] < kOnEdge && rim_[at(hit.triangle)][static_cast<std::size_t>(k)])
      p.counts = false;
  }
  p.normal.normalize();
  if (!labels_.empty() && label >= 0) {
    const int there = labels_[at(t[static_cast<std::size_t>(corner)])];
    if (there >= 0 && there != label) p.counts = false;
  }
  return p;
}

}  // namespace pneuma::shape
