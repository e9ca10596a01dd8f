#pragma once

#include <functional>
#include <vector>

#include "pneuma/core/surface_query.h"

/// Joints from the surfaces of their bones: where they face each other, and the axis they turn on.
namespace pneuma::survey::internal {

/// A small piece of a surface.
struct SurfaceSample {
  Vec3 position = Vec3::Zero();  ///< [m]
  Vec3 normal = Vec3::Zero();    ///< outwards, unit
  double area = 0;               ///< [m^2]
};

/// A surface in pieces with edges of at most `spacing` [m].
std::vector<SurfaceSample> surfaceSamples(const TriangleMesh& mesh, double spacing = 0.0015);

/// Least distance of the samples from a surface [m]; infinite without samples.
double gapBetween(const std::vector<SurfaceSample>& samples, const SurfaceQuery& other);

/// What of `samples` faces the other surface: within `reach` [m] of it, the normals opposed.
std::vector<SurfaceSample> facingSamples(const std::vector<SurfaceSample>& samples,
                                         const SurfaceQuery& other, double reach);

/// Mean position, weighted by area.
Vec3 meanPosition(const std::vector<SurfaceSample>& samples);

/// Where two bones meet: the middle between the stretches of their surfaces that face each other
/// within `slack` [m] more than their least gap (more, where they do not face each other there).
struct Contact {
  Vec3 center = Vec3::Zero();  ///< [m]
  double gap = 0;              ///< [m]
};
/// Only where `within` holds, when given. Throws InputError when nothing faces there.
Contact findContact(const SurfaceQuery& a, const SurfaceQuery& b,
                    const std::function<bool(const Vec3&)>& within = {}, double slack = 0.002);

/// An axis in space: a point of it and its unit direction.
struct Axis {
  Vec3 point = Vec3::Zero(), direction = Vec3::UnitX();
  double rms = 0;  ///< angle between the surface's normals and planes through the axis [rad]
  Vec3 closestTo(const Vec3& p) const { return point + direction.dot(p - point) * direction; }
};

/// The axis about which a surface can be turned in itself: the one that its normals meet best.
///
///   minimise  sum_i w_i (n_i . (c + a x p_i))^2   with |a| = 1
///
///   a, c  angular velocity and velocity of the origin of a motion that only slides the surface
///   p_i, n_i, w_i  position [m], normal and area [m^2] of a piece
///
/// The part of c along a (a screw) is left away. Articular surfaces of hinge joints are surfaces of
/// revolution about the hinge. Pieces whose normal misses the axis by more than two and a half
/// times the rms angle (lips and rims of the joint) are dropped, five times.
Axis fitRevolution(std::vector<SurfaceSample> samples);

}  // namespace pneuma::survey::internal
