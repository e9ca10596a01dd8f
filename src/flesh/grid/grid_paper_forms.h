#pragma once

#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

/// Adds the forces of one of the paper's forms (not GridForm::Energy) to f [N].
void addPaperForces(const GridSolid& solid, GridForm form, const VecX& q, const VecX& v, VecX& f);

}  // namespace pneuma::flesh
