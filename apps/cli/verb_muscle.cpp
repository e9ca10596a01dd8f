#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/field_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/muscle_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

struct MuscleOptions {
  stage::MuscleSettings muscle;
  std::string out = "out/muscle";
  bool noVideo = false, resume = false;
};

void printResults(const Program& program, const MuscleOptions& o, const stage::MuscleRun& muscle,
                  const stage::RunCost& cost) {
  const stage::GridFilm& film = muscle.film();
  const std::vector<double> force = film.table().column("force_first").values;
  const double largest = *std::max_element(force.begin(), force.end());
  const double maxForce = muscle.scene().maxForce, step = muscle.stepSize();
  const int nodes = muscle.scene().model.solid.nodeCount();
  const ordered_json j{{"folder", o.out},
                       {"nodes", nodes},
                       {"step_s", step},
                       {"cpu_s", cost.cpu},
                       {"realtime_factor", cost.realTimeFactor()},
                       {"final_force_n", force.back()},
                       {"largest_force_n", largest},
                       {"max_isometric_force_n", maxForce},
                       {"worst_volume_deviation_percent", film.worstVolumePercent()},
                       {"worst_sum_dv_deviation_percent", film.worstSumPercent()}};
  program.print(
      j, fmt::format(
             "{} nodes, {:.1f} s in steps of {:.3g} ms: {:.2f} s of CPU ({:.1f}x real time)\n"
             "force at the end {:.1f} N (largest {:.1f} N{})\n"
             "volume within {:.3f} %, sum of |dV| within {:.3f} %\n"
             "written to {}: muscle.csv, muscle.glb, muscle.svg, muscle.png{}\n",
             nodes, o.muscle.seconds, 1e3 * step, cost.cpu, cost.realTimeFactor(), force.back(),
             largest, maxForce > 0 ? fmt::format(", set maximum {:.0f} N", maxForce) : "",
             film.worstVolumePercent(), film.worstSumPercent(), o.out,
             o.noVideo ? "" : ", muscle.mp4"));
}

void runMuscle(const Program& program, const MuscleOptions& o) {
  render::requirePlotting();
  if (!o.noVideo) render::requireFilming();
  const stage::MuscleSettings asked = stage::withDefaultExcitation(o.muscle);
  std::optional<anatomy::Body> arm;  // that bends in a curl
  if (!asked.curl.empty()) arm = PersonOptions().loadAsMeasured();
  stage::MuscleRun muscle(asked, arm ? &*arm : nullptr);
  io::RunDescription description;
  description.command = program.commandLine();
  description.verb = "muscle";
  if (arm) description.bodyHash = stage::bodyHash(*arm);
  description.settings = io::settingsJson(asked);
  description.settings["step"] = muscle.stepSize();
  if (!asked.mesh.empty())
    description.settings["mesh_hash"] =
        Hash64().text(io::readFile(asked.mesh).valueOrThrow()).hex();
  io::RunFolder run = io::RunFolder::open(o.out, description, o.resume);
  const stage::RunCost cost = muscle.simulate(run, *program.makeProgress("s simulated"));
  muscle.writeResults(run, !o.noVideo, *program.makeProgress(""));
  run.finish();
  printResults(program, o, muscle, cost);
}

}  // namespace

void addMuscleVerb(Program& program) {
  CLI::App* verb = program.addVerb(
      "muscle", "Simulate one muscle as a continuum: contraction, bulging, force, volume",
      "pneuma muscle --grid 21x5x5 --excite 0:0,4.5:1 --stretch 2:8% --seconds 8 --integrator "
      "implicit-euler");
  auto options = std::make_shared<MuscleOptions>();
  addFieldOptions(verb, options->muscle);
  verb->add_option("--out", options->out, "Folder of the results")->capture_default_str();
  verb->add_flag("--no-video", options->noVideo, "Leave the film out");
  verb->add_flag("--resume", options->resume, "Continue a run that was interrupted");
  verb->callback([&program, options] { runMuscle(program, *options); });
}

}  // namespace pneuma::cli
