#pragma once

#include <cstdint>
#include <span>

#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/loads.h"

namespace pneuma::skeleton {

/// A soft part of a body that owns degrees of freedom: a diaphragm with wall and gut, a sealed body
/// of flesh. It is attached to links, acts on them, and joins their implicit step
/// (stepImplicitHybrid):
///
///   ( [A + G   0 ]              [g_k] [g_k]^T ) [dv  ]   [ r   ]
///   ( [0      A_s] + sum_k c_k  [s_k] [s_k]   ) [dv_s] = [h f_s]
///
///   A, r     links: inertia, loads and right-hand side of the implicit step
///   G        gains of the subsystem on links [kg, kg m^2]: h D + h^2/2 K of what ties them to it
///   and
///            to each other, own degrees of freedom held; acts between joints that move freely
///   A_s      own block: masses and gains with links held, factored by the subsystem
///   c_k      stiffness of one pressure over the step; g_k, s_k gradient of its volume with respect
///   to
///            links and own degrees of freedom: coupled exactly, by a system of as many rows as
///            there are pressures
///   f, f_s   forces at the step's beginning; those on links are the reactions of those on the own
///   part
///
/// Leaving out the off-diagonal gains between links and own part is safe: with D and K on both
/// diagonals the step is stable for every h, since K <= 2 diag(K) for a pair of ends.
///
/// Nothing here allocates after the first step.
class Subsystem {
 public:
  virtual ~Subsystem() = default;

  /// Adds h D + h^2/2 K on links, by degree of freedom, in the neutral configuration (once per step
  /// size: joints between links keep them valid in every pose of the whole).
  virtual void addGains(const Model& model, double h, MatX& gains) = 0;

  /// What is known of the links' motion before the step is solved: their spatial accelerations
  /// (about the kinematics' origin, without gravity), where `known` says that every joint above the
  /// link is prescribed.
  virtual void carry(const Kinematics& kinematics, std::span<const Vec6> acceleration,
                     std::span<const std::uint8_t> known, double h) = 0;

  /// Evaluates forces and pressures at the beginning of a step of size h and adds the generalised
  /// force on the links.
  virtual void evaluate(const Model& model, const State& state, const Kinematics& kinematics,
                        double h, VecX& force) = 0;

  /// The accelerations that the links will have, but for the pressures' gains: for parts that ride
  /// on links which `carry` did not know.
  virtual void follow(const Kinematics& kinematics, std::span<const Vec6> acceleration,
                      double h) = 0;

  virtual int pressureCount() const = 0;
  virtual double pressureGain(int k) const = 0;           ///< c_k, >= 0
  virtual const VecX& pressureGradient(int k) const = 0;  ///< g_k

  /// Solves the own block for h f_s and for every s_k.
  virtual void solve() = 0;
  /// s_k . dv_s of the solution without pressure gains.
  virtual double gradientOfMotion(int k) const = 0;
  /// s_k . A_s^-1 s_j.
  virtual double gradientOfGradient(int k, int j) const = 0;

  /// Takes the step: dv_s = A_s^-1 (h f_s - sum_k factor_k s_k). First checks; throws
  /// SimulationError and leaves the own state as it was when something is not finite.
  virtual void check(std::span<const double> factors, double time) = 0;
  virtual void advance(std::span<const double> factors, double h) = 0;

  /// Stored energy and kinetic energy of the own part [J].
  virtual double elasticEnergy() const = 0;
  virtual double kineticEnergy() const = 0;
};

}  // namespace pneuma::skeleton
