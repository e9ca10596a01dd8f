#pragma once

#include "pneuma/skeleton/model.h"

/// The configuration space: sums and differences that respect quaternions.
namespace pneuma::skeleton {

/// q <- q (+) step, where step is a velocity times a time. A ball turns about its own axes by the
/// exponential map; quaternions stay normalised. No allocation; step may alias nothing of q.
void integrateConfiguration(const Model& model, const VecX& step, VecX& q);

/// The step with integrate(from, step) == to; balls take the short way (below half a turn).
void configurationDifference(const Model& model, const VecX& from, const VecX& to, VecX& step);
VecX configurationDifference(const Model& model, const VecX& from, const VecX& to);

}  // namespace pneuma::skeleton
