#include "flesh/embedded/surface_points.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::flesh::embedded {
namespace {

/// Bones nearer to each other than this have a joint between them [m].
constexpr double kJointGap = 0.006;
/// Area of a point at most, so that small bones are held too [m^2].
constexpr double kMostArea = 1.5e-4;
/// Area of the points that skin must lie over, 6 mm apart: a rib's back is two of them wide [m^2].
constexpr double kCoverArea = 3.6e-5;

/// Even places in a triangle: the golden sequence in two dimensions, folded.
Vec3 evenWeights(std::size_t i) {
  constexpr double kG = 1.32471795724474602596;  // root of x^3 = x + 1
  double u = std::fmod(0.5 + double(i) / kG, 1.0), v = std::fmod(0.5 + double(i) / (kG * kG), 1.0);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return {1 - u - v, u, v};
}

/// Whether flesh at a place of a bone is another bone's as much.
class Neighbourhood {
 public:
  /// `cell` is the lattice's edge [m].
  Neighbourhood(const FleshAnatomy& anatomy, double cell)
      : extremes_(anatomy.extremes), reach_(kJointGap + 0.5 * cell) {
    for (const NamedSolid& b : anatomy.bones) {
      boxes_.push_back(boundingBox(b.mesh.positions));
      queries_.push_back(b.mesh.empty() ? nullptr : std::make_unique<SurfaceQuery>(b.mesh));
    }
  }
  bool crowded(const Vec3& p, std::size_t own) const {
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      if (b == own || !queries_[b]) continue;
      if (((p - boxes_[b].min).array() < -reach_).any() ||
          ((boxes_[b].max - p).array() < -reach_).any())
        continue;
      const double distance = queries_[b]->inside(p) ? 0 : queries_[b]->closest(p).distance;
      if (distance < kJointGap || (distance < reach_ && slide(p, own, b) > reach_)) return true;
    }
    return false;
  }

 private:
  /// How far two bones carry a place apart.
  double slide(const Vec3& p, std::size_t a, std::size_t b) const {
    double most = 0;
    for (const std::vector<Pose>& bones : extremes_)
      most = std::max(most, (bones[a] * p - bones[b] * p).norm());
    return most;
  }

  const std::vector<std::vector<Pose>>& extremes_;
  double reach_;  ///< [m]
  std::vector<Box> boxes_;
  std::vector<std::unique_ptr<SurfaceQuery>> queries_;
};

}  // namespace

std::vector<SurfacePoint> spreadPoints(std::span<const Vec3> positions,
                                       std::span<const Triangle> triangles, double area) {
  const auto corner = [&](const Triangle& t, std::size_t k) -> const Vec3& {
    return positions[at(t[k])];
  };
  double total = 0;
  for (const Triangle& t : triangles)
    total += triangleArea(corner(t, 0), corner(t, 1), corner(t, 2));
  const double count = std::max(1.0, std::round(total / area));
  const double each = total / count;
  std::vector<SurfacePoint> points;
  double due = 0.5 * each, walked = 0;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    walked += triangleArea(corner(t, 0), corner(t, 1), corner(t, 2));
    for (; due <= walked; due += each) {
      const Vec3 w = evenWeights(points.size());
      const Vec3 p = w[0] * corner(t, 0) + w[1] * corner(t, 1) + w[2] * corner(t, 2);
      points.push_back({i, w, p, each});
    }
  }
  return points;
}

// Springs share a bone's surface evenly, so that a finer lattice has more but not stiffer ones;
// places near another bone get none (docs/flesh.md).
void addAnchors(const FleshAnatomy& anatomy, const TissueConstants& constants, BodyFlesh& flesh) {
  const Lattice& lattice = *flesh.model.lattice;
  const double a = lattice.config.spacing;
  const double area = std::min(kMostArea, 0.75 * a * a);
  const Neighbourhood joints(anatomy, a);
  for (std::size_t b = 0; b < anatomy.bones.size(); ++b) {
    const TriangleMesh& mesh = anatomy.bones[b].mesh;
    if (mesh.empty()) continue;
    for (const SurfacePoint& p : spreadPoints(mesh.positions, mesh.triangles, kCoverArea))
      flesh.bonePoints.push_back(
          {static_cast<std::int32_t>(b), p.place, constants.boneSpring * p.area});
    const std::vector<SurfacePoint> points = spreadPoints(mesh.positions, mesh.triangles, area);
    std::vector<std::uint8_t> skipped(points.size(), 0);
    parallelFor(points.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) skipped[i] = joints.crowded(points[i].place, b);
    });
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (skipped[i]) continue;
      flesh.boneAnchors.push_back({static_cast<std::int32_t>(b), points[i].place});
      flesh.model.anchors.push_back(
          {lattice.locate(points[i].place), constants.boneSpring * points[i].area});
    }
  }
  for (std::size_t w = 0; w < anatomy.walls.size(); ++w) {
    const FleshWall& wall = anatomy.walls[w];
    for (const SurfacePoint& p : spreadPoints(wall.rest, wall.triangles, area)) {
      flesh.wallAnchors.push_back(
          {static_cast<std::int32_t>(w), static_cast<std::int32_t>(p.triangle), p.weights});
      flesh.model.anchors.push_back({lattice.locate(p.place), constants.wallSpring * p.area});
    }
  }
}

}  // namespace pneuma::flesh::embedded
