#include <fmt/format.h>

#include <memory>

#include "cli/breath_options.h"
#include "cli/breath_outputs.h"
#include "cli/verbs.h"
#include "pneuma/core/error.h"
#include "pneuma/core/version.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/tools.h"

namespace pneuma::cli {
namespace {

constexpr double kFrameInterval = 0.04;    // [s]
constexpr double kTrackSeconds = 12;       // kept for GLB, stills and film
constexpr double kCheckpointInterval = 5;  // simulated [s]

/// A run with its frames, which goes on where a checkpoint left it.
class RecordedBreath {
 public:
  RecordedBreath(breath::BreathSimulation& simulation, io::RunFolder& folder)
      : simulation_(simulation), folder_(folder) {
    if (const auto saved = folder.lastCheckpoint()) {
      io::StateReader in(saved->state);
      in.get(nextFrame_);
      track_.load(in);
      simulation.load(in);
    }
  }

  void run(double seconds, Progress& progress) {
    double nextCheckpoint = simulation_.state().time + kCheckpointInterval;
    for (; nextFrame_ * kFrameInterval <= seconds + 1e-9;) {
      simulation_.run(static_cast<double>(nextFrame_) * kFrameInterval);
      track_.add(captureFrame(simulation_));
      ++nextFrame_;
      progress.update(simulation_.state().time);
      if (simulation_.state().time < nextCheckpoint) continue;
      saveCheckpoint();
      nextCheckpoint += kCheckpointInterval;
    }
    saveCheckpoint();  // pictures take longer than the run
  }
  const FrameTrack& track() const { return track_; }

 private:
  void saveCheckpoint() {
    io::StateWriter state;
    state.put(nextFrame_);
    track_.save(state);
    simulation_.save(state);
    folder_.saveCheckpoint(simulation_.state().steps, state);
  }

  breath::BreathSimulation& simulation_;
  io::RunFolder& folder_;
  FrameTrack track_{kTrackSeconds};
  std::uint64_t nextFrame_ = 0;
};

struct BreatheCommand {
  BreathOptions options;
  bool noOutput = false, noFilm = false, noPictures = false, resume = false;
  std::string out;

  void run(Program& program) const {
    const breath::BreathSettings settings = options.settings();
    const double seconds = options.seconds(settings);
    if (!noOutput && !out.empty()) requireTools();
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

  /// Before the simulation, not after it.
  void requireTools() const {
    render::requirePlotting();
    if (!noFilm && !noPictures) render::requireFilming();
  }

  void runInFolder(Program& program, breath::BreathSimulation& simulation, double seconds) const {
    const breath::BreathSettings& settings = simulation.settings();
    io::RunDescription description;
    description.command = program.commandLine();
    description.verb = "breathe";
    description.version = std::string(version());
    description.bodyHash = simulation.state().hash();
    description.seed = settings.seed;
    description.settings = options.describe(settings);
    description.settings["seconds"] = seconds;
    io::RunFolder folder = io::RunFolder::open(out, description, resume);

    auto progress = program.makeProgress("s simulated");
    progress->begin("breathing", seconds);
    RecordedBreath recorded(simulation, folder);
    recorded.run(seconds, *progress);
    progress->end();

    auto drawing = program.makeProgress("");
    drawing->begin("drawing", 1);
    writeBreathOutputs(
        simulation, *settings.body, recorded.track(),
        [&](std::string_view name) { return folder.file(name); },
        {.stills = !noPictures, .film = !noFilm && !noPictures},
        [&](double done) { drawing->update(done); });
    drawing->end();
    io::writeJson(folder.file("summary.json"), toJson(simulation));
    folder.finish();
    program.print(
        toJson(simulation),
        summaryText(simulation) + fmt::format("\nWrote {}/report.html, breath.glb, {}breath.csv\n",
                                              folder.path().string(),
                                              noFilm || noPictures ? "" : "breath.mp4, "));
  }
};

}  // namespace

void addBreatheVerb(Program& program) {
  CLI::App* verb = program.addVerb("breathe", "Simulate a breathing torso and show it",
                                   "pneuma breathe --style deep --seconds 10 --no-output");
  auto command = std::make_shared<BreatheCommand>();
  command->options.addTo(verb);
  verb->add_option("--out", command->out, "Folder of the run; without it only measures are printed")
      ->type_name("FOLDER");
  verb->add_flag("--no-output", command->noOutput, "Only simulate and print the measures");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--no-pictures", command->noPictures, "Leave the MP4 and the stills out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
