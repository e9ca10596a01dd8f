#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/SparseCore>

#include "pneuma/core/types.h"

/// Integrators for ordinary differential equations x' = f(t, x) over a flat state.
namespace pneuma {

using SparseMat = Eigen::SparseMatrix<double>;

/// The right-hand side. One object is stepped by one thread at a time.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  virtual Eigen::Index size() const = 0;
  /// dxdt = f(t, x). Must not allocate after its first call.
  virtual void derivative(double t, const VecX& x, VecX& dxdt) = 0;

  /// For second-order systems x = (q, v) with q' = v: number of leading position entries, else 0.
  /// Symplectic Euler needs it.
  virtual Eigen::Index positionCount() const { return 0; }

  /// df/dx for implicit methods. Returns false when not available (differences are used then).
  /// The sparsity pattern must stay the same from call to call.
  virtual bool jacobian(double t, const VecX& x, SparseMat& dfdx);
};

/// The methods on offer; integratorNames() has their spelling.
enum class IntegratorKind {
  ForwardEuler,
  SymplecticEuler,  ///< v += h a(q, v); q += h v
  Midpoint,         ///< RK2
  RungeKutta4,
  CashKarp54,  ///< adaptive, embedded orders 5 and 4
  AdamsBashforth2,
  AdamsBashforth3,
  AdamsBashforth4,
  AdamsMoulton4,  ///< predictor-corrector PECE, AB4 predictor
  ImplicitEuler   ///< Newton; Jacobian given or by differences
};

/// Settings of the methods that have any.
struct IntegratorConfig {
  double absoluteTolerance = 1e-8;  ///< Cash-Karp error per step, absolute part [state unit], > 0
  double relativeTolerance = 1e-6;  ///< Cash-Karp error per step, relative part [-], >= 0
  double smallestStep = 1e-12;      ///< Cash-Karp gives up below it [s], > 0
  int newtonIterations = 20;        ///< ImplicitEuler, at most, >= 1
  double newtonTolerance = 1e-10;   ///< ImplicitEuler, on the scaled update [-], > 0
};

/// What a step did.
struct StepReport {
  bool ok = true;            ///< false: state left as it was before the step
  std::string_view problem;  ///< why not, static text
  int evaluations = 0;       ///< calls of derivative
  int substeps = 0;          ///< accepted inner steps (Cash-Karp), else 1
  int rejected = 0;          ///< rejected inner steps (Cash-Karp)
  int newtonIterations = 0;
};

/// Advances a state by h. Multi-step methods keep a history; reset() forgets it (after the state
/// was changed from outside). After the first step of a given size nothing is allocated.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Advances x from t to t + h. On failure (non-finite derivative, no convergence) x is unchanged.
  virtual StepReport step(OdeSystem& system, double t, double h, VecX& x) = 0;
  virtual void reset() {}
  virtual IntegratorKind kind() const = 0;
  virtual int order() const = 0;  ///< theoretical order of the global error
  /// History needed to continue exactly (empty for one-step methods); part of a checkpoint.
  virtual std::vector<double> saveHistory() const { return {}; }
  virtual void restoreHistory(const std::vector<double>&) {}
};

std::unique_ptr<Integrator> makeIntegrator(IntegratorKind kind,
                                           const IntegratorConfig& config = {});

/// Names used on the command line: euler, symplectic-euler, rk2, rk4, cash-karp, ab2, ab3, ab4,
/// am4, implicit-euler.
const std::vector<std::string>& integratorNames();
std::string_view toString(IntegratorKind kind);
/// Throws InputError naming the nearest name.
IntegratorKind parseIntegrator(std::string_view name);

}  // namespace pneuma
