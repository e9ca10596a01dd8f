#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/skin/joint_groups.h"

/// What must hold for a skin in motion, as numbers for tests and reports.
namespace pneuma::skin {

/// How often a surface surrounds a point, by the solid angles of its triangles [Oosterom83]: 1
/// inside a closed one, 0 outside, a part where some of it is missing.
double windingNumber(const Vec3& p, std::span<const Vec3> x, std::span<const Triangle> triangles);

/// Triangles whose normal in `after` points more than `degrees` away from where it pointed in
/// `before`. Between frames 1/60 s apart a limb turns by less than 60 degrees, a triangle that
/// turns over by about 180: 120 tells them apart.
std::size_t countTurnedTriangles(std::span<const Vec3> before, std::span<const Vec3> after,
                                 std::span<const Triangle> triangles, double degrees = 120);

/// The same against the rest pose: each normal at rest is first turned with its own vertices'
/// motion, so that only folds count and not the pose.
std::size_t countFoldedTriangles(std::span<const Vec3> rest, std::span<const Pose> motions,
                                 std::span<const Vec3> now, std::span<const Triangle> triangles,
                                 double degrees = 120);

/// How creased a skin is against its rest: the root mean square, over edges by their length at
/// rest, of what the angle between the two triangles of an edge has grown by [rad]. A limb that
/// bends evenly turns each edge a little; an edge of a lattice that shows turns few by much.
class SkinCreases {
 public:
  SkinCreases(std::span<const Vec3> rest, std::span<const Triangle> triangles);
  double measure(std::span<const Vec3> now) const;

 private:
  struct Edge {
    std::array<std::int32_t, 2> triangle{};
    double length = 0, angle = 0;  ///< at rest [m, rad]
  };
  std::vector<Triangle> triangles_;
  std::vector<Edge> edges_;
};

/// Where bones come nearest to the skin from within.
struct BoneDepth {
  double least = 0;  ///< depth of the shallowest sample under the skin [m]; negative: outside
  int bone = -1;     ///< its bone in Body::bones
  Vec3 place = Vec3::Zero();
};
/// Vertices of skin that can lie over the cage: chest, back, abdomen, pelvis and neck.
std::vector<bool> overTheCage(const anatomy::SkinSurface& surface);
/// The triangles of marked vertices alone.
std::vector<Triangle> trianglesOf(std::span<const Triangle> triangles,
                                  const std::vector<bool>& marked);

/// Depth of samples of bones under a skin or a part of one (where limbs pass into the trunk, its
/// own skin decides): the distance to the nearest triangle, negative in front of it. `bones` as in
/// SkinInputs.
BoneDepth leastBoneDepth(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                         std::span<const BoneSample> samples, std::span<const Pose> bones);

}  // namespace pneuma::skin
