#pragma once

#include "pneuma/skeleton/workspace.h"

namespace pneuma::skeleton {

/// Inverse dynamics by the recursive Newton-Euler algorithm [Featherstone08, Table 5.1], written
/// with world-frame spatial vectors:
///
///   tau = M(q) vDot + c(q, v),   c: velocity products and gravity
///
/// Linear in the number of links. Joint resistance and other loads are not included: subtract their
/// generalised force from tau. Works at the state of the last updateDynamics.
void computeInverseDynamics(const Model& model, const VecX& vDot, Workspace& workspace, VecX& tau);

/// c(q, v) alone.
void computeBiasForce(const Model& model, Workspace& workspace, VecX& c);

/// The one-line call.
VecX inverseDynamics(const Model& model, const State& state, const VecX& vDot);

}  // namespace pneuma::skeleton
