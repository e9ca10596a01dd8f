#include "anatomy/skin/skin_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "anatomy/skin/mesh_collapse.h"

namespace pneuma::anatomy::internal {
namespace {

using EdgeCounts = std::map<std::pair<std::int32_t, std::int32_t>, int>;

EdgeCounts countEdges(const TriangleMesh& mesh) {
  EdgeCounts counts;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++counts[std::minmax(t[k], t[(k + 1) % 3])];
  return counts;
}

/// Inner edges between two vertices of the mid-plane would belong to four triangles once mirrored:
/// a new vertex in their middle, off the plane, parts them.
void splitBridges(TriangleMesh& half, double offset) {
  const auto onPlane = [&](std::int32_t v) {
    return half.positions[static_cast<std::size_t>(v)].x() == 0;
  };
  for (const auto& [edge, count] : countEdges(half)) {
    if (count != 2 || !onPlane(edge.first) || !onPlane(edge.second)) continue;
    const auto middle = static_cast<std::int32_t>(half.positions.size());
    half.positions.push_back(0.5 * (half.positions[static_cast<std::size_t>(edge.first)] +
                                    half.positions[static_cast<std::size_t>(edge.second)]) +
                             Vec3(offset, 0, 0));
    const std::size_t before = half.triangles.size();
    for (std::size_t i = 0; i < before; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Triangle t = half.triangles[i];
        if (std::pair<std::int32_t, std::int32_t>(std::minmax(t[k], t[(k + 1) % 3])) != edge)
          continue;
        half.triangles[i][(k + 1) % 3] = middle;
        half.triangles.push_back({middle, t[(k + 1) % 3], t[(k + 2) % 3]});
        break;
      }
  }
}

/// The half x >= 0 of a surface, its cut edge drawn onto the mid-plane.
TriangleMesh leftHalf(const TriangleMesh& mesh, double cell) {
  const auto x = [&](const TriangleMesh& m, std::int32_t v) {
    return m.positions[static_cast<std::size_t>(v)].x();
  };
  TriangleMesh half{mesh.positions, {}};
  for (const Triangle& t : mesh.triangles)
    if (x(mesh, t[0]) > 0 && x(mesh, t[1]) > 0 && x(mesh, t[2]) > 0) half.triangles.push_back(t);
  removeUnusedVertices(half);
  for (const auto& [edge, count] : countEdges(half))
    if (count == 1)
      for (std::int32_t v : {edge.first, edge.second})
        half.positions[static_cast<std::size_t>(v)].x() = 0;
  // Triangles that fell into the plane would meet their own image.
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return x(half, t[0]) == 0 && x(half, t[1]) == 0 && x(half, t[2]) == 0;
  });
  removeUnusedVertices(half);
  splitBridges(half, 0.3 * cell);
  return half;
}

/// A half and its mirror image, joined along the mid-plane.
TriangleMesh joinedHalves(const TriangleMesh& half) {
  TriangleMesh whole = half;
  std::vector<std::int32_t> image(half.vertexCount());
  for (std::size_t i = 0; i < half.vertexCount(); ++i) {
    const Vec3& p = half.positions[i];
    if (p.x() == 0) {
      image[i] = static_cast<std::int32_t>(i);
    } else {
      image[i] = static_cast<std::int32_t>(whole.positions.size());
      whole.positions.emplace_back(-p.x(), p.y(), p.z());
    }
  }
  for (const Triangle& t : half.triangles)
    whole.triangles.push_back({image[static_cast<std::size_t>(t[0])],
                               image[static_cast<std::size_t>(t[2])],
                               image[static_cast<std::size_t>(t[1])]});
  return whole;
}

/// Face, hands and feet get shorter edges.
double wantedLength(const Vec3& p, double height) {
  const double y = p.y() / height;
  const bool ear = std::abs(p.x()) > 0.041 * height && y > 0.88;
  if (y > 0.86 && (ear || p.z() > 0.05 * height)) return 0.45;  // face
  if (y > 0.82) return 0.8;
  if (std::abs(p.x()) > 0.125 * height && y < 0.53) return 0.5;  // hand
  if (y < 0.06) return 0.6;
  return 1;
}

}  // namespace

TriangleMesh meshSkin(const SkinField& field, int triangles, double height) {
  // A dual mesh of cell h has about two triangles per h^2. Ears, lips and fingers need a cell of 3
  // to 4 mm however coarse the whole is to become.
  const double area = 0.6 * height * height;
  const double cell = std::sqrt(2 * area / (2.0 * triangles + 130000));
  Box box = field.bounds();
  box.min.x() = -2 * cell;
  TriangleMesh fine = meshField(field.blocks(), box, cell);
  dropCrumbs(fine, 1e-3);  // the skin is one piece
  TriangleMesh half = leftHalf(fine, cell);
  const auto redraw = [&](const Vec3& p) { return field.redraw(p, 0.5 * cell); };
  for (Vec3& p : half.positions)
    if (p.x() == 0) p = redraw(p);
  CollapseRules rules{static_cast<std::size_t>(triangles / 2),
                      [&](const Vec3& p) { return wantedLength(p, height); }, redraw};
  return joinedHalves(collapsed(half, rules));
}

}  // namespace pneuma::anatomy::internal
