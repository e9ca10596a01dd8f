#pragma once

#include <memory>
#include <optional>
#include <span>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma {

/// Rays and closest points on a triangle surface, through an Embree bounding-volume hierarchy.
///
/// The hierarchy is in single precision; what it finds is computed again from the triangle in
/// double. A hit can thus be missed or doubled only within about 1e-6 of the size of the mesh from
/// a triangle's edge. Queries are const and may run from several threads.
class SurfaceQuery {
 public:
  /// Copies the mesh. Throws InputError for an empty mesh or non-finite positions.
  explicit SurfaceQuery(TriangleMesh mesh);
  /// The same for a surface that moves: `move` then only refits the hierarchy.
  static SurfaceQuery moving(TriangleMesh mesh);
  ~SurfaceQuery();
  SurfaceQuery(SurfaceQuery&&) noexcept;
  SurfaceQuery& operator=(SurfaceQuery&&) noexcept;

  /// A point of the surface that a ray meets or that lies closest.
  struct Hit {
    int triangle = -1;
    Vec3 point = Vec3::Zero();  ///< [m]
    double distance = 0;        ///< along the ray, or from the query point [m]
  };

  /// First hit of the ray origin + t direction, 0 <= t <= maxDistance (direction of unit length).
  std::optional<Hit> firstHit(const Vec3& origin, const Vec3& direction, double maxDistance) const;
  /// Last hit of the ray: the outermost surface seen from inside, as for star-shaped sampling.
  std::optional<Hit> lastHit(const Vec3& origin, const Vec3& direction, double maxDistance) const;
  /// Closest point of the surface.
  Hit closest(const Vec3& point) const;
  /// Whether the point lies inside a closed surface (majority of three rays, so that a ray through
  /// an edge does not decide alone).
  bool inside(const Vec3& point) const;
  /// closest().distance, negative inside.
  double signedDistance(const Vec3& point) const;

  const TriangleMesh& mesh() const;

  /// New positions of the same vertices. Only for a surface made by `moving`; not while other
  /// threads ask. The positions must be finite.
  void move(std::span<const Vec3> positions);

 private:
  SurfaceQuery(TriangleMesh mesh, bool moves);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Closest point to p of the triangle a, b, c.
Vec3 closestPointOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace pneuma
