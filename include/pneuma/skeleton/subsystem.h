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
///   ( [A + G  -U^T]              [g_k] [g_k]^T ) [dv]   [r  ]
///   ( [-U      A_s] + sum_k c_k  [s_k] [s_k]   ) [w ] = [b_s]
///
///   A, r    links: inertia, loads and right-hand side of the implicit step
///   G       gains of the subsystem on links [kg, kg m^2]: h D + h^2/2 K of what ties them to it
///   and
///           to each other
///   A_s     own block: masses and gains of the own degrees of freedom, factored by the subsystem
///   U       gains between the two: a spring that holds one end pulls at the other
///   c_k     stiffness of one pressure over the step; g_k, s_k gradient of its volume with respect
///           to links and own degrees of freedom (rank one)
///   r, b_s  forces at the step's beginning; those on links are the reactions of those on the own
///           part
///
/// Solved exactly, by the Schur complement on the links that move freely,
///
///   (A + G - U^T A_s^-1 U) dv = r + U^T A_s^-1 b_s - sum_k phi_k (g_k + U^T A_s^-1 s_k)
///
/// and a system of as many rows as there are pressures for phi_k = c_k (g_k . dv + s_k . dv_s). So
/// what an own part gains within the step its links lose, to rounding.
///
/// Nothing here allocates after the first step.
class Subsystem {
 public:
  virtual ~Subsystem() = default;

  /// What is known of the links' motion before the step is solved: their spatial accelerations
  /// (about the kinematics' origin, without gravity) when the joints that are not prescribed do not
  /// accelerate; `known` says that every joint above the link is prescribed. Own degrees of freedom
  /// are carried along; w is their change of velocity besides.
  virtual void carry(const Kinematics& kinematics, std::span<const Vec6> acceleration,
                     std::span<const std::uint8_t> known, double h) = 0;

  /// Evaluates forces and pressures at the beginning of a step of size h and adds the generalised
  /// force on the links.
  virtual void evaluate(const Model& model, const State& state, const Kinematics& kinematics,
                        double h, VecX& force) = 0;

  /// Brings G, U and A_s to the state that was evaluated, for the degrees of freedom that are not
  /// prescribed; the part decides when the last ones still serve. True when they changed.
  virtual bool linearise(const State& state, std::span<const std::uint8_t> prescribed,
                         double h) = 0;
  /// Adds G - U^T A_s^-1 U: a row for each degree of freedom that is not prescribed, in their
  /// order.
  virtual void addGains(MatX& gains) const = 0;

  /// Solves the own block for b_s and for every s_k.
  virtual void solve() = 0;
  /// Adds U^T A_s^-1 b_s, by degree of freedom.
  virtual void addReaction(VecX& residual) const = 0;

  virtual int pressureCount() const = 0;
  virtual double pressureGain(int k) const = 0;           ///< c_k, >= 0
  virtual const VecX& pressureGradient(int k) const = 0;  ///< g_k
  /// g_k + U^T A_s^-1 s_k; prescribed degrees of freedom as they please.
  virtual const VecX& condensedGradient(int k) const = 0;
  /// s_k . (A_s^-1 b_s + what the part is carried along).
  virtual double gradientOfMotion(int k) const = 0;
  /// s_k . A_s^-1 s_j.
  virtual double gradientOfGradient(int k, int j) const = 0;

  /// Finds w = A_s^-1 (b_s + U dv - sum_k phi_k s_k). Throws SimulationError when something is not
  /// finite; the own state is untouched.
  virtual void check(std::span<const double> factors, const VecX& dv, double time) = 0;
  /// Takes the step that was checked.
  virtual void advance(std::span<const double> factors, double h) = 0;

  /// Stored energy and kinetic energy of the own part [J].
  virtual double elasticEnergy() const = 0;
  virtual double kineticEnergy() const = 0;
};

}  // namespace pneuma::skeleton
