#include "stage/organ_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "pneuma/core/interpolate.h"
#include "pneuma/core/smooth_surface.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kLungLevels = 3, kOrganLevels = 2;           // of subdivision
constexpr double kMediastinum = 0.022;                     // from the mid-plane to a lung [m]
constexpr double kHilum = 0.02;                            // how far its inner face is hollow [m]
constexpr double kOnMidline = 1e-3;                        // points of both halves [m]
constexpr double kLungInside = 0.003, kGutInside = 0.004;  // under ribs and wall [m]
constexpr double kOrganFile = 0.4;                         // opacity in files
constexpr double kFissure = 0.0035;                        // half its width [m]
const MorphQuality kOrganQuality{.tolerance = 2e-4, .mostTargets = 8};

/// Some triangles of the cage with a numbering of their own.
struct OrganMesh {
  std::vector<std::int32_t> points;  ///< of the cage
  std::vector<Triangle> triangles;
};

OrganMesh renumbered(std::vector<Triangle> faces) {
  OrganMesh mesh;
  for (const Triangle& t : faces) mesh.points.insert(mesh.points.end(), t.begin(), t.end());
  std::ranges::sort(mesh.points);
  mesh.points.erase(std::unique(mesh.points.begin(), mesh.points.end()), mesh.points.end());
  for (Triangle& t : faces)
    for (std::int32_t& i : t)
      i = static_cast<std::int32_t>(std::ranges::lower_bound(mesh.points, i) - mesh.points.begin());
  mesh.triangles = std::move(faces);
  return mesh;
}

std::vector<Triangle> flipped(std::vector<Triangle> faces) {
  for (Triangle& t : faces) std::swap(t[1], t[2]);
  return faces;
}

std::vector<Triangle> joined(std::vector<Triangle> a, const std::vector<Triangle>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The points moved inwards along their normals.
std::vector<Vec3> inside(std::vector<Vec3> points, const std::vector<Triangle>& triangles,
                         double depth) {
  const std::vector<Vec3> normals = vertexNormals({points, triangles});
  for (std::size_t v = 0; v < points.size(); ++v) points[v] -= depth * normals[v];
  return points;
}

std::vector<Vec3> taken(const OrganMesh& mesh, const CagePoints& points, const body::Frame& frame) {
  std::vector<Vec3> list;
  list.reserve(mesh.points.size() + 1);
  for (const std::int32_t p : mesh.points) list.push_back(points(frame, p));
  return list;
}

void makeSmooth(SoftPart& part, std::size_t vertices, int levels) {
  const auto smooth = std::make_shared<const SmoothSurface>(part.triangles, vertices, levels);
  part.fineTriangles = smooth->triangles();
  part.refine = [smooth](std::vector<Vec3> p) { return smooth->refine(std::move(p)); };
}

SoftPart organ(const char* name, body::Tissue tissue, OrganMesh mesh, double depth,
               const CagePoints& points) {
  SoftPart part{.name = name, .tissue = tissue, .triangles = mesh.triangles};
  const std::size_t count = mesh.points.size();
  part.positions = [mesh = std::move(mesh), depth, points](const body::Frame& f) {
    return inside(taken(mesh, points, f), mesh.triangles, depth);
  };
  makeSmooth(part, count, kOrganLevels);
  part.morphs = kOrganQuality;
  return part;
}

/// The half of a closed surface beyond the mid-plane; `rim` is where it is open,
/// in the direction of its missing triangles.
OrganMesh halfOf(const std::vector<Triangle>& faces, const breath::PointArray& rest, double side,
                 std::vector<std::array<std::int32_t, 2>>& rim) {
  std::vector<Triangle> kept;
  for (const Triangle& t : faces)
    if (std::ranges::all_of(t, [&](std::int32_t p) {
          return side * rest[static_cast<std::size_t>(p)].x() > -kOnMidline;
        }))
      kept.push_back(t);
  OrganMesh mesh = renumbered(std::move(kept));
  std::map<std::array<std::int32_t, 2>, int> edges;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  for (const auto& [e, count] : edges)
    if (!edges.contains({e[1], e[0]})) rim.push_back({e[1], e[0]});
  return mesh;
}

/// Colours of the lobes over the smooth lung at rest.
std::vector<render::Color> lobeColors(const std::vector<Vec3>& points, double side) {
  const auto tint = [](std::uint32_t hex) { return render::Color::hex(hex); };
  const render::Color upper = tint(0xd99c95), middle = tint(0xdda79b), lower = tint(0xcf8c88),
                      groove = tint(0x8f4f50);
  Box box;
  for (const Vec3& p : points) box.add(p);
  const Vec3 size = box.size();
  std::vector<render::Color> colors;
  for (const Vec3& p : points) {
    const Vec3 t = (p - box.min).cwiseQuotient(size);
    // Heights of the fissures over the depth, as shares of the lung's height.
    constexpr double kBehind = 0.76, kBefore = 0.16, kLevel = 0.52;
    const double oblique = (t.y() - (kBehind + (kBefore - kBehind) * t.z())) * size.y();
    const double level = (t.y() - kLevel) * size.y();
    render::Color c = oblique < 0 ? lower : upper;
    double near = std::abs(oblique);
    if (side < 0 && oblique > 0) {
      if (level < 0) c = middle;
      near = std::min(near, std::abs(level));
    }
    colors.push_back(render::mix(c, groove, 1 - smoothStep(0.4 * kFissure, kFissure, near)));
  }
  return colors;
}

SoftPart lung(const breath::CageModel& cage, const CagePoints& points, double side) {
  std::vector<std::array<std::int32_t, 2>> rim;
  OrganMesh mesh = halfOf(joined(cage.cage, flipped(cage.dome)), cage.rest, side, rim);
  const auto hilum = static_cast<std::int32_t>(mesh.points.size());
  for (const auto& [a, b] : rim) mesh.triangles.push_back({a, b, hilum});
  SoftPart part{.name = side > 0 ? "lung_l" : "lung_r",
                .tissue = body::Tissue::Organ,
                .triangles = mesh.triangles};
  const auto shaped = [mesh, rim, side](std::vector<Vec3> p) {
    for (Vec3& q : p) q.x() = side * std::max(side * q.x(), kMediastinum);
    Vec3 middle = Vec3::Zero();
    for (const auto& edge : rim)
      middle += p[static_cast<std::size_t>(edge[0])] / static_cast<double>(rim.size());
    p.push_back(middle + Vec3(side * kHilum, 0, 0));
    return inside(std::move(p), mesh.triangles, kLungInside);
  };
  part.positions = [mesh, points, shaped](const body::Frame& f) {
    return shaped(taken(mesh, points, f));
  };
  makeSmooth(part, mesh.points.size() + 1, kLungLevels);
  std::vector<Vec3> rest;
  for (const std::int32_t p : mesh.points) rest.push_back(cage.rest[static_cast<std::size_t>(p)]);
  part.colors = lobeColors(part.refine(shaped(std::move(rest))), side);
  part.morphs = kOrganQuality;
  part.fileOpacity = kOrganFile;
  return part;
}

}  // namespace

std::vector<SoftPart> organParts(const breath::CageModel& cage, const CagePoints& points) {
  std::vector<SoftPart> parts;
  parts.push_back(organ("diaphragm", body::Tissue::Muscle, renumbered(cage.dome), 0, points));
  parts.push_back(organ("gut", body::Tissue::Organ, renumbered(joined(cage.dome, cage.wall)),
                        kGutInside, points));
  parts.back().fileOpacity = kOrganFile;
  for (const double side : {1.0, -1.0}) parts.push_back(lung(cage, points, side));
  return parts;
}

}  // namespace pneuma::stage::internal
