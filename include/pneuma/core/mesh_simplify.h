#pragma once

#include "pneuma/core/triangle_mesh.h"

namespace pneuma {

/// A lighter surface: corners go, flattest places first, until the quadric error reaches
/// `tolerance` [m]; that is a mean over planes, single points may lie up to twice as far off. A
/// closed manifold stays one. Corners that remain keep their place. Deterministic.
TriangleMesh simplified(const TriangleMesh& mesh, double tolerance);

}  // namespace pneuma
