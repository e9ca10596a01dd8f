#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/flesh/grid_experiments.h"
#include "pneuma/stage/grid_film.h"
#include "reproduce/dobsik/reproduction.h"

namespace pneuma::reproduce::dobsik {

void reproduceFig4(Reproduction& r) {
  r.report.heading("Fig. 4: the muscle between two planes");
  flesh::MuscleSetup setup;
  setup.excitation = {{0, 0}, {4.5, 1}};
  setup.moves = {{2, 0.08, 0.05}};
  const flesh::GridModel model = flesh::makeMuscleBetweenPlanes(setup);
  flesh::GridStepper stepper(model);
  flesh::GridState state = flesh::makeRestState(model);
  stage::GridFilm film(model, 60, stage::planeParts(model));
  film.record(state, 0);
  r.progress.begin("fig. 4", 8);
  for (int i = 1; i <= 480; ++i) {
    film.record(state, stepper.step(state, 1.0 / 60).newtonIterations);
    r.progress.update(state.time);
  }
  r.progress.end();
  std::vector<render::Tile> tiles{{film.picture(100, 960, 420), "(a) relaxed"},
                                  {film.picture(480, 960, 420), "(b) excited"}};
  const render::Image sheet = render::tile(tiles, 2);
  render::writePng(sheet, r.folder.file("fig4_muscle.png"));
  r.report.picture(sheet, "21x5x5 nodes, tendons to two planes.", "fig4_muscle");
  r.plot(film.plot("Fig. 4(c): 8 % stretch at 2 s, excitation at 4.5 s"),
         "Deviations of volume and of the sum of dV, and what else was recorded.", "fig4_run");
  film.writeGlb(r.folder.file("fig4_muscle.glb"));
  if (!r.quick) film.writeVideo(r.folder.file("fig4_muscle.mp4"), r.progress);
  io::writeCsv(r.folder.file("fig4_muscle.csv"), film.table());

  // The force at rest length: the same muscle without the stretch.
  setup.moves.clear();
  setup.excitation = {{0.1, 1}};
  const flesh::GridModel still = flesh::makeMuscleBetweenPlanes(setup);
  flesh::GridStepper second(still);
  flesh::GridState s = flesh::makeRestState(still);
  for (int i = 0; i < 60; ++i) second.step(s, 1.0 / 60);
  const double ratio = flesh::endForce(still, flesh::GridEnd::First, s.time, s.q, s.v).norm() /
                       setup.muscle.maxForce;
  const std::vector<double> force = film.table().column("force_first").values;
  r.compare("largest deviation of total volume", "%", "negligible (plot)",
            film.worstVolumePercent(), film.worstVolumePercent() < 2, "Fig. 4(c)");
  r.compare("largest deviation of the sum of dV", "%", "negligible (plot)", film.worstSumPercent(),
            film.worstSumPercent() < 2, "Fig. 4(c)");
  r.compare("force at rest length, fully active", "F0", "1 (definition)", ratio,
            std::abs(ratio - 1) < 0.05, "Fig. 1(b) at optimal length");
  r.compare(
      "force falls from its peak to 8 s", "%", "not given",
      100 * (1 - force.back() / *std::max_element(force.begin(), force.end())), std::nullopt,
      "stretched 8 %, the fibres work on the falling side of the force-length curve: pieces in "
      "series grow unequal and the force creeps down");
  r.numbers["fig4_worst_volume_percent"] = film.worstVolumePercent();
  r.numbers["fig4_worst_sum_dv_percent"] = film.worstSumPercent();
  r.numbers["fig4_force_at_rest_length_f0"] = ratio;
}

}  // namespace pneuma::reproduce::dobsik
