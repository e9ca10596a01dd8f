#include "pneuma/skeleton/step.h"

#include <Eigen/LU>

#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/derivatives.h"
#include "pneuma/skeleton/energy.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "skeleton/dynamics/passes.h"
#include "skeleton/dynamics/step_parts.h"

namespace pneuma::skeleton {

/// Dense solver for the rare small pivot.
struct internal::PivotingSolver {
  explicit PivotingSolver(int size) : lu(size) {}
  Eigen::PartialPivLU<MatX> lu;
};

namespace {

Coupling couplingOf(const Model& model, const std::vector<LoadSource*>& sources) {
  Coupling coupling(model);
  for (const LoadSource* source : sources) source->addCoupling(coupling);
  return coupling;
}

}  // namespace

namespace internal {

void gatherLoads(const Model& model, const State& state, const LoadWeights& weights,
                 StepWorkspace& w) {
  updateDynamics(model, state, w.dynamics);
  w.loads.clear(weights);
  for (LoadSource* source : w.sources)
    source->addLoads(model, state, w.dynamics.kinematics, w.loads);
}

void advance(const Model& model, const VecX& velocity, const VecX& configurationVelocity, double h,
             State& state, StepWorkspace& w) {
  w.q = state.q;
  w.rhs.noalias() = h * configurationVelocity;
  integrateConfiguration(model, w.rhs, w.q);
  if (!velocity.allFinite() || !w.q.allFinite())
    checkFinite(model, {w.q, velocity, state.time + h});
  state.q = w.q;
  state.v = velocity;
  state.time += h;
}

void computeRightHandSide(const Model& model, const State& state, double h, StepWorkspace& w) {
  Workspace& d = w.dynamics;
  const Vec6 world = worldAcceleration(model);
  for (int l = 0; l < model.linkCount(); ++l) {
    const WorldInertia& I = d.inertia[l];
    const Vec6& V = d.kinematics.velocity[l];
    const Vec6 momentum = I * V;
    const Vec6 products = I * d.kinematics.biasAcceleration[l] + crossForce(V, momentum);
    d.force[l] = momentum + h * (products - I * world);
  }
  for (int l = model.linkCount() - 1; l >= 0; --l) {
    const Link& link = model.links[l];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      w.rhs[j] = d.kinematics.axis[j].dot(d.force[l]) +
                 model.dofResistance[j].armature * state.v[j] +
                 h * (w.loads.force[j] - w.loads.dampingForce[j]);
    if (link.parent >= 0) d.force[link.parent] += d.force[l];
  }
}

void solveCoupled(StepWorkspace& w) {
  if (w.solver.factor(w.loads.matrix, w.loads.symmetric)) {
    w.solver.solve(w.rhs, w.velocity);
    return;
  }
  ++w.pivotedSteps;
  w.pivoting->lu.compute(w.loads.denseMatrix());
  w.velocity = w.pivoting->lu.solve(w.rhs);
}

}  // namespace internal

using internal::advance;
using internal::computeRightHandSide;
using internal::gatherLoads;

StepWorkspace::StepWorkspace(const Model& model, std::vector<LoadSource*> list,
                             std::vector<Subsystem*> parts)
    : sources(std::move(list)),
      subsystems(std::move(parts)),
      dynamics(model),
      loads(model),
      solver(couplingOf(model, sources)),
      vDot(VecX::Zero(model.dofCount())),
      rhs(vDot),
      velocity(vDot),
      q(model.neutral),
      stage(makeState(model)),
      rate(vDot),
      sumStep(vDot),
      sumVelocity(vDot),
      pivoting(std::make_unique<internal::PivotingSolver>(model.dofCount())),
      partition(std::make_unique<internal::PartitionedSolver>()) {}

StepWorkspace::~StepWorkspace() = default;

void computeAcceleration(const Model& model, const State& state, StepWorkspace& w, VecX& vDot) {
  gatherLoads(model, state, {}, w);
  computeForwardDynamics(model, w.loads.force, w.dynamics, vDot);
}

void stepExplicitEuler(const Model& model, State& state, StepWorkspace& w, double h) {
  computeAcceleration(model, state, w, w.vDot);
  w.velocity = state.v + h * w.vDot;
  advance(model, w.velocity, state.v, h, state, w);
}

void stepSymplecticEuler(const Model& model, State& state, StepWorkspace& w, double h) {
  computeAcceleration(model, state, w, w.vDot);
  w.velocity = state.v + h * w.vDot;
  advance(model, w.velocity, w.velocity, h, state, w);
}

void stepImplicitEuler(const Model& model, State& state, StepWorkspace& w, double h) {
  const LoadWeights weights = LoadWeights::implicitStep(h);
  gatherLoads(model, state, weights, w);
  computeForwardDynamics(model, w.loads.force, w.dynamics, w.vDot);
  addImplicitInertia(model, w.vDot, weights, w.dynamics, w.loads.matrix);
  computeRightHandSide(model, state, h, w);
  internal::solveCoupled(w);
  advance(model, w.velocity, w.velocity, h, state, w);
}

EnergyBook computeEnergy(const Model& model, const State& state, StepWorkspace& w) {
  updateDynamics(model, state, w.dynamics);
  EnergyBook book;
  book.kinetic = kineticEnergy(model, state.v, w.dynamics);
  book.gravity = gravityEnergy(model, w.dynamics);
  for (const LoadSource* source : w.sources)
    book.elastic += source->energy(model, state, w.dynamics.kinematics);
  for (const Subsystem* part : w.subsystems) {
    book.kinetic += part->kineticEnergy();
    book.elastic += part->elasticEnergy();
  }
  return book;
}

}  // namespace pneuma::skeleton
