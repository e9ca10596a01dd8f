#pragma once

#include "pneuma/core/integrator.h"

/// Makers of the single integrators, one file each, gathered by makeIntegrator().
namespace pneuma::internal {

std::unique_ptr<Integrator> makeExplicitOneStep(IntegratorKind kind);
std::unique_ptr<Integrator> makeCashKarp(const IntegratorConfig& config);
std::unique_ptr<Integrator> makeAdams(IntegratorKind kind);
std::unique_ptr<Integrator> makeImplicitEuler(const IntegratorConfig& config);

inline constexpr std::string_view kNonFiniteDerivative = "the derivative is not finite";
inline constexpr std::string_view kNonFiniteState = "the new state is not finite";

}  // namespace pneuma::internal
