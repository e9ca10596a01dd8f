#pragma once

#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

/// Adds what acts besides gravity and the elastic terms between neighbours: loads, bending of a
/// surface, fibres, tendons.
void addAttachedForces(const GridModel& model, double t, const VecX& q, const VecX& v, VecX& f);

/// Adds the forces of edges, faces and cells, term by term.
void addLatticeForces(const GridSolid& solid, const VecX& q, const VecX& v, VecX& f);
/// Adds the curvature forces of a surface.
void addBendForces(const GridSolid& solid, const VecX& q, VecX& f);

}  // namespace pneuma::flesh
