#pragma once

#include <span>

/// From neural excitation to muscle activation.
namespace pneuma::muscle {

/// First-order activation dynamics with separate time constants of rise and fall [Zajac89]:
///
///   da/dt = (u - a) / tau,    tau = tau_rise for u > a, tau_fall for u < a
///
///   u  excitation, 0..1      a  activation, 0..1
///
/// Between two samples of u the solution is an exponential that never crosses u, so the step below
/// is exact for any step length: it cannot overshoot, and a stays in [0, 1] if u does.
struct ActivationDynamics {
  double riseTime = 0.015;  ///< tau_rise [s], > 0
  double fallTime = 0.050;  ///< tau_fall [s], > 0
};

/// da/dt and its partial derivatives.
struct ActivationRate {
  double rate = 0;         ///< da/dt [1/s]
  double dActivation = 0;  ///< d(rate)/da [1/s]
  double dExcitation = 0;  ///< d(rate)/du [1/s]
};

ActivationRate activationRate(const ActivationDynamics& dynamics, double activation,
                              double excitation);

/// Activation after dt with u held constant.
double stepActivation(const ActivationDynamics& dynamics, double activation, double excitation,
                      double dt);

/// The same for many muscles; the exponentials of the step are computed once.
void stepActivations(const ActivationDynamics& dynamics, std::span<const double> excitations,
                     double dt, std::span<double> activations);

/// Throws InputError when a time constant is not positive and finite.
void validate(const ActivationDynamics& dynamics);

}  // namespace pneuma::muscle
