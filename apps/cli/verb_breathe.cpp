#include <fmt/format.h>

#include <memory>

#include "cli/breath_options.h"
#include "cli/breath_outputs.h"
#include "cli/verbs.h"
#include "pneuma/core/error.h"
#include "pneuma/core/version.h"
#include "pneuma/io/run_folder.h"

namespace pneuma::cli {
namespace {

constexpr double kFrameInterval = 0.04;     // [s]
constexpr double kCheckpointInterval = 20;  // simulated [s]

struct BreatheCommand {
  BreathOptions options;
  bool noOutput = false, noFilm = false, resume = false;
  std::string out;

  void run(Program& program) const {
    const breath::BreathSettings settings = options.settings();
    const double seconds = options.seconds(settings);
    breath::BreathSimulation simulation(settings);
    if (noOutput || out.empty()) {
      auto progress = program.makeProgress("s simulated");
      progress->begin("breathing", seconds);
      simulation.run(seconds, [&](double t) { progress->update(t); });
      progress->end();
      program.print(toJson(simulation), summaryText(simulation));
      return;
    }
    runInFolder(program, simulation, seconds);
  }

  /// Frames are taken on the way; a checkpoint holds the state, and frames before it are found
  /// again by replaying from the start, which costs a fraction of the pictures.
  void runInFolder(Program& program, breath::BreathSimulation& simulation, double seconds) const {
    io::RunDescription description;
    description.command = "pneuma breathe";
    description.version = std::string(version());
    description.bodyHash = simulation.state().hash();
    description.seed = simulation.settings().seed;
    description.settings = options.describe();
    description.settings["seconds"] = seconds;
    io::RunFolder folder = io::RunFolder::open(out, description, resume);

    auto progress = program.makeProgress("s simulated");
    progress->begin("breathing", seconds);
    std::vector<BreathFrame> frames;
    double nextCheckpoint = kCheckpointInterval;
    for (int i = 0; i * kFrameInterval <= seconds + 1e-9; ++i) {
      simulation.run(i * kFrameInterval);
      frames.push_back(captureFrame(simulation));
      progress->update(simulation.state().time);
      if (simulation.state().time < nextCheckpoint) continue;
      io::StateWriter state;
      simulation.save(state);
      folder.saveCheckpoint(simulation.state().steps, state);
      nextCheckpoint += kCheckpointInterval;
    }
    progress->end();

    auto drawing = program.makeProgress("of the film");
    drawing->begin("drawing", 1);
    writeBreathOutputs(
        simulation, frames, [&](std::string_view name) { return folder.file(name); }, !noFilm,
        [&](double done) { drawing->update(done); });
    drawing->end();
    io::writeJson(folder.file("summary.json"), toJson(simulation));
    folder.finish();
    program.print(toJson(simulation),
                  summaryText(simulation) +
                      fmt::format("\nWrote {0}/report.html, breath.glb, breath.mp4, breath.csv\n",
                                  folder.path().string()));
  }
};

}  // namespace

void addBreatheVerb(Program& program) {
  CLI::App* verb = program.addVerb("breathe", "Simulate a breathing torso and show it",
                                   "pneuma breathe --style deep --seconds 10 --no-output");
  auto command = std::make_shared<BreatheCommand>();
  command->options.addTo(verb);
  verb->add_option("--out", command->out,
                   "Folder of the run; without it only measures are printed");
  verb->add_flag("--no-output", command->noOutput, "Only simulate and print the measures");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
