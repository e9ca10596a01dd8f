#pragma once

#include "pneuma/skeleton/workspace.h"

namespace pneuma::skeleton {

/// Forward dynamics by the articulated-body algorithm [Featherstone08, Table 7.1]:
///
///   vDot = M(q)^-1 (tau - c(q, v))
///
/// Linear in the number of links. The degrees of freedom are eliminated one by one with a rank-1
/// update of the articulated inertia, also those of one joint: no massless links, no small matrices
/// to invert. Velocity products and gravity enter as accelerations summed from the root beforehand,
/// so the sweep towards the root carries no bias terms (world axes make this free).
/// Works at the state of the last updateDynamics. `vDot` may not alias `tau`.
void computeForwardDynamics(const Model& model, const VecX& tau, Workspace& workspace, VecX& vDot);

/// The one-line call.
VecX forwardDynamics(const Model& model, const State& state, const VecX& tau);

}  // namespace pneuma::skeleton
