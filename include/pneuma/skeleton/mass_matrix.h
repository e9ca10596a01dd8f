#pragma once

#include "pneuma/skeleton/loads.h"
#include "pneuma/skeleton/workspace.h"

namespace pneuma::skeleton {

/// Mass matrix by the composite-rigid-body algorithm [Featherstone08, Table 6.2]:
///
///   M_ij = S_j . (I_i^c S_i)   for j on the way from i to the root,   else 0
///
/// Writes the lower triangle of M where it is not structurally zero; M must be n x n and zero
/// elsewhere (it stays so: use one matrix for one model). Works at the state of the last
/// updateDynamics.
void computeMassMatrix(const Model& model, Workspace& workspace, RowMatX& M);

/// The whole symmetric matrix, the one-line call.
MatX massMatrix(const Model& model, const State& state);

/// Factorises in place M = L^T D L with L as sparse as M [Featherstone08, Sec. 6.5]: L is unit
/// lower triangular, D replaces the diagonal.
void factorMassMatrix(const Model& model, RowMatX& M);

/// x <- M^-1 x with the factors of factorMassMatrix.
void solveMassMatrix(const Model& model, const RowMatX& factor, VecX& x);

/// composite inertias of all links from the link inertias (shared with other algorithms).
void computeCompositeInertias(const Model& model, Workspace& workspace);

}  // namespace pneuma::skeleton
