#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/skeleton/retarget.h"

/// Speed of all 105 bellies of the figure at 20 updates per second on one core, following a
/// recorded walk (or, without the clips, a generated swing of all limbs).
using namespace pneuma;

namespace {

constexpr double kUpdate = 0.05;  // [s]

std::vector<VecX> recordedWalk(const anatomy::CompiledBody& compiled,
                               const skeleton::Model& model) {
  const char* set = std::getenv("PNEUMA_SHARED");
  const std::filesystem::path root = set ? set : PNEUMA_SOURCE_DIR "/../shared";
  const std::filesystem::path file = root / "motion/cmu_02_01_walk.bvh";
  if (!std::filesystem::exists(file)) return {};
  const io::Bvh clip = io::readBvh(file).valueOrThrow();
  return skeleton::Retargeter(compiled, model, clip, {}, {.framesPerSecond = 20}).run().q;
}

std::vector<VecX> generatedSwing(const skeleton::Model& model) {
  std::vector<VecX> frames;
  for (int i = 0; i < 60; ++i) {
    VecX q = model.neutral;
    for (const skeleton::CompiledMotion& m : model.motions) {
      const skeleton::DofResistance& r = model.dofResistance[m.dof];
      if (m.code != skeleton::MotionCode::Ball && std::isfinite(r.lowerLimit))
        q[m.position] = 0.4 * std::sin(2 * kPi * i * kUpdate + m.dof) *
                        std::min(std::abs(r.lowerLimit), std::abs(r.upperLimit));
    }
    frames.push_back(q);
  }
  return frames;
}

}  // namespace

int main() {
  const anatomy::Body loaded = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::Body body = anatomy::fitToPerson(loaded, loaded.person);
  const anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  const skeleton::Model model = skeleton::modelFromBody(compiled, {.freeRoot = true});
  std::vector<VecX> frames = recordedWalk(compiled, model);
  const bool recorded = !frames.empty();
  if (!recorded) frames = generatedSwing(model);

  flesh::FigureBellies bellies(body, compiled, model);
  skeleton::Kinematics kinematics(model);
  skeleton::computePoses(model, frames.front(), kinematics);
  bellies.settle(kinematics);
  bench::Contest contest;
  double smallest = 1e9;
  contest.add("105 bellies", [&](int) {
    for (const VecX& q : frames) {
      skeleton::computePoses(model, q, kinematics);
      bellies.follow(kinematics, kUpdate);
    }
  });
  contest.run(9, 0.05);
  int particles = 0;
  for (int i = 0; i < bellies.count(); ++i) {
    particles += bellies.belly(i).model().particleCount();
    smallest =
        std::min(smallest, bellies.belly(i).volume() / bellies.belly(i).model().restVolume());
  }
  const double seconds = frames.size() * kUpdate;
  const auto& entry = contest.entries().front();
  const double best = seconds / (1e-6 * entry.best()), median = seconds / (1e-6 * entry.median());
  fmt::print(
      "{} bellies, {} particles, {} at 20 updates/s: {:.1f} times faster than real time "
      "(median {:.1f}), smallest volume {:.2f} of rest\n",
      bellies.count(), particles, recorded ? "recorded walk" : "generated swing", best, median,
      smallest);
  bench::Figures figures;
  figures.set("realtime.bellies", best);
}
