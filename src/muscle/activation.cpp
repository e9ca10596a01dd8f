#include "pneuma/muscle/activation.h"

#include <cmath>

#include "muscle/require.h"
#include "pneuma/core/check.h"

namespace pneuma::muscle {
namespace {

/// Fraction of the way to u that is covered in dt.
double approach(double dt, double tau) {
  return -std::expm1(-dt / tau);
}

double towards(double activation, double excitation, double rise, double fall) {
  const double gap = excitation - activation;
  return activation + gap * (gap > 0 ? rise : fall);
}

}  // namespace

void validate(const ActivationDynamics& dynamics) {
  const auto check = [](const char* field, double value) {
    internal::require(value > 0, "activation dynamics", field, value, "a time > 0 [s]");
  };
  check("riseTime", dynamics.riseTime);
  check("fallTime", dynamics.fallTime);
}

ActivationRate activationRate(const ActivationDynamics& dynamics, double activation,
                              double excitation) {
  const double inverse = 1 / (excitation > activation ? dynamics.riseTime : dynamics.fallTime);
  return {(excitation - activation) * inverse, -inverse, inverse};
}

double stepActivation(const ActivationDynamics& dynamics, double activation, double excitation,
                      double dt) {
  return towards(activation, excitation, approach(dt, dynamics.riseTime),
                 approach(dt, dynamics.fallTime));
}

void stepActivations(const ActivationDynamics& dynamics, std::span<const double> excitations,
                     double dt, std::span<double> activations) {
  PNEUMA_CHECK(excitations.size() == activations.size(), "{} excitations for {} activations",
               excitations.size(), activations.size());
  const double rise = approach(dt, dynamics.riseTime), fall = approach(dt, dynamics.fallTime);
  for (std::size_t i = 0; i < activations.size(); ++i)
    activations[i] = towards(activations[i], excitations[i], rise, fall);
}

}  // namespace pneuma::muscle
