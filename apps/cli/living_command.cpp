#include "cli/living_command.h"

#include <fmt/format.h>

#include "pneuma/core/error.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {

void LivingCommand::run(Program& program, const std::string& verb) const {
  const anatomy::Body measured = person.loadAsMeasured();
  const std::string hash = stage::bodyHash(measured);
  const anatomy::Person who = person.person(measured);
  if (!out.empty()) render::requirePlotting();
  if (!out.empty() && !noPictures && !noFilm) render::requireFilming();
  const stage::ResolvedLiving resolved = stage::resolve(request, motion, measured, who);
  stage::LivingRequest plain = request;
  if (out.empty()) plain.skinTriangles = 0;  // nobody would see it
  stage::LivingRun living(plain, resolved);
  if (out.empty()) {
    living.simulate(*program.makeProgress("s simulated"));
    program.print(living.json(), living.text());
    return;
  }
  io::RunDescription description;
  description.command = program.commandLine();
  description.verb = verb;
  description.bodyHash = hash;
  description.seed = request.seed;
  description.settings = stage::describe(request, motion, resolved);
  io::RunFolder folder = io::RunFolder::open(out, description, resume);
  stage::DrawnParts parts = drawn;
  parts.stills = !noPictures, parts.film = !noFilm && !noPictures, parts.asset = asset;
  living.perform(folder, parts, *program.makeProgress(request.flesh.on ? "frames" : "s simulated"),
                 *program.makeProgress(""));
  program.print(living.json(), living.text() + fmt::format("wrote {}\n", folder.path().string()));
}

}  // namespace pneuma::cli
