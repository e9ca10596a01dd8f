#pragma once

#include <span>

#include "pneuma/skeleton/workspace.h"

namespace pneuma::skeleton {

/// Hybrid dynamics [Featherstone08, Sec. 9.2; Lee09, Eq. 13]: of each degree of freedom either the
/// acceleration or the force is given, and the other one is found, in linear time:
///
///   [tau_m]          [vDot_m]
///   [tau_p] = M(q) * [vDot_p] + c(q, v)      given: vDot_m, tau_p    found: tau_m, vDot_p
///
/// prescribed[j] != 0: vDot[j] is given and tau[j] is written; else tau[j] is given and vDot[j]
/// written. Prescribed motion enters like a bias acceleration; the articulated-body sweep simply
/// does not eliminate it. Works at the state of the last updateDynamics.
void computeHybridDynamics(const Model& model, std::span<const std::uint8_t> prescribed,
                           Workspace& workspace, VecX& vDot, VecX& tau);

}  // namespace pneuma::skeleton
