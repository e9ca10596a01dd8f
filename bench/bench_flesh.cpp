// Embedded flesh on the real body, preset of the paper, no gravity, no contact: a frame of an arm
// that moves its hand by 50 mm, frames of a quiet breath standing, the same arm by the two
// baselines (scalar double with block Jacobi, and with CHOLMOD), and by relaxed living tissue with
// weight and contact. CPU time, one thread.
// `bench_flesh --no-baselines` leaves the two out, `--only arm|breath|human` all but one part;
// `--edge MM` has the arm alone, on a lattice of that edge, as a row of a table
// (scripts/flesh_scaling.sh).
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

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
/// Frames of film of a quiet breath in; the first finds flesh at rest and is not counted [s].
constexpr double kFrame = 0.04;
constexpr int kBreathFrames = 14;
/// Our frames of an arm are solved so many times from the same state: of a tenth of a second the
/// clock alone makes ten percent.
constexpr int kRepeats = 7;
/// Every so many of them are beside the tight solution.
constexpr int kJudged = 4;

double largestDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

double peakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The same with the median of several times.
template <class Solve>
Frame repeated(skin::FleshDriver& driver, const std::string& state, const Solve& solve) {
  Frame last;
  std::vector<double> cpu;
  while (cpu.size() < kRepeats) cpu.push_back((last = frame(driver, state, solve)).cpu);
  last.cpu = median(cpu);
  return last;
}

std::string stateOf(const skin::FleshDriver& driver) {
  io::StateWriter out;
  driver.save(out);
  return out.bytes();
}

void solveArm(skin::FleshDriver& driver, const Arm& arm, double angle) {
  const std::vector<Pose> bones = arm.bones(angle);
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
}

/// What all parts look at.
struct Subject {
  const body::LivingModel& model;
  const scenes::LivingData& data;
  const anatomy::GeometryCache& cache;
  TriangleMesh skin = makeSphere(0.01, 0, model.compiled.links[0].center);  ///< next to none

  std::shared_ptr<const flesh::embedded::BodyFlesh> flesh(flesh::embedded::FleshPreset preset,
                                                          bool walls) const {
    return body::makeFlesh(model, *test::humanBody(), model.compiled,
                           {.preset = preset, .walls = walls}, cache);
  }
};

/// The arm's frame by each method. Returns the processor time of ours.
double armFrames(const Subject& subject, bool baselines, bench::Figures& figures) {
  const auto flesh = subject.flesh(flesh::embedded::FleshPreset::Lee2009, false);
  fmt::print("{} tetrahedra, {} free nodes\n", flesh->model.lattice->tetCount(),
             flesh->model.lattice->freeCount);
  const Arm arm{subject.model};
  std::string state;
  std::vector<Vec3> exact;
  {
    skin::FleshDriver judge(flesh, subject.skin, {.tolerance = 1e-6, .linearTolerance = 1e-3},
                            {.contact = false});
    solveArm(judge, arm, kFirst - kTurn);
    solveArm(judge, arm, kFirst);
    state = stateOf(judge);
    solveArm(judge, arm, kNext);
    exact.assign(judge.nodes().begin(), judge.nodes().end());
  }
  double ours = 0;
  for (const LinearMethod method :
       {LinearMethod::Multigrid, LinearMethod::BlockJacobi, LinearMethod::Cholesky}) {
    if (method != LinearMethod::Multigrid && !baselines) break;
    // Baselines are Newton's method as it is in books: a matrix for every step.
    skin::FleshDriver driver(flesh, subject.skin,
                             {.method = method, .chords = method == LinearMethod::Multigrid},
                             {.contact = false});
    const auto next = [&](skin::FleshDriver& d) { solveArm(d, arm, kNext); };
    const Frame f = method == LinearMethod::Multigrid ? repeated(driver, state, next)
                                                      : frame(driver, state, next);
    const double error = largestDistance(f.nodes, exact);
    fmt::print(
        "arm frame, {:<14}{:>8.3f} CPU s, {} Newton, {} matrices, {} iterations, error {:.3f} mm\n",
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
  return ours;
}

/// Calls visit(frame, driver) for the frames of a quiet breath in, standing: ribs, diaphragm and
/// abdominal wall as simulated.
template <class Visit>
void eachBreathFrame(const Subject& subject,
                     std::shared_ptr<const flesh::embedded::BodyFlesh> flesh,
                     const skin::FleshDriver::Settings& settings, const skin::FleshEffects& effects,
                     Visit&& visit) {
  body::LivingFlesh living(subject.model, std::move(flesh), subject.skin, effects, nullptr,
                           settings);
  body::LivingSettings standing;
  standing.motion = skeleton::makePoseTrack(
      subject.model.tree, skeleton::makePosture(*subject.model.body, subject.model.compiled,
                                                subject.model.tree, "standing"));
  standing.style = breath::findBreathStyle(subject.data.styles, "casual");
  body::LivingSimulation run(subject.model, std::move(standing));
  std::vector<Vec3> x(subject.skin.vertexCount());
  for (int k = 0; k < kBreathFrames; ++k) {
    run.run(0.72 + k * kFrame);
    living.pose(run.state(), run.now(), x);
    visit(k, living.driver());
  }
}

/// Every frame of the breath, its median, and how far it is from the tight solution.
void breathFrames(const Subject& subject, bench::Figures& figures) {
  const auto flesh = subject.flesh(flesh::embedded::FleshPreset::Lee2009, true);
  std::vector<std::vector<Vec3>> exact;
  eachBreathFrame(subject, flesh, {.tolerance = 1e-6, .linearTolerance = 1e-3}, {.contact = false},
                  [&](int k, const skin::FleshDriver& driver) {
                    if (k % kJudged == kJudged - 1)
                      exact.emplace_back(driver.nodes().begin(), driver.nodes().end());
                  });
  std::vector<double> seconds;
  double error = 0;
  eachBreathFrame(
      subject, flesh, {}, {.contact = false}, [&](int k, const skin::FleshDriver& driver) {
        const skin::FleshPoseReport& r = driver.report();
        fmt::print("breath frame {:>2} {:>8.3f} CPU s, {} Newton, {} matrices, {} iterations", k,
                   r.cpuSeconds, r.steps, r.matrices, r.iterations);
        if (k > 0) seconds.push_back(r.cpuSeconds);
        if (k % kJudged == kJudged - 1) {
          const double off = largestDistance(driver.nodes(), exact[std::size_t(k / kJudged)]);
          error = std::max(error, off);
          fmt::print(", error {:.3f} mm", 1e3 * off);
        }
        fmt::print("\n");
      });
  fmt::print("breath frames {:>8.3f} CPU s (median), {:.3f} at most, error {:.3f} mm at most\n",
             median(seconds), std::ranges::max(seconds), 1e3 * error);
  figures.set("flesh.breath_cpu_s", median(seconds));
  figures.set("flesh.breath_worst_cpu_s", std::ranges::max(seconds));
  figures.set("flesh.breath_error_mm", 1e3 * error);
}

/// The arm's frame by relaxed living tissue with weight and contact, beside `ours` without.
void humanFrame(const Subject& subject, double ours, bench::Figures& figures) {
  const Arm arm{subject.model};
  const auto flesh = subject.flesh(flesh::embedded::FleshPreset::Human, false);
  for (const bool gravity : {false, true})
    for (const bool contact : {false, true}) {
      const skin::FleshEffects effects{.contact = contact, .gravity = gravity};
      std::vector<Vec3> exact;
      if (!contact) {
        skin::FleshDriver judge(flesh, subject.skin, {.tolerance = 1e-6, .linearTolerance = 1e-3},
                                effects);
        for (const double angle : {kFirst - kTurn, kFirst, kNext}) solveArm(judge, arm, angle);
        exact.assign(judge.nodes().begin(), judge.nodes().end());
      }
      skin::FleshDriver driver(flesh, subject.skin, {}, effects);
      for (const double angle : {kFirst - kTurn, kFirst}) solveArm(driver, arm, angle);
      const Frame f =
          repeated(driver, stateOf(driver), [&](skin::FleshDriver& d) { solveArm(d, arm, kNext); });
      if (!contact) fmt::print("error {:.3f} mm: ", 1e3 * largestDistance(f.nodes, exact));
      fmt::print(
          "arm frame, human{}{}: {:>8.3f} CPU s, {} Newton, {} matrices, {} iterations, {:.1f} "
          "times "
          "lee2009\n",
          gravity ? ", weight" : "", contact ? ", contact" : "", f.cpu, f.steps, f.matrices,
          f.iterations, f.cpu / ours);
      if (!gravity || !contact) continue;
      figures.set("ratio.flesh.human", f.cpu / ours);
      figures.set("flesh.human_cg_per_newton", static_cast<double>(f.iterations) / f.steps);
    }
}

/// The arm's frame on a lattice of another edge [m]: tetrahedra, free nodes, CPU s, Newton steps,
/// matrices, iterations, peak memory of the process so far [MB]; and iterations of each Newton step
/// when each has a matrix of its own and goes to a residual of 1e-2.
void printRow(const body::LivingModel& model, double edge) {
  namespace embedded = flesh::embedded;
  const anatomy::GeometryCache cache;
  const Arm arm{model};
  std::shared_ptr<const embedded::BodyFlesh> flesh;
  {
    const anatomy::SkinSurface skin =
        anatomy::makeSkinSurface(anatomy::skinModelOf(*test::humanBody()), *test::humanBody(),
                                 model.body->person, {.triangles = 80000}, cache);
    auto lattice = std::make_shared<const embedded::Lattice>(
        embedded::cachedLattice(skin.mesh, {.spacing = edge}, cache.folder()));
    flesh = std::make_shared<const embedded::BodyFlesh>(embedded::makeBodyFlesh(
        std::move(lattice), skin.mesh,
        body::fleshAnatomy(model, *test::humanBody(), model.compiled, false, cache),
        embedded::TissueConstants::of(embedded::FleshPreset::Lee2009)));
  }
  const TriangleMesh none = makeSphere(0.01, 0, model.compiled.links[0].center);
  std::string state;
  {
    skin::FleshDriver driver(flesh, none, {}, {.contact = false});
    for (const double angle : {kFirst - kTurn, kFirst}) solveArm(driver, arm, angle);
    state = stateOf(driver);
    solveArm(driver, arm, kNext);
    const skin::FleshPoseReport& r = driver.report();
    fmt::print("{} {} {:.3f} {} {} {} {:.0f}", flesh->model.lattice->tetCount(),
               flesh->model.lattice->freeCount, r.cpuSeconds, r.steps, r.matrices, r.iterations,
               peakMegabytes());
  }
  skin::FleshDriver tight(flesh, none,
                          {.tolerance = 1e-6, .linearTolerance = 1e-2, .chords = false},
                          {.contact = false});
  const Frame f = frame(tight, state, [&](auto& d) { solveArm(d, arm, kNext); });
  // The last step is only looked at: its iterations are those of the others.
  fmt::print(" {:.1f}\n", static_cast<double>(f.iterations) / std::max(1, f.steps - 1));
}

}  // namespace

int main(int argc, char** argv) {
  setThreadCount(1);
  bench::Figures figures;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto after = [&](std::string_view option) -> std::string_view {
    const auto found = std::ranges::find(words, option);
    return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
  };
  const bool baselines = std::ranges::find(words, "--no-baselines") == words.end();
  const std::string_view only = after("--only");
  const auto wanted = [&](std::string_view part) { return only.empty() || only == part; };
  const scenes::LivingData data{test::humanBody(),
                                breath::readBreathStyles(dataFile("breath/styles.toml"))};
  const auto scene = scenes::makeLivingScene("walking_breather", data);
  const body::LivingModel& model = scene->living()->model();
  if (const std::string edge(after("--edge")); !edge.empty()) {
    printRow(model, 1e-3 * std::atof(edge.c_str()));
    return 0;
  }
  const anatomy::GeometryCache cache;
  const Subject subject{model, data, cache};
  double ours = 0;
  if (wanted("arm") || wanted("human"))
    ours = armFrames(subject, baselines && wanted("arm"), figures);
  if (wanted("breath")) breathFrames(subject, figures);
  if (wanted("human")) humanFrame(subject, ours, figures);
  fmt::print("peak memory of the process {:.0f} MB\n", peakMegabytes());
  figures.set("flesh.peak_mb", peakMegabytes());
}
