#pragma once

#include "flesh/grid_stencil.h"
#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

/// Fills `tangent` with M - h dF/dv - h^2 dF/dq, symmetric and positive: of each term only the part
/// that cannot be negative is kept. Rows and columns of fixed nodes are those of the identity.
void assembleTangent(const GridModel& model, double t, const VecX& q, const VecX& v, double h,
                     GridStencil& tangent);

}  // namespace pneuma::flesh
