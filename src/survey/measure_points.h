#pragma once

#include <map>
#include <string>

#include "anatomy/shape/distance_volume.h"

/// Landmarks of bones.
namespace pneuma::survey::internal {

using NamedPoints = std::map<std::string, Vec3>;

/// Landmarks that follow from the surface alone: extreme points in a direction within a region, and
/// centres of spheres fitted to joint surfaces. Named as in textbooks. `name` chooses the rules.
NamedPoints surfacePoints(const std::string& name, const TriangleMesh& mesh);

/// Mean of the points within 1.5 mm of the farthest one in a direction, in a region given in
/// fractions of the mesh's box. Throws InputError when no point lies there.
Vec3 extremePoint(const TriangleMesh& mesh, const Vec3& direction, const Vec3& low = Vec3::Zero(),
                  const Vec3& high = Vec3::Ones());

/// Landmarks of a vertebra from its (symmetric) solid: body_center, body_top, body_bottom,
/// body_front, canal_center, spinous_tip, transverse_tip_l, superior_facet_l, inferior_facet_l.
NamedPoints vertebraPoints(const anatomy::internal::DistanceVolume& volume, bool hasBody);

/// Least-squares sphere through points (algebraic start, then trimmed refits).
struct Sphere {
  Vec3 center = Vec3::Zero();
  double radius = 0;
  double rms = 0;
};
Sphere fitSphere(std::span<const Vec3> points);
/// The same, dropping points farther than `trim` [m] from the sphere, repeatedly.
Sphere fitSphereTrimmed(std::vector<Vec3> points, double trim);

}  // namespace pneuma::survey::internal
