// Prescribed spine, ribs and arms; sternum and cartilages follow through stiff springs.
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/hybrid_dynamics.h"
#include "pneuma/skeleton/step.h"
#include "scenes/skeleton_trees.h"

namespace pneuma::skeleton {
namespace {

constexpr double kStep = 0.007;

struct Chest {
  explicit Chest(double stiffness = 4000, double damping = 10)
      : model(scenes::makeUpperBody({.resistance = true})),
        elements(withSprings(model, stiffness, damping)),
        workspace(model, {&resistance, &elements}),
        prescribed(model.dofCount()) {
    for (int j = 0; j < model.dofCount(); ++j) prescribed[j] = model.dofRole[j] == DofRole::Driven;
  }

  /// The body's springs and discs, the rib-cartilage springs as given [N/m, N s/m].
  static LinkElements withSprings(const Model& model, double stiffness, double damping) {
    LinkElements e = scenes::makeUpperBodyElements(model);
    for (PointSpring& s : e.springs) s.stiffness = stiffness, s.damping = damping;
    return e;
  }

  /// Servo accelerations that breathe with the ribs and hold everything else.
  VecX target(const State& state) const {
    VecX goal = VecX::Zero(model.dofCount());
    const double phase = 2 * kPi * state.time / 4;
    for (int j = 0; j < model.dofCount(); ++j)
      if (model.links[model.dofLink[j]].name.starts_with("rib_"))
        goal[j] = 0.05 * (1 - std::cos(phase));
    return 400 * (goal - state.q) - 40 * state.v;
  }

  Model model;
  JointResistanceSource resistance;
  LinkElementSource elements;
  StepWorkspace workspace;
  std::vector<std::uint8_t> prescribed;
};

double largestSpeed(const State& state) {
  return state.v.cwiseAbs().maxCoeff();
}

TEST(ImplicitHybridStep, BreathesWithAPassiveSternum) {
  Chest chest;
  State state = makeState(chest.model);
  VecX tau(chest.model.dofCount());
  double fastest = 0;
  for (int i = 0; i < 572; ++i) {
    stepImplicitHybrid(chest.model, chest.prescribed, chest.target(state), state, chest.workspace,
                       kStep, tau);
    fastest = std::max(fastest, largestSpeed(state));
  }
  EXPECT_LT(fastest, 10);
  // The sternum is carried along: ribs lift it by about their own travel.
  const Link& sternum = chest.model.links[chest.model.linkIndex("sternum")];
  EXPECT_LT(state.q.segment(sternum.firstPosition, 3).norm(), 0.05);
}

/// [Lee09, Sec. 4.3] to the letter: hybrid dynamics now, explicit Euler to the next step, hybrid
/// dynamics there for the torques, back, and an implicit step under those torques.
double speedWithExplicitLookAhead(Chest& chest, int steps) {
  const int n = chest.model.dofCount();
  ConstantForceSource motor(VecX::Zero(n));
  StepWorkspace forward(chest.model, {&chest.resistance, &chest.elements, &motor});
  State state = makeState(chest.model);
  const auto hybridAt = [&](const State& at, VecX& vDot, VecX& tau) {
    computeAcceleration(chest.model, at, chest.workspace, vDot);
    const VecX attached = chest.workspace.loads.force;
    vDot = chest.target(state);
    tau = attached;
    computeHybridDynamics(chest.model, chest.prescribed, chest.workspace.dynamics, vDot, tau);
    tau -= attached;
  };
  VecX vDot(n), tau(n);
  for (int i = 0; i < steps; ++i) {
    hybridAt(state, vDot, tau);
    State ahead = state;
    integrateConfiguration(chest.model, kStep * state.v, ahead.q);
    ahead.v += kStep * vDot;
    hybridAt(ahead, vDot, tau);
    motor.force = tau;
    try {
      stepImplicitEuler(chest.model, state, forward, kStep);
    } catch (const SimulationError&) {
      return 1e300;
    }
  }
  return largestSpeed(state);
}

double speedWithPartition(Chest& chest, int steps) {
  State state = makeState(chest.model);
  VecX tau(chest.model.dofCount());
  for (int i = 0; i < steps; ++i)
    stepImplicitHybrid(chest.model, chest.prescribed, chest.target(state), state, chest.workspace,
                       kStep, tau);
  return largestSpeed(state);
}

// The look-ahead holds with lightly damped springs and breaks when their damping (or, from 4e5 N/m
// on, their stiffness) is high for an explicit step of 7 ms; the partitioned system does not care.
TEST(ImplicitHybridStep, StaysStableWhereTheExplicitLookAheadDoesNot) {
  const int steps = 143;  // 1 s
  Chest light(4000, 10), heavy(4000, 100);
  EXPECT_LT(speedWithPartition(light, steps), 1);
  EXPECT_LT(speedWithExplicitLookAhead(light, steps), 1);
  EXPECT_LT(speedWithPartition(heavy, steps), 1);
  EXPECT_GT(speedWithExplicitLookAhead(heavy, steps), 1e3);
}

}  // namespace
}  // namespace pneuma::skeleton
