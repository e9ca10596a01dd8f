#pragma once

#include "pneuma/core/types.h"

/// Geodesics of an ellipsoid x^2/a^2 + y^2/b^2 + z^2/c^2 = 1 with their first variations.
namespace pneuma::muscle::internal {

/// A point on the surface with the frame of a curve through it: tangent t, outward normal n,
/// binormal b = n x t.
struct SurfaceFrame {
  Vec3 point, tangent, normal, binormal;
};

/// Where a geodesic ends, and how the end moves aside when its start is moved along the binormal
/// (translation) or turned (rotation): Jacobi fields, j'' + K j = 0.
struct GeodesicEnd {
  SurfaceFrame frame;
  double translation = 1, translationRate = 0;
  double rotation = 0, rotationRate = 1;
};

class EllipsoidGeometry {
 public:
  explicit EllipsoidGeometry(const Vec3& radii);

  const Vec3& radii() const { return radii_; }
  Vec3 normal(const Vec3& p) const { return p.cwiseProduct(inverseSquares_).normalized(); }
  /// Nearest point along the ray from the centre.
  Vec3 project(const Vec3& p) const {
    return p / std::sqrt(p.cwiseProduct(p).dot(inverseSquares_));
  }
  /// Change of the normal when the point moves by d (tangent).
  Vec3 normalChange(const Vec3& p, const Vec3& n, const Vec3& d) const {
    const Vec3 c = d.cwiseProduct(inverseSquares_) / p.cwiseProduct(inverseSquares_).norm();
    return c - n * n.dot(c);
  }
  /// The frame of direction `d` at a point of the surface.
  SurfaceFrame frame(const Vec3& p, const Vec3& d) const;
  /// Follows the geodesic from `start` over `length` (may be negative).
  GeodesicEnd shoot(const SurfaceFrame& start, double length) const;

 private:
  Vec3 radii_, inverseSquares_;
  double curvatureScale_;  // 1 / (a b c)^2
  double stepLength_;      // fraction of the smallest radius of curvature
};

}  // namespace pneuma::muscle::internal
