// A body that moves by its own muscles (control::Performance): 4 s of a curl with 5 kg in each hand
// and tensed arms, 814 muscles, steps of 7 ms. Every step is timed by itself, one core, thread CPU
// time: median, 95th percentile, slowest; the share of the activation problems; warm and cold
// Newton steps.
//
// Beside it MuJoCo on the same states: its kinematics, tendons with moment arms and inverse
// dynamics for the same accelerations, our solver for the same activation problems, and its
// implicit step with its own muscles. What differs in scope: its tendons leave wraps out, its
// inverse dynamics know neither our parallel elements nor rib springs (the problems solved are
// those of our steps, so that both solve the same), and its implicit integrator takes velocities
// implicitly, ours positions too.
//
// Apart from it the same with Ipopt in the place of our solver, as one who has no solver of his own
// would do it: one problem of all muscles without coactivation for every twentieth step, beside
// ours solved cold.
#include <fmt/format.h>

#include <algorithm>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/control/performance.h"
#include "pneuma/core/parallel.h"
#include "tests/judges/judge.h"
#include "tests/support/human.h"
#ifdef PNEUMA_JUDGE_MUJOCO
#include <mujoco/mujoco.h>

#include "tests/judges/mujoco_muscles.h"
#endif
#ifdef PNEUMA_PEER_IPOPT
#include "bench/ipopt_activations.h"
#endif

namespace {

using namespace pneuma;
using control::Performance;

constexpr double kWarm = 0.2, kSeconds = 4;  // [s]
constexpr double kCoactivation = 0.3;
constexpr int kRounds = 5;

void tenseArms(control::PerPart& coactivation) {
  for (const control::BodyPart arm : {control::BodyPart::ArmLeft, control::BodyPart::ArmRight})
    coactivation[arm] = kCoactivation;
}

void begin(Performance& p, const anatomy::CompiledBody& compiled) {
  p.set(control::makeExercise("curl", compiled, p.body().model()));
  for (const std::string& load : p.exercise().loads) p.hold(load);
  tenseArms(p.controller().coactivation());
  p.start();
  while (p.time() < kWarm) p.step();
}

/// A planner as the controller's.
control::ActivationPlanner makePlanner(const control::MuscleController& c) {
  std::vector<control::BodyPart> rows;
  for (const int j : c.plan().driven())
    rows.push_back(c.parts().ofDof[static_cast<std::size_t>(j)]);
  control::ActivationPlanner planner(c.columns(), rows, c.parts().ofMuscle);
  tenseArms(planner.coactivation);
  return planner;
}

double atRank(std::vector<double> values, double rank) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(rank * static_cast<double>(values.size() - 1))];
}

/// What a step was asked: enough to ask it again.
struct Asked {
  VecX q, v, activeForce, a;
  control::ActivationProblem problem;
  control::MuscleColumns columns;
};

std::vector<Asked> benchSteps(const anatomy::CompiledBody& compiled, bench::Figures& figures,
                              double& median) {
  std::vector<double> costs;
  std::vector<Asked> asked;
  int iterations = 0;
  for (int round = 0; round < kRounds; ++round) {
    Performance p(compiled);
    begin(p, compiled);
    std::size_t k = 0;
    while (p.time() < kSeconds) {
      const VecX q = p.body().state().skeleton.q, v = p.body().state().skeleton.v;
      const double start = threadCpuSeconds();
      p.step();
      const double cost = threadCpuSeconds() - start;
      // The least of all rounds: what other programs took is not ours.
      if (round == 0) {
        costs.push_back(cost);
        iterations += p.controller().report().effort.iterations;
        asked.push_back({q, v, p.body().muscleResults().dActivation,
                         p.body().state().muscles.activation, p.controller().problem(),
                         p.controller().columns()});
      } else {
        costs[k] = std::min(costs[k], cost);
      }
      ++k;
    }
  }
  const double h = muscle::DrivenBodyConfig{}.step;
  const auto report = [&](const std::string& key, const char* what, double cost) {
    fmt::print("{:<40}{:>8.1f} us{:>8.1f} x real time\n", what, 1e6 * cost, h / cost);
    figures.set(key, h / cost);
  };
  report("realtime.control", "controlled step, median", atRank(costs, 0.5));
  report("realtime.control.p95", "95th percentile", atRank(costs, 0.95));
  report("realtime.control.slowest", "slowest", atRank(costs, 1));
  fmt::print("Newton steps per time step {:.2f}\n",
             static_cast<double>(iterations) / static_cast<double>(asked.size()));
  median = 1e6 * atRank(costs, 0.5);
  figures.set("us.control", median);
  return asked;
}

/// The problems of all steps once more, alone.
void benchProblems(const anatomy::CompiledBody& compiled, const std::vector<Asked>& asked,
                   bench::Figures& figures) {
  const Performance p(compiled);
  for (const bool cold : {false, true}) {
    control::ActivationPlanner planner = makePlanner(p.controller());
    std::vector<double> costs;
    int iterations = 0;
    VecX a = asked.front().a, slack = asked.front().problem.demand;
    for (const Asked& x : asked) {
      if (cold) planner.forget();
      const double start = threadCpuSeconds();
      planner.solve(x.columns, x.problem, a, slack);
      costs.push_back(threadCpuSeconds() - start);
      iterations += planner.effort().iterations;
    }
    fmt::print("activation problems, {}: median {:.1f} us, {:.2f} Newton steps\n",
               cold ? "cold" : "warm", 1e6 * atRank(costs, 0.5),
               static_cast<double>(iterations) / static_cast<double>(asked.size()));
    figures.set(cold ? "us.control.qp.cold" : "us.control.qp.warm", 1e6 * atRank(costs, 0.5));
  }
}

#ifdef PNEUMA_PEER_IPOPT
/// Ipopt on the problems of some steps, and our solver on the same; its median cost [us].
double benchIpopt(const std::vector<Asked>& asked, bench::Figures& figures) {
  constexpr std::size_t kEvery = 20;
  const control::ActivationSolverConfig config;
  control::ActivationSolver solver(asked.front().columns, config);
  std::vector<double> theirs, ours;
  double apart = 0;
  int iterations = 0, failed = 0;
  for (std::size_t k = 0; k < asked.size(); k += kEvery) {
    const Asked& x = asked[k];
    VecX a = VecX::Constant(x.columns.count(), 0.1), b = a;
    VecX lambda = VecX::Zero(x.columns.rows);
    double start = threadCpuSeconds();
    const int taken = bench::IpoptActivations().solve(x.columns, x.problem, config.slackCost, a);
    theirs.push_back(threadCpuSeconds() - start);
    (taken < 0 ? failed : iterations) += taken < 0 ? 1 : taken;
    solver.columns = x.columns;
    start = threadCpuSeconds();
    solver.solve(x.problem, lambda, b);
    ours.push_back(threadCpuSeconds() - start);
    if (taken >= 0) apart = std::max(apart, (a - b).cwiseAbs().maxCoeff());
  }
  const double median = 1e6 * atRank(theirs, 0.5);
  fmt::print(
      "Ipopt on one activation problem: median {:.0f} us, {:.1f} iterations, {} of {} given up; "
      "ours cold {:.0f} us; activations at most {:.1e} apart\n",
      median, static_cast<double>(iterations) / static_cast<double>(theirs.size()), failed,
      theirs.size(), 1e6 * atRank(ours, 0.5), apart);
  figures.set("us.control.qp.ipopt", median);
  return median;
}
#endif

#ifdef PNEUMA_JUDGE_MUJOCO
/// MuJoCo's moment arms as columns: minus ten_J times active force, in the rows that muscles drive.
void fillColumns(const mjModel* m, const mjData* d, const std::vector<int>& rowOfDof,
                 const VecX& activeForce, control::MuscleColumns& columns) {
  const bool sparse = mj_isSparse(m) != 0;
  double* out = columns.values.data();
  for (int t = 0; t < m->ntendon; ++t) {
    const auto at = [&](int dof) {
      if (!sparse) return d->ten_J[t * m->nv + dof];
      const int from = d->ten_J_rowadr[t];
      const int* begin = d->ten_J_colind + from;
      const int* end = begin + d->ten_J_rownnz[t];
      const int* found = std::lower_bound(begin, end, dof);
      return found != end && *found == dof ? d->ten_J[from + (found - begin)] : 0.0;
    };
    for (int r = columns.begin[t]; r < columns.begin[t + 1]; ++r)
      for (int k = 0; k < columns.runs[r].count; ++k)
        *out++ = -activeForce[t] * at(rowOfDof[static_cast<std::size_t>(columns.runs[r].row + k)]);
  }
}

/// What a step of MuJoCo takes, with our activation problems and without [us].
struct MujocoCost {
  double whole = 0, withoutProblems = 0;
};

MujocoCost benchMujoco(const anatomy::CompiledBody& compiled, const std::vector<Asked>& asked,
                       double ours, bench::Figures& figures) {
  const Performance p(compiled);
  const skeleton::Model& model = p.body().model();
  const std::vector<int>& driven = p.controller().plan().driven();
  judges::MujocoJudge judge(
      judges::makeMjcfWithMuscles(model, p.body().muscles(), "integrator='implicit'", true));
  mjModel* m = judge.model();
  mjData* d = judge.data();
  control::ActivationPlanner planner = makePlanner(p.controller());
  control::MuscleColumns arms = asked.front().columns;
  VecX a = asked.front().a, slack = asked.front().problem.demand;
  std::vector<double> costs, without;
  for (const Asked& x : asked) {
    judge.setState(judges::view(x.q), judges::view(x.v));
    std::fill_n(d->qacc, m->nv, 0.0);
    const double start = threadCpuSeconds();
    mj_step1(m, d);
    mj_inverseSkip(m, d, mjSTAGE_VEL, 1);
    fillColumns(m, d, driven, x.activeForce, arms);
    const double solving = threadCpuSeconds();
    planner.solve(x.columns, x.problem, a, slack);
    const double solved = threadCpuSeconds();
    std::copy_n(a.data(), m->na, d->act);
    mj_step2(m, d);
    costs.push_back(threadCpuSeconds() - start);
    without.push_back(costs.back() - (solved - solving));
  }
  const double theirs = 1e6 * atRank(costs, 0.5);
  fmt::print("MuJoCo {} with our activation problems: median {:.1f} us, {:.2f} times ours\n",
             mj_versionString(), theirs, theirs / ours);
  figures.set("us.control.mujoco", theirs);
  figures.set("ratio.control.mujoco", theirs / ours);
  return {theirs, 1e6 * atRank(without, 0.5)};
}
#endif

}  // namespace

int main() {
  setThreadCount(1);
  bench::Figures figures;
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  double median = 0;  // [us]
  const std::vector<Asked> asked = benchSteps(compiled, figures, median);
  benchProblems(compiled, asked, figures);
  [[maybe_unused]] double ipopt = 0;  // [us]
#ifdef PNEUMA_PEER_IPOPT
  ipopt = benchIpopt(asked, figures);
#else
  fmt::print("Ipopt not found (coinor-libipopt-dev): its variant left out\n");
#endif
#ifdef PNEUMA_JUDGE_MUJOCO
  const MujocoCost mujoco = benchMujoco(compiled, asked, median, figures);
  if (ipopt > 0) {
    const double theirs = mujoco.withoutProblems + ipopt;
    fmt::print("MuJoCo with Ipopt: {:.0f} us, {:.0f} times ours\n", theirs, theirs / median);
    figures.set("ratio.control.mujoco.ipopt", theirs / median);
  }
#else
  fmt::print("MuJoCo not found (libmujoco-dev): ratio.control.mujoco left out\n");
#endif
}
