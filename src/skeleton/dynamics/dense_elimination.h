#pragma once

#include "pneuma/skeleton/loads.h"

namespace pneuma::skeleton::internal {

/// Columns in which a system of `size` unknowns and `sides` right-hand sides lies: whole vector
/// registers, with the sides from a register's beginning.
struct EliminationLayout {
  EliminationLayout(Eigen::Index size, Eigen::Index sides);
  Eigen::Index size, firstSide, columns;
};

/// Solves dense systems by elimination with partial pivoting. Row i of `system` holds row i of the
/// matrix and, from layout.firstSide on, its right-hand sides, which become the solutions; what
/// lies between is ignored but has to be a number. Nothing is allocated. A matrix that is singular
/// leaves numbers that are not finite.
void eliminate(const EliminationLayout& layout, RowMatX& system);

}  // namespace pneuma::skeleton::internal
