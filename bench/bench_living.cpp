// The living body (scenes/body_living.h): 175 degrees of freedom of which 56 are simulated, a cage
// of 375 particles and 2078 springs, walking and breathing; then with the forces of every muscle
// line, then with the skin at the rate of a film. One core, thread CPU time, simulated seconds for
// each second of it.
#include <fmt/format.h>

#include <algorithm>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/body/living_skin.h"
#include "pneuma/core/parallel.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/muscle_source.h"
#include "scenes/body_living.h"
#include "tests/support/human_breath.h"

namespace {

using namespace pneuma;

constexpr double kWarm = 0.4, kSimulated = 2, kFrame = 0.04;  // [s]
constexpr int kRounds = 3;
constexpr int kSkinTriangles = 20000;

scenes::LivingData human() {
  return {test::humanBody(), breath::readBreathStyles(dataFile("breath/styles.toml"))};
}

/// Best of some rounds: simulated time over processor time of `more(time)`, which carries the scene
/// on to a time and does whatever else belongs to it.
template <class More>
double realTime(scenes::LivingScene& scene, const More& more) {
  scene.run(scene.time() + kWarm);
  double best = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double begin = scene.time(), start = threadCpuSeconds();
    more(begin + kSimulated);
    best = std::max(best, (scene.time() - begin) / (threadCpuSeconds() - start));
  }
  return best;
}

double alone(scenes::LivingScene& scene) {
  return realTime(scene, [&](double until) { scene.run(until); });
}

/// Paths, moment arms and forces of all muscle lines at every step, and what they do to the joints.
double withMuscles(scenes::LivingScene& scene, std::size_t& lines) {
  body::LivingSimulation& run = *scene.living();
  const body::LivingModel& m = run.model();
  const muscle::MuscleModel muscles =
      muscle::compileMuscles(m.tree, muscle::musclesFromBody(m.compiled));
  muscle::MuscleState state = muscle::makeState(muscles);
  state.activation.setConstant(0.1);
  const double h = run.settings().step;
  muscle::MuscleSource source(m.tree, muscles, state, h);
  skeleton::StepWorkspace book(m.tree, {&source});
  VecX vDot(m.tree.dofCount());
  lines = m.compiled.muscles.size();
  return realTime(scene, [&](double until) {
    while (scene.time() < until) {
      scene.run(scene.time() + h);
      skeleton::computeAcceleration(m.tree, run.state().tree, book, vDot);
    }
  });
}

double withSkin(scenes::LivingScene& scene) {
  body::LivingSimulation& run = *scene.living();
  const anatomy::GeometryCache cache;
  const anatomy::Body& measured = *test::humanBody();
  const anatomy::SkinSurface surface =
      anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, run.model().body->person,
                               {.triangles = kSkinTriangles}, cache);
  body::LivingSkin skin(run.model(), surface, cache);
  std::vector<Vec3> positions(skin.rest().vertexCount());
  return realTime(scene, [&](double until) {
    while (scene.time() < until) {
      scene.run(scene.time() + kFrame);
      skin.pose(run.state(), run.now(), positions);
    }
  });
}

}  // namespace

int main() {
  setThreadCount(1);
  bench::Figures figures;
  const scenes::LivingData data = human();
  const auto report = [&](const std::string& key, const std::string& what, double value) {
    figures.set(key, value);
    fmt::print("{:<44}{:>8.1f} x real time\n", what, value);
  };
  for (const std::string_view name : scenes::livingSceneNames()) {
    const auto scene = scenes::makeLivingScene(name, data);
    scene->run(scenes::kHashSeconds);
    fmt::print("{:<44}{}\n", name, scene->hash());
  }
  const auto walker = scenes::makeLivingScene("walking_breather", data);
  report("realtime.living", "walking and breathing", alone(*walker));
  std::size_t lines = 0;
  const double driven = withMuscles(*walker, lines);
  report("realtime.living.muscles", fmt::format("with the forces of {} muscle lines", lines),
         driven);
  report("realtime.living.skin", fmt::format("with a skin of {} triangles", kSkinTriangles),
         withSkin(*walker));
}
