#pragma once

#include "pneuma/core/triangle_mesh.h"
#include "skin/control_net.h"

namespace pneuma::skin::internal {

/// The part of a closed surface beyond a plane that holds the point `inside`, with one rim.
struct CutPiece {
  TriangleMesh mesh;
  std::vector<std::int32_t> rim;  ///< in the order of its boundary edges
};
/// Throws InputError when the plane does not cut off a piece with a single rim there.
CutPiece cutBeyond(const TriangleMesh& surface, const Vec3& point, const Vec3& normal,
                   const Vec3& inside);

/// Triangles that close the gap between two rims, each given in the order of its own boundary
/// edges, so that the whole stays oriented.
std::vector<Triangle> stitchRims(const std::vector<std::int32_t>& a,
                                 const std::vector<std::int32_t>& b,
                                 const std::vector<Vec3>& positions);

/// Shares of a place of an extremity: those of its rim up to the first turn, then from link to
/// link.
Shares extremityShares(const Shares& rim, const anatomy::SkinExtremity& extremity,
                       const anatomy::PointTable& points, const BoneLinks& links,
                       const Vec3& place);

}  // namespace pneuma::skin::internal
