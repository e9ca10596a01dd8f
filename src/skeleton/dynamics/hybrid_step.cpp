#include <algorithm>
#include <bit>

#include "pneuma/core/check.h"
#include "pneuma/core/wide_registers.h"
#include "pneuma/skeleton/derivatives.h"
#include "pneuma/skeleton/hybrid_dynamics.h"
#include "skeleton/dynamics/step_parts.h"

/// Linearly implicit Euler with prescribed joints and subsystems.
namespace pneuma::skeleton {
namespace {

using internal::PartitionedSolver;

int pressureCount(const StepWorkspace& w) {
  int count = 0;
  for (const Subsystem* part : w.subsystems) count += part->pressureCount();
  return count;
}

/// Sizes, once per set of prescribed joints; a steady set costs a comparison.
void partition(const Model& model, std::span<const std::uint8_t> prescribed, int pressures,
               PartitionedSolver& p) {
  p.passive.clear();
  for (int j = 0; j < model.dofCount(); ++j)
    if (!prescribed[j]) p.passive.push_back(j);
  const auto m = static_cast<Eigen::Index>(p.passive.size());
  p.layout = internal::EliminationLayout(m, 1 + pressures);
  if (p.system.rows() != m || p.system.cols() != p.layout.columns)
    p.system.setZero(m, p.layout.columns);
  p.knownLink.resize(model.links.size());
  for (std::size_t l = 0; l < model.links.size(); ++l) {
    const Link& link = model.links[l];
    bool known = link.parent < 0 || p.knownLink[static_cast<std::size_t>(link.parent)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      known = known && prescribed[j];
    p.knownLink[l] = known;
  }
}

/// Lets every subsystem linearise itself; their gains are collected when one of them changed.
void updateGains(const State& state, std::span<const std::uint8_t> prescribed, StepWorkspace& w,
                 double h) {
  PartitionedSolver& p = *w.partition;
  const auto m = static_cast<Eigen::Index>(p.passive.size());
  bool changed = p.gains.rows() != m;
  for (Subsystem* part : w.subsystems) changed = part->linearise(state, prescribed, h) || changed;
  if (!changed) return;
  p.gains.resize(m, m);
  p.gains.setZero();
  for (const Subsystem* part : w.subsystems) part->addGains(p.gains);
  p.gainRows = p.gains;
}

/// Accelerations of links for given joint accelerations, as the world sees them.
void accelerateLinks(const Model& model, const VecX& vDot, const Kinematics& k,
                     std::vector<Vec6>& acceleration) {
  acceleration.resize(model.links.size());
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 a = k.biasAcceleration[l];
    if (link.parent >= 0) a += acceleration[link.parent] - k.biasAcceleration[link.parent];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j) a += vDot[j] * k.axis[j];
    acceleration[l] = a;
  }
}

/// Solves the passive block, condensed onto the links, for the residual and for the gradient of
/// each pressure.
void solvePassive(const StepWorkspace& w, const RowMatX& A, PartitionedSolver& p) {
  const auto m = static_cast<int>(p.passive.size());
  const int* passive = p.passive.data();
  const bool allPassive = A.rows() == m;
  for (int i = 0; i < m; ++i) {
    const int row = passive[i];
    const double* from = &A(row, 0);
    double* to = &p.system(i, 0);
    if (allPassive)
      std::copy(from, from + m, to);
    else
      for (int j = 0; j < m; ++j) to[j] = from[passive[j]];
    if (!w.subsystems.empty()) {
      const double* gain = &p.gainRows(i, 0);
      for (int j = 0; j < m; ++j) to[j] += gain[j];
    }
    double* side = to + p.layout.firstSide;
    *side++ = p.residual[row];
    for (const Subsystem* part : w.subsystems)
      for (int k = 0; k < part->pressureCount(); ++k) *side++ = part->condensedGradient(k)[row];
  }
  internal::eliminate(p.layout, p.system);
}

/// Factors phi_k = c_k (g_k . dv + s_k . dv_s) of all pressures, from (I + C N) phi = C t0: t0 are
/// the changes of volume without pressure gains, N how they answer to one another.
void solvePressures(const StepWorkspace& w, PartitionedSolver& p) {
  const int count = pressureCount(w);
  p.factors.assign(static_cast<std::size_t>(count), 0.0);
  if (count == 0) return;
  p.pressures = MatX::Identity(count, count);
  p.pressureRhs.resize(count);
  int row = 0;
  for (const Subsystem* part : w.subsystems)
    for (int k = 0; k < part->pressureCount(); ++k, ++row) {
      const double c = part->pressureGain(k);
      const VecX& g = part->condensedGradient(k);
      // `change` holds the prescribed joints; passive ones come from the solution.
      double t = part->pressureGradient(k).dot(p.change) + part->gradientOfMotion(k);
      for (std::size_t i = 0; i < p.passive.size(); ++i) t += g[p.passive[i]] * p.solution(i, 0);
      p.pressureRhs[row] = c * t;
      int column = 0;
      for (const Subsystem* other : w.subsystems)
        for (int j = 0; j < other->pressureCount(); ++j, ++column) {
          double n = other == part ? part->gradientOfGradient(k, j) : 0.0;
          for (std::size_t i = 0; i < p.passive.size(); ++i)
            n += g[p.passive[i]] * p.solution(i, 1 + column);
          p.pressures(row, column) += c * n;
        }
    }
  p.pressureLu.compute(p.pressures);
  p.pressureSolution = p.pressureLu.solve(p.pressureRhs);
  for (int k = 0; k < count; ++k) p.factors[static_cast<std::size_t>(k)] = p.pressureSolution[k];
}

/// Adds a symmetric matrix, given by its lower triangle. Rows are looked at first: joint resistance
/// leaves nothing beside the diagonal, and the transposed half is slow to write.
void addSymmetric(const RowMatX& lower, RowMatX& matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const double* row = &lower(i, 0);
    matrix(i, i) += row[i];
    std::uint64_t any = 0;
    for (Eigen::Index j = 0; j < i; ++j) any |= std::bit_cast<std::uint64_t>(row[j]);
    if (any == 0) continue;
    for (Eigen::Index j = 0; j < i; ++j) {
      matrix(i, j) += row[j];
      matrix(j, i) += row[j];
    }
  }
}

/// One row of a matrix times a vector. Four sums in a fixed order, whatever registers are wide.
double rowProduct(const RowMatX& matrix, int row, const VecX& x) {
  double sum = 0;
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    constexpr Eigen::Index kLanes = 4;
    using Lanes = double __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
    const double* a = &matrix(row, 0);
    const double* b = x.data();
    Lanes sums = {};
    Eigen::Index j = 0;
    for (; j + kLanes <= x.size(); j += kLanes)
      sums += *reinterpret_cast<const Lanes*>(a + j) * *reinterpret_cast<const Lanes*>(b + j);
    sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; j < x.size(); ++j) sum += a[j] * b[j];
  });
  return sum;
}

/// What the prescribed joints have to bear: tau = (A v' - b) / h and the pressures' share.
void bearPrescribed(std::span<const std::uint8_t> prescribed, const StepWorkspace& w,
                    const PartitionedSolver& p, double h, VecX& tau) {
  tau.setZero();
  for (int j = 0; j < static_cast<int>(tau.size()); ++j) {
    if (!prescribed[j]) continue;
    double sum = rowProduct(w.loads.matrix, j, w.velocity) - w.rhs[j];
    std::size_t k = 0;
    for (const Subsystem* part : w.subsystems)
      for (int i = 0; i < part->pressureCount(); ++i)
        sum += p.factors[k++] * part->pressureGradient(i)[j];
    tau[j] = sum / h;
  }
}

}  // namespace

void internal::completeImplicitSystem(const Model& model, std::span<const std::uint8_t> prescribed,
                                      const VecX& vDotTarget, const State& state, StepWorkspace& w,
                                      double h, VecX& tau) {
  w.vDot = vDotTarget;
  tau = w.loads.force;
  computeHybridDynamics(model, prescribed, w.dynamics, w.vDot, tau);
  addImplicitInertia(model, w.vDot, w.loads.weights, w.dynamics, w.loads.matrix);
  computeRightHandSide(model, state, h, w);
  addSymmetric(w.loads.symmetric, w.loads.matrix);
}

void assembleImplicitSystem(const Model& model, std::span<const std::uint8_t> prescribed,
                            const VecX& vDotTarget, const State& state, StepWorkspace& w,
                            double h) {
  PNEUMA_CHECK(w.subsystems.empty(), "subsystems step with stepImplicitHybrid");
  internal::gatherLoads(model, state, LoadWeights::implicitStep(h), w);
  internal::completeImplicitSystem(model, prescribed, vDotTarget, state, w, h, w.rate);
  w.loads.symmetric.setZero();
}

void solveImplicitSystem(StepWorkspace& w) {
  internal::solveCoupled(w);
}

void advanceImplicitSystem(const Model& model, State& state, StepWorkspace& w, double h) {
  internal::advance(model, w.velocity, w.velocity, h, state, w);
}

void stepImplicitHybrid(const Model& model, std::span<const std::uint8_t> prescribed,
                        const VecX& vDotTarget, State& state, StepWorkspace& w, double h,
                        VecX& tau) {
  PartitionedSolver& p = *w.partition;
  partition(model, prescribed, pressureCount(w), p);

  // Forces at the state: loads of the sources, reactions of the subsystems.
  const LoadWeights weights = LoadWeights::implicitStep(h);
  internal::gatherLoads(model, state, weights, w);
  p.change = h * vDotTarget;
  for (const int j : p.passive) p.change[j] = 0;
  if (!w.subsystems.empty()) {
    w.rate = p.change / h;
    accelerateLinks(model, w.rate, w.dynamics.kinematics, p.acceleration);
  }
  for (Subsystem* part : w.subsystems) {
    part->carry(w.dynamics.kinematics, p.acceleration, p.knownLink, h);
    part->evaluate(model, state, w.dynamics.kinematics, h, w.loads.force);
  }
  if (!w.subsystems.empty()) updateGains(state, prescribed, w, h);

  // The implicit system A v' = b of the links.
  internal::completeImplicitSystem(model, prescribed, vDotTarget, state, w, h, tau);
  const RowMatX& A = w.loads.matrix;

  // For the change dv of velocity: A dv = b - A v, with dv known at the prescribed joints.
  w.velocity = state.v + p.change;
  p.residual.setZero(model.dofCount());
  for (const int j : p.passive) p.residual[j] = w.rhs[j] - rowProduct(A, j, w.velocity);
  for (Subsystem* part : w.subsystems) {
    part->solve();
    part->addReaction(p.residual);
  }
  solvePassive(w, A, p);
  solvePressures(w, p);
  for (std::size_t i = 0; i < p.passive.size(); ++i) {
    double dv = p.solution(i, 0);
    for (std::size_t k = 0; k < p.factors.size(); ++k)
      dv -= p.factors[k] * p.solution(i, 1 + static_cast<int>(k));
    p.change[p.passive[i]] = dv;
  }
  w.velocity = state.v + p.change;

  bearPrescribed(prescribed, w, p, h, tau);

  // All or nothing: every part says whether it can go on before any of them does.
  std::size_t first = 0;
  for (Subsystem* part : w.subsystems) {
    part->check(std::span(p.factors).subspan(first), p.change, state.time);
    first += static_cast<std::size_t>(part->pressureCount());
  }
  internal::advance(model, w.velocity, w.velocity, h, state, w);
  first = 0;
  for (Subsystem* part : w.subsystems) {
    part->advance(std::span(p.factors).subspan(first), h);
    first += static_cast<std::size_t>(part->pressureCount());
  }
}

}  // namespace pneuma::skeleton
