// Embedded flesh on the real body, preset of the paper, no gravity, no contact: a frame of an arm
// that moves its hand by 50 mm, a frame of a quiet breath standing, and the same arm by the two
// baselines (scalar double with block Jacobi, and with CHOLMOD). CPU time, one thread.
// `bench_flesh --edge MM` has the arm alone, on a lattice of that edge, as a row of a table
// (scripts/flesh_scaling.sh).
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

#include "bench/figures.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/body/bone_motions.h"
#include "pneuma/body/living_flesh.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "scenes/body_living.h"
#include "tests/support/human_breath.h"

namespace {

using namespace pneuma;
using flesh::embedded::LinearMethod;

/// Elbow angles between which the left hand travels 50 mm (0.36 m from the elbow); the frame before
/// came from as far away.
constexpr double kTurn = 0.05 / 0.36, kFirst = 0.5, kNext = kFirst + kTurn;
constexpr double kBreathTime = 1.2, kFrame = 0.04;  // [s]

double largestDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

struct Arm {
  const body::LivingModel& model;
  std::vector<Pose> bones(double angle) const {
    VecX q = model.tree.neutral;
    for (std::size_t l = 0; l < model.compiled.links.size(); ++l)
      for (std::size_t d = 0; d < model.compiled.links[l].dofs.size(); ++d)
        if (model.compiled.links[l].dofs[d].name == "elbow_l.flexion")
          q[model.tree.links[static_cast<std::size_t>(model.linkIndices[l])].firstPosition +
            static_cast<int>(d)] = angle;
    skeleton::Kinematics k(model.tree);
    skeleton::computePoses(model.tree, q, k);
    std::vector<Pose> bones;
    body::boneMotions(model, k, bones);
    return bones;
  }
};

/// One frame from a settled pose to the next.
struct Frame {
  double cpu = 0;
  int steps = 0, iterations = 0, matrices = 0;
  std::vector<Vec3> nodes;
};
template <class Solve>
Frame frame(skin::FleshDriver& driver, const std::string& state, const Solve& solve) {
  io::StateReader in(state);
  driver.load(in);
  solve(driver);
  const skin::FleshPoseReport& r = driver.report();
  return {r.cpuSeconds,
          r.steps,
          r.iterations,
          r.matrices,
          {driver.nodes().begin(), driver.nodes().end()}};
}

void solveArm(skin::FleshDriver& driver, const Arm& arm, double angle) {
  const std::vector<Pose> bones = arm.bones(angle);
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
}

/// The arm's frame on a lattice of another edge [m]: tetrahedra, free nodes, CPU s, Newton steps,
/// matrices, iterations, peak memory of the process [MB].
void printRow(const body::LivingModel& model, double edge) {
  namespace embedded = flesh::embedded;
  const anatomy::GeometryCache cache;
  const anatomy::SkinSurface skin =
      anatomy::makeSkinSurface(anatomy::skinModelOf(*test::humanBody()), *test::humanBody(),
                               model.body->person, {.triangles = 80000}, cache);
  auto lattice = std::make_shared<const embedded::Lattice>(
      embedded::cachedLattice(skin.mesh, {.spacing = edge}, cache.folder()));
  const auto flesh = std::make_shared<const embedded::BodyFlesh>(embedded::makeBodyFlesh(
      std::move(lattice), skin.mesh,
      body::fleshAnatomy(model, *test::humanBody(), model.compiled, false, cache),
      embedded::TissueConstants::of(embedded::FleshPreset::Lee2009)));
  skin::FleshDriver driver(flesh, makeSphere(0.01, 0, model.compiled.links[0].center), {},
                           {.contact = false});
  const Arm arm{model};
  for (const double angle : {kFirst - kTurn, kFirst, kNext}) solveArm(driver, arm, angle);
  const skin::FleshPoseReport& r = driver.report();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} {} {:.3f} {} {} {} {:.0f}\n", flesh->model.lattice->tetCount(),
             flesh->model.lattice->freeCount, r.cpuSeconds, r.steps, r.matrices, r.iterations,
             double(usage.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  setThreadCount(1);
  bench::Figures figures;
  const bool baselines = argc < 2 || std::strcmp(argv[1], "--no-baselines") != 0;
  const scenes::LivingData data{test::humanBody(),
                                breath::readBreathStyles(dataFile("breath/styles.toml"))};
  const auto scene = scenes::makeLivingScene("walking_breather", data);
  const body::LivingModel& model = scene->living()->model();
  if (argc == 3 && std::strcmp(argv[1], "--edge") == 0) {
    printRow(model, 1e-3 * std::atof(argv[2]));
    return 0;
  }
  const anatomy::GeometryCache cache;
  body::FleshOptions options{.preset = flesh::embedded::FleshPreset::Lee2009, .walls = false};
  const auto flesh = body::makeFlesh(model, *test::humanBody(), model.compiled, options, cache);
  const TriangleMesh none = makeSphere(0.01, 0, model.compiled.links[0].center);
  fmt::print("{} tetrahedra, {} free nodes\n", flesh->model.lattice->tetCount(),
             flesh->model.lattice->freeCount);
  const Arm arm{model};
  std::string state;
  std::vector<Vec3> exact;
  {
    skin::FleshDriver judge(flesh, none, {.tolerance = 1e-6, .linearTolerance = 1e-3},
                            {.contact = false});
    solveArm(judge, arm, kFirst - kTurn);
    solveArm(judge, arm, kFirst);
    io::StateWriter out;
    judge.save(out);
    state = out.bytes();
    solveArm(judge, arm, kNext);
    exact.assign(judge.nodes().begin(), judge.nodes().end());
  }
  double ours = 0;
  for (const LinearMethod method :
       {LinearMethod::Multigrid, LinearMethod::BlockJacobi, LinearMethod::Cholesky}) {
    if (method != LinearMethod::Multigrid && !baselines) break;
    // Baselines are Newton's method as it is in books: a matrix for every step.
    skin::FleshDriver driver(flesh, none,
                             {.method = method, .chords = method == LinearMethod::Multigrid},
                             {.contact = false});
    const Frame f = frame(driver, state, [&](auto& d) { solveArm(d, arm, kNext); });
    const double error = largestDistance(f.nodes, exact);
    fmt::print(
        "arm frame, {:<14}{:>8.2f} CPU s, {} Newton, {} matrices, {} iterations, error {:.3f} mm\n",
        name(method), f.cpu, f.steps, f.matrices, f.iterations, 1e3 * error);
    if (method == LinearMethod::Multigrid) {
      ours = f.cpu;
      figures.set("flesh.arm_cpu_s", f.cpu);
      figures.set("flesh.arm_error_mm", 1e3 * error);
      figures.set("flesh.cg_per_newton", static_cast<double>(f.iterations) / f.steps);
    } else {
      figures.set(method == LinearMethod::Cholesky ? "ratio.flesh.cholmod" : "ratio.flesh.jacobi",
                  f.cpu / ours);
    }
  }
  // Breath: ribs, diaphragm and abdominal wall as a quiet breath moves them in a frame of film.
  options.walls = true;
  body::LivingFlesh living(
      model, body::makeFlesh(model, *test::humanBody(), model.compiled, options, cache), none,
      {.contact = false});
  std::vector<Vec3> x(none.vertexCount());
  body::LivingSettings standing;
  standing.motion = skeleton::makePoseTrack(
      model.tree, skeleton::makePosture(*model.body, model.compiled, model.tree, "standing"));
  standing.style = breath::findBreathStyle(data.styles, "casual");
  body::LivingSimulation run(model, std::move(standing));
  for (const double t : {kBreathTime - 2 * kFrame, kBreathTime - kFrame, kBreathTime}) {
    run.run(t);
    living.pose(run.state(), run.now(), x);
  }
  const skin::FleshPoseReport& r = living.driver().report();
  fmt::print("breath frame {:>8.2f} CPU s, {} Newton, {} matrices, {} iterations\n", r.cpuSeconds,
             r.steps, r.matrices, r.iterations);
  figures.set("flesh.breath_cpu_s", r.cpuSeconds);
}
