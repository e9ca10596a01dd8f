// The synthetic upper body (68 links, 147 degrees of freedom, scenes/skeleton_trees.h) in our
// engine and in MuJoCo, DART, Simbody and Bullet: one core, interleaved, thread CPU time, median
// and best.
//
// What differs in scope: mj_forward runs MuJoCo's whole pipeline (kinematics, composite inertia,
// sparse factorisation; no contacts or actuators here), ours and the others are kinematics and the
// articulated-body algorithm. Bullet has balls for three hinges and diagonal inertia. DART and
// Simbody use their Euler and gimbal joints. mj_step implicit treats velocities implicitly, ours
// positions too.
#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/skeleton/derivatives.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/hybrid_dynamics.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "pneuma/skeleton/step.h"
#include "scenes/skeleton_trees.h"
#include "tests/judges/judge.h"
#ifdef PNEUMA_JUDGE_MUJOCO
#include <mujoco/mujoco.h>

#include "tests/judges/mujoco_judge.h"
#endif

using namespace pneuma;
using namespace pneuma::skeleton;
using bench::Contest;
using judges::Judge;
using judges::view;

namespace {

constexpr int kStates = 16;
constexpr int kRounds = 40;

struct Scene {
  Scene() : model(scenes::makeUpperBody()), w(model) {
    const int n = model.dofCount();
    vDot.setZero(n);
    for (int s = 0; s < kStates; ++s) {
      states.push_back(scenes::randomState(model, s));
      taus.push_back(inverseDynamics(model, states.back(), VecX::LinSpaced(n, -20, 20)));
    }
    prescribed.resize(n);
    for (int j = 0; j < n; ++j) prescribed[j] = model.dofRole[j] == DofRole::Driven;
  }

  Model model;
  Workspace w;
  std::vector<State> states;
  std::vector<VecX> taus;
  std::vector<std::uint8_t> prescribed;
  VecX vDot;
};

struct Peer {
  std::string name;
  std::unique_ptr<Judge> judge;
};

std::vector<Peer> makePeers(const Model& model) {
  std::vector<Peer> peers;
#ifdef PNEUMA_JUDGE_MUJOCO
  peers.push_back({"mujoco", std::make_unique<judges::MujocoJudge>(judges::makeMjcf(model))});
#endif
#ifdef PNEUMA_JUDGE_DART
  peers.push_back({"dart", judges::makeDartJudge(model)});
#endif
#ifdef PNEUMA_JUDGE_SIMBODY
  peers.push_back({"simbody", judges::makeSimbodyJudge(model)});
#endif
#ifdef PNEUMA_JUDGE_BULLET
  peers.push_back({"bullet", judges::makeBulletJudge(model)});
#endif
  static_cast<void>(model);
  return peers;
}

/// Prints a contest as a table; ratios are best / best against ours.
void report(const std::string& task, const Contest& contest, bench::Figures& figures) {
  const Contest::Entry* ours = contest.find("ours");
  fmt::print("{:<34}{:>12}{:>12}{:>10}\n", task, "median us", "best us", "ratio");
  for (const Contest::Entry& e : contest.entries()) {
    fmt::print("  {:<32}{:>12.2f}{:>12.2f}", e.name, e.median(), e.best());
    if (&e != ours) {
      fmt::print("{:>10.2f}", e.best() / ours->best());
      figures.set("ratio." + task + "." + e.name, e.best() / ours->best());
    }
    fmt::print("\n");
  }
  figures.set("us." + task, ours->best());
}

void benchForward(Scene& s, std::vector<Peer>& peers, bench::Figures& figures) {
  Contest contest;
  contest.add("ours", [&](int i) {
    updateDynamics(s.model, s.states[i % kStates], s.w);
    computeForwardDynamics(s.model, s.taus[i % kStates], s.w, s.vDot);
  });
  for (Peer& p : peers) {
    contest.add(p.name, [&](int i) {
      const State& state = s.states[i % kStates];
      p.judge->setState(view(state.q), view(state.v));
      p.judge->forward(view(s.taus[i % kStates]), view(s.vDot));
    });
  }
  contest.run(kRounds);
  report("forward", contest, figures);
}

void benchInverse(Scene& s, std::vector<Peer>& peers, bench::Figures& figures) {
  Contest contest;
  VecX tau(s.model.dofCount());
  const VecX vDot = VecX::LinSpaced(s.model.dofCount(), -20, 20);
  contest.add("ours", [&](int i) {
    updateDynamics(s.model, s.states[i % kStates], s.w);
    computeInverseDynamics(s.model, vDot, s.w, tau);
  });
  for (Peer& p : peers) {
    if (p.name == "bullet") continue;
    contest.add(p.name, [&](int i) {
      const State& state = s.states[i % kStates];
      p.judge->setState(view(state.q), view(state.v));
      p.judge->inverse(view(vDot), view(tau));
    });
  }
  contest.run(kRounds);
  report("inverse", contest, figures);
}

void benchHybrid(Scene& s, std::vector<Peer>& peers, bench::Figures& figures) {
  Contest contest;
  VecX tau(s.model.dofCount());
  const auto prepare = [&](int i) {
    tau = s.taus[i % kStates];
    s.vDot.setConstant(1);
  };
  contest.add("ours", [&](int i) {
    prepare(i);
    updateDynamics(s.model, s.states[i % kStates], s.w);
    computeHybridDynamics(s.model, s.prescribed, s.w, s.vDot, tau);
  });
  for (Peer& p : peers) {
    if (p.name != "dart") continue;
    contest.add(p.name, [&](int i) {
      prepare(i);
      const State& state = s.states[i % kStates];
      p.judge->setState(view(state.q), view(state.v));
      p.judge->hybrid(s.prescribed, view(s.vDot), view(tau));
    });
  }
  contest.run(kRounds);
  report("hybrid", contest, figures);
}

/// Algorithms no peer offers alike, ours alone.
void benchOthers(Scene& s, bench::Figures& figures) {
  const int n = s.model.dofCount();
  RowMatX M = RowMatX::Zero(n, n), A = M;
  InverseDynamicsDerivatives derivatives(s.model);
  const auto alone = [&](const std::string& task, std::function<void(int)> work) {
    Contest contest;
    contest.add("ours", std::move(work));
    contest.run(kRounds);
    report(task, contest, figures);
  };
  alone("mass_matrix", [&](int i) {
    updateDynamics(s.model, s.states[i % kStates], s.w);
    computeMassMatrix(s.model, s.w, M);
  });
  alone("derivatives", [&](int i) {
    updateDynamics(s.model, s.states[i % kStates], s.w);
    computeInverseDynamicsDerivatives(s.model, s.vDot, s.w, derivatives);
  });
  alone("implicit_matrix", [&](int i) {
    updateDynamics(s.model, s.states[i % kStates], s.w);
    A.setZero();
    addImplicitInertia(s.model, s.vDot, LoadWeights::implicitStep(0.007), s.w, A);
  });
  Coupling all(s.model);
  all.coupleAll();
  CoupledSolver dense(all), tree{Coupling(s.model)};
  const RowMatX none = RowMatX::Zero(n, n);
  alone("factor_tree", [&](int) { tree.factor(A, none); });
  RowMatX full = A;
  full.array() += 1e-6;
  alone("factor_all_coupled", [&](int) { dense.factor(full, none); });
}

/// One implicit step of the bare tree; MuJoCo's implicit integrator beside it.
void benchTreeStep(Scene& s, bench::Figures& figures) {
  Contest contest;
  JointResistanceSource resistance;
  StepWorkspace step(s.model, {&resistance});
  State state;
  contest.add("ours", [&](int i) {
    state = s.states[i % kStates];
    stepImplicitEuler(s.model, state, step, 0.007);
  });
#ifdef PNEUMA_JUDGE_MUJOCO
  judges::MujocoJudge judge(judges::makeMjcf(s.model, "integrator='implicit'"));
  contest.add("mujoco", [&](int i) {
    const State& from = s.states[i % kStates];
    judge.setState(view(from.q), view(from.v));
    mj_step(judge.model(), judge.data());
  });
#endif
  contest.run(kRounds);
  report("implicit_tree_step", contest, figures);
}

}  // namespace

int main() {
  bench::Figures figures;
  Scene scene;
  std::vector<Peer> peers = makePeers(scene.model);
  fmt::print("upper body: {} links, {} degrees of freedom; {}\n", scene.model.linkCount(),
             scene.model.dofCount(), buildDescription());
  benchForward(scene, peers, figures);
  benchInverse(scene, peers, figures);
  benchHybrid(scene, peers, figures);
  benchOthers(scene, figures);
  benchTreeStep(scene, figures);
}
