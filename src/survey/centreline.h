#pragma once

#include <vector>

#include "anatomy/shape/distance_volume.h"
#include "pneuma/anatomy/bone_shape.h"

/// Centrelines and cross-sections of solids given as distance volumes.
namespace pneuma::survey::internal {

/// Path of greatest depth through the inside between the inside nodes nearest to two points.
/// Empty when they are not connected.
std::vector<Vec3> medialPath(const anatomy::internal::DistanceVolume& volume, const Vec3& from,
                             const Vec3& to);

/// The two inside nodes that are farthest apart along the inside.
std::pair<Vec3, Vec3> farthestEnds(const anatomy::internal::DistanceVolume& volume);

/// Moments of the cross-section that holds `center`, in the plane across `normal`.
struct SectionMoments {
  double area = 0;  ///< [m^2], 0: centre outside
  Vec3 centroid = Vec3::Zero();
  Vec3 major = Vec3::Zero();  ///< unit, along the larger radius
  double radiusMajor = 0;     ///< of the ellipse with the same moments and area [m]
  double radiusMinor = 0;
};
/// Only what lies within `reach` [m] of the centre and is connected with it counts.
SectionMoments sectionMoments(const anatomy::internal::DistanceVolume& volume, const Vec3& center,
                              const Vec3& normal, double reach);

/// A sweep along a path: `count` sections, each recentred on its cross-section. Ends are drawn in
/// so that the closed tube ends where the path does. `reach` bounds a section's radius [m].
anatomy::ShapePart sweepAlong(const anatomy::internal::DistanceVolume& volume,
                              const std::vector<Vec3>& path, int count, double reach);

}  // namespace pneuma::survey::internal
