#pragma once

#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// A disc of triangles laid flat, nowhere over itself, true to size [m] as far as that allows.
///
///   start   its border on a circle, every other vertex amid its neighbours     [Tutte63]
///   then    least  E = sum over triangles of A (|J|^2 + |J^-1|^2)  by reweighting [Rabinovich17]:
///           sum of A |W (J - R)|^2,   J = U diag(s) V^T,  R = U V^T,
///           W^2 = U diag((s - s^-3) / (s - 1)) U^T,
///           with forces that keep pieces of the border apart
///
///   J  derivative of a triangle's map to the plane, s its singular values; A area on the body
///
/// Vertices with `onMirror` set stay at u = 0 and all others on one side of it: half of a symmetric
/// chart, which meets its image in one run.
///
/// E and what keeps the border apart have no bound where a triangle collapses or the border meets
/// itself, and every step lowers their sum: none turns over and the border never crosses itself.
std::vector<Vec2> grownApart(const TriangleMesh& disc, const std::vector<char>& onMirror);

}  // namespace pneuma::anatomy::internal
