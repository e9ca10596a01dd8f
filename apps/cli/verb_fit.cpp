#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/field_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/stage/fit_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

struct FitCommand {
  stage::FitOptions options;
  std::string file, body, out = "out/fit";
  stage::DrawnParts drawn;
  bool breath = true, resume = false;

  void run(Program& program) const {
    const anatomy::Body measured =
        anatomy::loadBody(body.empty() ? anatomy::defaultBodyPath() : std::filesystem::path(body))
            .valueOrThrow();
    stage::FitRun run(file, options, measured);
    io::RunDescription description;
    description.command = program.commandLine();
    description.verb = "fit";
    description.bodyHash = stage::bodyHash(measured);
    description.settings = io::settingsJson(options);
    description.settings["character"] = file;
    description.settings["character_hash"] = run.inputHash();
    auto progress = program.makeProgress("");
    // A character that is refused leaves no folder behind; a run to be resumed has one.
    std::optional<io::RunFolder> folder;
    const auto open = [&] { folder.emplace(io::RunFolder::open(out, description, resume)); };
    if (resume && std::filesystem::exists(out)) {
      open();
      if (const std::optional<io::Checkpoint> former = folder->lastCheckpoint()) {
        io::StateReader state(former->state);
        run.load(state);
      }
    }
    run.fit(*progress);
    if (!folder) open();
    const auto save = [&](std::uint64_t stage) {
      io::StateWriter state;
      run.save(state);
      folder->saveCheckpoint(stage, state);
    };
    save(1);
    if (breath) run.breathe(*progress), save(2);
    stage::DrawnParts parts = drawn;
    parts.command = description.command;
    run.write(folder->path(), parts, *progress);
    folder->finish();
    program.print(run.json(), run.text() + fmt::format("Wrote {}/report.html\n", out));
  }
};

}  // namespace

void addFitVerb(Program& program) {
  CLI::App* verb =
      program.addVerb("fit", "Give your own character an anatomy, and its breath back to it",
                      "pneuma fit hero.glb --out out/hero");
  auto command = std::make_shared<FitCommand>();
  verb->add_option("character", command->file, "OBJ, PLY, STL, glTF, GLB or FBX of a human")
      ->type_name("FILE")
      ->required();
  addFieldOptions(verb, command->options);
  verb->add_option("--body", command->body, "Body whose anatomy it gets; default: the human")
      ->type_name("FILE");
  verb->add_option("--out", command->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->add_flag_callback(
      "--no-film", [command] { command->drawn.film = false; }, "Leave the MP4 out");
  verb->add_flag_callback(
      "--no-pictures", [command] { command->drawn.film = command->drawn.stills = false; },
      "Leave the MP4 and the stills out");
  verb->add_flag_callback(
      "--no-breath", [command] { command->breath = false; }, "Fit only");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
