#pragma once

#include <span>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/core/types.h"

/// Solids of muscle in a pose, for pictures: they go with the skin over them.
namespace pneuma::stage::internal {

/// A solid at rest as a pose has it. Each place goes as the nearest place of the skin does,
///
///   u = sum_k b_k X_k p - p      b_k  barycentric weights of that place in its triangle
///                                X_k  motion of the triangle's corners from rest
///
/// evened out along the solid, for within a limb the nearest skin changes sides. What that takes
/// out of the posed skin is laid under it again. `skin` is the mesh at rest, `posed` in the pose.
std::vector<Vec3> carriedWithin(const SurfaceQuery& skin, const SurfaceQuery& posed,
                                std::span<const Pose> motions, const TriangleMesh& solid);

}  // namespace pneuma::stage::internal
