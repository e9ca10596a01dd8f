#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/field_options.h"
#include "cli/living_command.h"
#include "cli/motion_options.h"
#include "cli/verbs.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/breath_report.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/breath_run.h"
#include "pneuma/stage/manoeuvre_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

struct BreatheCommand {
  PersonOptions person;
  stage::BreathRequest request;
  stage::ManoeuvreRequest examined;
  bool noOutput = false, noFilm = false, noPictures = false, resume = false, asset = false;
  std::string out, csv, articulation = "torso";
  stage::DrawnParts drawn;

  void run(Program& program) const {
    if (articulation == "whole") return live(program);
    const auto measured = std::make_shared<const anatomy::Body>(person.loadAsMeasured());
    const stage::ResolvedBreath resolved =
        stage::resolve(request, measured, person.person(*measured));
    if (!examined.manoeuvre.empty()) return examine(program, resolved);
    if (!noOutput && !out.empty()) requireTools();
    breath::BreathSimulation simulation(resolved.settings);
    if (noOutput || out.empty()) {
      auto progress = program.makeProgress("s simulated");
      progress->begin("breathing", resolved.seconds);
      simulation.run(resolved.seconds, [&](double t) { progress->update(t); });
      progress->end();
      if (!csv.empty()) io::writeCsv(csv, stage::measureTable(simulation));
      nlohmann::ordered_json measures = stage::breathJson(simulation);
      if (resolved.signal) measures["recording"] = stage::signalJson(*resolved.signal);
      program.print(measures, stage::breathSummaryText(simulation));
      return;
    }
    runInFolder(program, simulation, resolved);
  }

  /// A whole body that holds its posture breathes as one that moves does.
  void live(Program& program) const {
    LivingCommand living{.person = person,
                         .request = stage::livingRequest(request),
                         .out = noOutput ? "" : out,
                         .resume = resume,
                         .noFilm = noFilm,
                         .noPictures = noPictures,
                         .asset = asset,
                         .drawn = drawn};
    living.motion.posture = request.posture == "upright" ? "standing" : request.posture;
    living.run(program, "breathe --articulation whole");
  }

  void examine(Program& program, const stage::ResolvedBreath& resolved) const {
    const bool written = !noOutput && !out.empty();
    if (written) render::requirePlotting();
    std::optional<io::RunFolder> folder;
    if (written)
      folder.emplace(openFolder(program, resolved, "breathe --manoeuvre " + examined.manoeuvre));
    auto progress = program.makeProgress("");
    progress->begin(examined.manoeuvre, 0);
    const stage::ManoeuvreRun done =
        stage::runManoeuvre(examined.manoeuvre, stage::trunkOf(resolved));
    progress->end();
    std::string text = stage::manoeuvreText(done);
    if (folder) {
      stage::writeManoeuvre(done, [&](std::string_view name) { return folder->file(name); });
      folder->finish();
      text += fmt::format("\nWrote {}/report.html, manoeuvre.svg, manoeuvre.csv\n", out);
    }
    program.print(stage::manoeuvreJson(done), text);
  }

  /// Before the simulation, not after it.
  void requireTools() const {
    render::requirePlotting();
    if (!noFilm && !noPictures) render::requireFilming();
  }

  /// Folders of another verb are left alone: results of a breath and a manoeuvre do not mix.
  io::RunFolder openFolder(const Program& program, const stage::ResolvedBreath& resolved,
                           std::string verb) const {
    io::RunDescription description;
    description.command = program.commandLine();
    description.verb = std::move(verb);
    description.bodyHash = stage::bodyHash(*resolved.settings.body);
    description.seed = request.seed;
    description.settings = stage::describe(request, resolved);
    return io::RunFolder::open(out, description, resume);
  }

  stage::DrawnParts parts(const Program& program) const {
    stage::DrawnParts p = drawn;
    p.command = program.commandLine();
    p.stills = !noPictures, p.film = !noFilm && !noPictures, p.asset = asset;
    return p;
  }

  void runInFolder(Program& program, breath::BreathSimulation& simulation,
                   const stage::ResolvedBreath& resolved) const {
    const anatomy::Body& body = *resolved.settings.body;
    io::RunFolder folder = openFolder(program, resolved, "breathe");

    const stage::FrameTrack track =
        stage::recordBreath(simulation, resolved.seconds, request.framesPerSecond, folder,
                            *program.makeProgress("s simulated"));
    auto drawing = program.makeProgress("");
    drawing->begin("drawing", 1);
    nlohmann::ordered_json measures = stage::breathJson(simulation);
    measures.update(stage::writeBreathOutputs(
        simulation, body, track, [&](std::string_view name) { return folder.file(name); },
        parts(program), [&](double done) { drawing->update(done); }));
    drawing->end();
    io::writeJson(folder.file("summary.json"), measures);
    folder.finish();
    program.print(measures, stage::breathSummaryText(simulation) +
                                fmt::format("\nWrote {}/report.html, breath.glb, {}breath.csv\n",
                                            folder.path().string(),
                                            noFilm || noPictures ? "" : "breath.mp4, "));
  }
};

/// Names options that would have no effect, instead of ignoring them.
void refuseIgnored(const CLI::App& verb, const BreatheCommand& command) {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  if (!command.examined.manoeuvre.empty())
    for (const char* option :
         {"--style",   "--volume",      "--column", "--kind",  "--invert",      "--calibrated",
          "--detrend", "--seconds",     "--rate",   "--tidal", "--chest-share", "--variability",
          "--effort",  "--seed",        "--fps",    "--csv",   "--fill-gaps",   "--robust",
          "--speech",  "--words",       "--mets",   "--ball",  "--size",        "--asset",
          "--no-film", "--no-pictures", "--resume"})
      if (given(option)) refuseOption(option, "is for a breath", "no --manoeuvre beside it");
  if (command.articulation == "whole")
    for (const char* option : {"--manoeuvre", "--csv"})
      if (given(option)) refuseOption(option, "is for the torso by itself", "--articulation torso");
  if (!command.csv.empty() && !command.out.empty())
    refuseOption("--csv", "writes a table alone",
                 "--csv FILE, or --out FOLDER with its breath.csv");
  if (!command.noOutput && !command.out.empty()) return;
  for (const char* option : {"--fps", "--asset", "--size", "--resume"})
    if (given(option)) refuseOption(option, "is for a run that is written", "--out FOLDER");
}

}  // namespace

// Breath and manoeuvre are one verb: the same trunk either breathes or is examined, and options of
// the one are refused with the other.
void addBreatheVerb(Program& program) {
  CLI::App* verb = program.addVerb("breathe", "Simulate a breathing torso and show it",
                                   "pneuma breathe --style deep --seconds 10 --no-output");
  auto command = std::make_shared<BreatheCommand>();
  addFieldOptions(verb, command->request);
  addFieldOptions(verb, command->examined);
  command->person.addTo(verb);
  verb->add_option("--articulation", command->articulation,
                   "torso: the trunk by itself, arms behind it; whole: all of the body, as in live")
      ->check(oneOf({"torso", "whole"}))
      ->capture_default_str();
  verb->add_option("--out", command->out, "Folder of the run; without it only measures are printed")
      ->type_name("FOLDER");
  verb->add_option("--csv", command->csv, "Write the measures over time as a table, nothing else")
      ->type_name("FILE");
  verb->add_flag("--no-output", command->noOutput, "Only simulate and print the measures");
  verb->add_flag("--asset", command->asset, "Also write asset.glb, small and in layers, for games");
  addPictureSize(verb, command->drawn.width, command->drawn.height,
                 "Of breath.mp4 (960x540 unless given) and breath.png (1280x720) [pixels]");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--no-pictures", command->noPictures, "Leave the MP4 and the stills out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, verb, &program] {
    refuseIgnored(*verb, *command);
    if (verb->get_option("--size")->count() > 0)
      command->drawn.filmWidth = command->drawn.width,
      command->drawn.filmHeight = command->drawn.height;
    command->run(program);
  });
}

}  // namespace pneuma::cli
