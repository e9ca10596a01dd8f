#pragma once

#include <functional>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// Coarsens an even mesh to at most `target` triangles by collapsing its shortest edges (relative
/// to the wanted length), so that triangles stay even. Boundary edges collapse only along the
/// boundary; the surface stays manifold (link condition) and no triangle turns over.
///
/// `wanted` is the relative edge length at a point (1 everywhere gives uniform triangles); `redraw`
/// puts a moved point back onto the surface.
struct CollapseRules {
  std::size_t target = 20000;
  std::function<double(const Vec3&)> wanted;
  std::function<Vec3(const Vec3&)> redraw;
};
TriangleMesh collapsed(const TriangleMesh& mesh, const CollapseRules& rules);

}  // namespace pneuma::anatomy::internal
