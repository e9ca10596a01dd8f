// The synthetic upper body with 814 muscles (scenes/muscle_upper_body.h), ours and MuJoCo: lengths
// and moment arms, and one implicit step of 7 ms. One core, interleaved, thread CPU time.
//
// What differs in scope: MuJoCo's muscles are its own actuator on tendons through the same points
// (other force curves), and its implicit integrator takes velocities implicitly. Ours takes
// positions too, with the geometric stiffness of every muscle. mj_tendon and computePaths are timed
// after kinematics. The real-time figure is for our whole body: muscles with changing activations,
// joint resistance, 20 rib springs and 24 discs, under gravity.
#include <fmt/format.h>

#include <cmath>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/muscle/muscle_source.h"
#include "scenes/muscle_upper_body.h"
#include "tests/judges/judge.h"
#ifdef PNEUMA_JUDGE_MUJOCO
#include <mujoco/mujoco.h>

#include "tests/judges/mujoco_muscles.h"
#endif

using namespace pneuma;
using namespace pneuma::skeleton;
using bench::Contest;
using judges::view;

namespace {

constexpr int kStates = 8;
constexpr int kRounds = 30;
constexpr double kStep = 0.007;  // [Lee09, Sec. 3.2]

struct Scene {
  Scene()
      : model(scenes::makeUpperBody({.resistance = true})),
        muscles(muscle::compileMuscles(model, scenes::upperBodyMuscles(model))),
        muscleState(muscle::makeState(muscles)),
        source(model, muscles, muscleState, kStep),
        elements(scenes::makeUpperBodyElements(model)) {
    for (int s = 0; s < kStates; ++s) states.push_back(scenes::randomState(model, s, 0.05, 0.3));
    muscleState.activation.setConstant(0.1);
  }

  Model model;
  muscle::MuscleModel muscles;
  muscle::MuscleState muscleState;
  muscle::MuscleSource source;
  JointResistanceSource resistance;
  LinkElementSource elements;
  std::vector<State> states;
};

void report(const std::string& task, const std::string& key, const Contest& contest,
            bench::Figures& figures) {
  fmt::print("{:<34}{:>12}{:>12}{:>10}\n", task, "median us", "best us", "ratio");
  const double ours = contest.find("ours")->best();
  for (const Contest::Entry& e : contest.entries()) {
    fmt::print("  {:<32}{:>12.2f}{:>12.2f}", e.name, e.median(), e.best());
    if (e.name != "ours") {
      fmt::print("{:>10.2f}", e.best() / ours);
      figures.set("ratio." + key + "." + e.name, e.best() / ours);
    }
    fmt::print("\n");
  }
  figures.set("us." + key, ours);
}

#ifdef PNEUMA_JUDGE_MUJOCO
void placeMujoco(judges::MujocoJudge& judge, const State& state) {
  judge.setState(view(state.q), view(state.v));
  mj_kinematics(judge.model(), judge.data());
  mj_comPos(judge.model(), judge.data());
}
#endif

void benchPaths(Scene& s, bench::Figures& figures) {
  Contest contest;
  Kinematics kinematics(s.model);
  muscle::PathKinematics paths(s.muscles.paths);
  computeKinematics(s.model, s.states[0].q, s.states[0].v, kinematics);
  contest.add("ours", [&](int) { muscle::computePaths(s.muscles.paths, kinematics, paths); });
#ifdef PNEUMA_JUDGE_MUJOCO
  judges::MujocoJudge judge(judges::makeMjcfWithMuscles(s.model, s.muscles, "", false));
  placeMujoco(judge, s.states[0]);
  contest.add("mujoco", [&](int) { mj_tendon(judge.model(), judge.data()); });
#endif
  contest.run(kRounds);
  report("814 lengths and moment arms", "muscles", contest, figures);
#ifdef PNEUMA_JUDGE_MUJOCO
  const Eigen::Map<const VecX> theirs(judge.data()->ten_length, s.muscles.count());
  fmt::print("  largest difference of lengths {:.1e} m\n",
             (theirs - paths.length).cwiseAbs().maxCoeff());
#endif
}

void benchStep(Scene& s, bench::Figures& figures) {
  Contest contest;
  StepWorkspace step(s.model, {&s.resistance, &s.source});
  State state;
  contest.add("ours", [&](int i) {
    state = s.states[i % kStates];
    stepImplicitEuler(s.model, state, step, kStep);
  });
#ifdef PNEUMA_JUDGE_MUJOCO
  judges::MujocoJudge judge(
      judges::makeMjcfWithMuscles(s.model, s.muscles, "integrator='implicit'", true));
  std::fill_n(judge.data()->ctrl, judge.model()->nu, 0.1);
  std::fill_n(judge.data()->act, judge.model()->na, 0.1);
  contest.add("mujoco", [&](int i) {
    const State& from = s.states[i % kStates];
    judge.setState(view(from.q), view(from.v));
    mj_step(judge.model(), judge.data());
  });
#endif
  contest.run(kRounds);
  report("implicit step, 814 muscles", "implicit_step", contest, figures);
  fmt::print("  share of the matrix touched {:.2f}\n", step.solver.fill());
}

/// Parts of our step, alone.
void benchParts(Scene& s, bench::Figures& figures) {
  Loads loads(s.model);
  Workspace w(s.model);
  updateDynamics(s.model, s.states[0], w);
  Coupling coupling(s.model);
  s.source.addCoupling(coupling);
  CoupledSolver solver(coupling);
  const auto alone = [&](const std::string& task, std::function<void(int)> work) {
    Contest contest;
    contest.add("ours", std::move(work));
    contest.run(kRounds);
    report(task, task, contest, figures);
  };
  alone("clear", [&](int) { loads.clear(LoadWeights::implicitStep(kStep)); });
  alone("muscle_forces", [&](int) {
    loads.clear();
    s.source.addLoads(s.model, s.states[0], w.kinematics, loads);
  });
  alone("muscle_stiffness", [&](int) {
    loads.clear(LoadWeights::implicitStep(kStep));
    s.source.addLoads(s.model, s.states[0], w.kinematics, loads);
  });
  loads.matrix.diagonal().array() += 1;
  alone("factor_with_muscles", [&](int) { solver.factor(loads.matrix, loads.symmetric); });
}

/// Simulated over elapsed time for 2 s of the whole body under gravity.
void benchRealTime(Scene& s, bench::Figures& figures) {
  StepWorkspace step(s.model, {&s.resistance, &s.elements, &s.source});
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    State state = makeState(s.model);
    s.muscleState = muscle::makeState(s.muscles);
    const int steps = 286;
    const double start = threadCpuSeconds();
    for (int i = 0; i < steps; ++i) {
      for (int m = 0; m < s.muscles.count(); ++m)
        s.muscleState.activation[m] = 0.1 * (1 + std::sin(2 * state.time + m));
      stepImplicitEuler(s.model, state, step, kStep);
      muscle::advance(s.muscles, s.source.workspace(), s.muscleState);
    }
    best = std::max(best, steps * kStep / (threadCpuSeconds() - start));
  }
  fmt::print("whole body, 7 ms steps: {:.1f} times faster than real time ({:.0f} us per step)\n",
             best, 1e6 * kStep / best);
  figures.set("realtime.upper_body", best);
}

}  // namespace

int main() {
  bench::Figures figures;
  Scene scene;
  fmt::print("upper body: {} degrees of freedom, {} muscles, {} points; {}\n",
             scene.model.dofCount(), scene.muscles.count(), scene.muscles.paths.points.size(),
             buildDescription());
  benchPaths(scene, figures);
  benchStep(scene, figures);
  benchParts(scene, figures);
  benchRealTime(scene, figures);
}
