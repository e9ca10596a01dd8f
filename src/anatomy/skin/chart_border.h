#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// The border of a disc of triangles that is laid flat.
///
/// A map of a disc to the plane that turns no triangle over, and whose border does not cross
/// itself, lies nowhere over itself (the number of triangles over a place is the winding number of
/// the border around it, which is 0 or 1). So looking at the border is enough.
class ChartBorder {
 public:
  explicit ChartBorder(const TriangleMesh& disc);

  /// Vertices of the border, counter-clockwise seen from outside the body.
  const std::vector<std::int32_t>& loop() const { return loop_; }
  bool crossesItself(std::span<const Vec2> uv) const;

  /// What keeps pieces of the border apart: for each vertex and edge at a distance d below the
  /// wanted w, the energy w^2 ln(w / d) - w (w - d), which has no bound where they meet.
  struct Repulsion {
    double energy = 0;         ///< [m^2]
    std::vector<Vec2> forces;  ///< along the loop [m]
  };
  /// Wanted is `gap`, or half of what lies between two pieces on the body where that is less: next
  /// to a corner the border is near itself by nature.
  Repulsion repulsion(std::span<const Vec2> uv, double gap) const;

 private:
  const TriangleMesh& disc_;
  std::vector<std::int32_t> loop_;
};

}  // namespace pneuma::anatomy::internal
