#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pneuma/control/performance.h"
#include "tests/support/human.h"
#include "tests/support/run_program.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::control {
namespace {

constexpr std::size_t kProblems = 200;
constexpr int kRows = 10, kMuscles = 120;  // of a problem: SciPy's methods are dense

/// A piece of a step's problem: some neighbouring joints, and muscles that cross them.
struct Piece {
  MatX C;
  ActivationProblem problem;

  Piece(const MuscleColumns& columns, const ActivationProblem& whole, std::size_t number) {
    const int first = static_cast<int>(number * 7) % (columns.rows - kRows);
    std::vector<int> crossing;
    for (int i = 0; i < columns.count(); ++i)
      for (int r = columns.begin[i]; r < columns.begin[i + 1]; ++r)
        if (columns.runs[r].row < first + kRows &&
            columns.runs[r].row + columns.runs[r].count > first) {
          crossing.push_back(i);
          break;
        }
    const std::size_t every = crossing.size() / kMuscles + 1;
    std::vector<int> chosen;
    for (std::size_t k = number % every; k < crossing.size(); k += every)
      chosen.push_back(crossing[k]);
    problem = ActivationProblem(kRows, static_cast<int>(chosen.size()));
    C = MatX::Zero(kRows, static_cast<Eigen::Index>(chosen.size()));
    for (int j = 0; j < kRows; ++j) {
      problem.demand[j] = whole.demand[first + j];
      problem.slackScale[j] = whole.slackScale[first + j];
      for (std::size_t k = 0; k < chosen.size(); ++k)
        C(j, static_cast<Eigen::Index>(k)) = columns.at(first + j, chosen[k]);
    }
    // Costs vary, and some muscles are bound from outside.
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      problem.weight[i] = 1 + 0.1 * static_cast<double>((number + k) % 7);
      if ((number + k) % 11 == 0) problem.upper[i] = 0.4;
    }
  }
};

nlohmann::json listOf(const VecX& v) {
  return std::vector<double>(v.begin(), v.end());
}

/// The problem with our solution.
nlohmann::json solved(const Piece& piece, double& residual) {
  const ActivationSolverConfig config;
  ActivationSolver solver(denseColumns(piece.C), config);
  VecX lambda = VecX::Zero(kRows), a = VecX::Zero(piece.C.cols());
  residual = std::max(residual, solver.solve(piece.problem, lambda, a).residual);
  EXPECT_GE((a - piece.problem.lower).minCoeff(), 0.0);
  EXPECT_LE((a - piece.problem.upper).maxCoeff(), 0.0);
  nlohmann::json rows = nlohmann::json::array();
  for (int j = 0; j < kRows; ++j) rows.push_back(listOf(piece.C.row(j)));
  return {{"C", rows},
          {"tau", listOf(piece.problem.demand)},
          {"s", listOf(piece.problem.slackScale)},
          {"w", listOf(piece.problem.weight)},
          {"lower", listOf(piece.problem.lower)},
          {"upper", listOf(piece.problem.upper)},
          {"eps", config.slackCost},
          {"a", listOf(a)}};
}

/// Pieces of the problems that a body meets when it curls 5 kg, and when 25 kg are put into its
/// hand.
nlohmann::json record(double& residual) {
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  nlohmann::json problems = nlohmann::json::array();
  for (const char* load : {"5kg@hand_r", "2kg,0.1s:25kg@hand_r"}) {
    Performance p(compiled);
    p.set(makeExercise("curl", compiled, p.body().model()));
    p.hold(load);
    p.start();
    for (std::size_t k = 0; k < kProblems / 2; ++k) {
      p.step();
      residual = std::max(residual, p.controller().report().effort.residual);
      const Piece piece(p.controller().columns(), p.controller().problem(), problems.size());
      problems.push_back(solved(piece, residual));
    }
  }
  return problems;
}

TEST(ActivationJudge, ScipyFindsTheSameActivationsOnRecordedProblems) {
  const test::ScratchFolder folder;
  double residual = 0;
  const nlohmann::json problems = record(residual);
  ASSERT_EQ(problems.size(), kProblems);
  EXPECT_LE(residual, 1e-7);
  const auto file = folder.put("problems.json", problems.dump());
  const std::string script =
      std::string(PNEUMA_SOURCE_DIR) + "/tests/verify/control/scipy_judge.py";
  const test::ProgramResult result = test::runProgram("/usr/bin/python3", {script, file.string()});
  if (result.exitCode == 77) GTEST_SKIP() << result.out;
  ASSERT_EQ(result.exitCode, 0) << result.err;
  int outOfReach = 0, byNnls = 0;
  double apart = 0, kkt = 0, over = 0;
  for (const nlohmann::json& found : nlohmann::json::parse(result.out)) {
    byNnls += found["by"] == "nnls";
    // Least squares with a large residual lose digits (a condition of 1e5, squared), so out of
    // reach the cost and the conditions of the optimum are compared, within reach the activations
    // too.
    const bool far = found["missing"] > 1e-4;
    outOfReach += far;
    if (!far) apart = std::max(apart, found["apart"].get<double>());
    kkt = std::max(kkt, found["kkt"].get<double>());
    over = std::max(over, found["cost_over"].get<double>());
  }
  EXPECT_LE(kkt, 1e-7);
  EXPECT_LE(over, 1e-9);  // ours costs no more than theirs
  EXPECT_LE(apart, 1e-6);
  EXPECT_GT(outOfReach, 20);
  EXPECT_LT(outOfReach, 180);
  EXPECT_GT(byNnls, 0);
  RecordProperty("apart_1e9", static_cast<int>(1e9 * apart));
}

}  // namespace
}  // namespace pneuma::control
