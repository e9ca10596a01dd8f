#pragma once

#include <vector>

#include "pneuma/core/spatial.h"

/// Paths that bend over a smooth obstacle: the shortest way from a to b outside a cylinder or an
/// ellipsoid. Everything is written in the surface's own frame.
///
/// The path is a line from a to a touching point, a geodesic on the surface, and a line to b; or
/// the straight line when the surface is not in the way. At the touching points the line is tangent
/// to the surface and goes on in the geodesic's direction, so when contact begins or ends the
/// length and its gradient (moment arm) are continuous. The result depends on a and b alone, never
/// on an earlier state: there is no hysteresis, and repeated evaluations give the same bits.
namespace pneuma::muscle {

/// Which way round a cylinder, seen along its axis (+z towards the viewer), going from a to b.
enum class WrapSense {
  Shortest,          ///< the shorter way; the moment arm changes sign where a and b are opposite
  CounterClockwise,  ///< always this way: continuous until the ends have gone round each other
  Clockwise
};

/// An infinite cylinder about the z axis.
struct WrapCylinder {
  double radius = 0.01;  ///< [m], > 0
  WrapSense sense = WrapSense::Shortest;
};

/// An ellipsoid about the origin. The path is the shortest one. Only where the line from a to b
/// runs through the centre are two ways equally short; there the moment arm changes sign, as a real
/// string would slip off. A muscle that must stay on one side wants a cylinder.
struct WrapEllipsoid {
  Vec3 radii = Vec3::Constant(0.01);  ///< half axes along x, y, z [m], > 0, at most 20 : 1
};

/// The path between a and b.
struct WrapPath {
  bool contact = false;   ///< false: the straight line from a to b
  bool inside = false;    ///< an end lies inside; the surface was shrunk to reach it
  bool converged = true;  ///< false: the geodesic search stopped early, the path is approximate
  double length = 0;      ///< whole length [m]
  double arc = 0;         ///< part on the surface [m]
  Vec3 touchA, touchB;    ///< where the lines touch (contact only)
  Vec3 directionA;        ///< unit vector at a, pointing along the path
  Vec3 directionB;        ///< unit vector at b, pointing along the path (out of it)
  Mat6 hessian;           ///< second derivative of the length by (a, b) [1/m], if asked for
};

/// d(length)/da = -directionA, d(length)/db = directionB for both surfaces.
WrapPath wrapCylinder(const WrapCylinder& cylinder, const Vec3& a, const Vec3& b,
                      bool withHessian = false);
WrapPath wrapEllipsoid(const WrapEllipsoid& ellipsoid, const Vec3& a, const Vec3& b,
                       bool withHessian = false);

/// Points along the path from a to b for drawing, ends included; `count` >= 2 on the arc.
std::vector<Vec3> samplePath(const WrapCylinder& cylinder, const Vec3& a, const Vec3& b, int count);
std::vector<Vec3> samplePath(const WrapEllipsoid& ellipsoid, const Vec3& a, const Vec3& b,
                             int count);

/// Throws InputError naming the field when a value is out of range.
void validate(const WrapCylinder& cylinder);
void validate(const WrapEllipsoid& ellipsoid);

}  // namespace pneuma::muscle
