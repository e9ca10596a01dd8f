#pragma once

#include <optional>

#include "pneuma/core/surface_query.h"

namespace pneuma::fit::internal {

/// How deep places lie in a character: under its surface, or in one of its pockets (mouth, eyes)
/// under our skin on it, which has none.
class SkinDepth {
 public:
  /// Both in the body frame; `surface` closed.
  SkinDepth(const TriangleMesh& surface, const TriangleMesh& registered)
      : surface_(surface), registered_(registered) {}

  /// Without pockets.
  explicit SkinDepth(const TriangleMesh& surface) : surface_(surface) {}

  /// Outside both, by the winding number of the surface.
  bool outside(const Vec3& p) const;

  struct Depth {
    double depth = 0;            ///< [m]; negative outside
    Vec3 inward = Vec3::Zero();  ///< unit vector, away from the skin
  };
  /// By rays alone, fast: an edge may deceive it.
  Depth at(const Vec3& p) const;
  /// Way back to the character's surface [m].
  double distance(const Vec3& p) const { return surface_.closest(p).distance; }

 private:
  SurfaceQuery surface_;
  std::optional<SurfaceQuery> registered_;
};

/// Bones that are held within the skin and looked at there: not skull and mandible, for eyes and
/// mouth of a character are pockets that reach into the head.
bool isHeldInside(const std::string& bone);

}  // namespace pneuma::fit::internal
