#include <fmt/format.h>

#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/body_pack.h"

namespace pneuma::cli {
namespace {

struct CompileOptions {
  PersonOptions person;
  stage::BodyPackOptions pack;
  std::string out = "body.pnb";
};

void compileBody(Program& program, const CompileOptions& o) {
  const anatomy::Body measured = o.person.loadAsMeasured();
  const stage::BodyPack pack =
      stage::makeBodyPack(measured, o.person.request(),
                          io::readFile(dataFile("breath/styles.toml")).valueOrThrow(), o.pack);
  const std::string bytes = stage::encodePack(pack);
  io::writeFile(o.out, bytes);
  std::size_t bones = 0, muscles = 0;
  for (const auto& [name, mesh] : pack.bones) bones += mesh.triangleCount();
  for (const stage::MuscleShape& m : pack.muscles) muscles += m.mesh.triangleCount();
  const nlohmann::ordered_json j{{"file", o.out},
                                 {"bytes", bytes.size()},
                                 {"hash", Hash64().bytes(bytes.data(), bytes.size()).hex()},
                                 {"skin_triangles", pack.skin.triangles.size()},
                                 {"bone_triangles", bones},
                                 {"muscle_triangles", muscles}};
  program.print(j, fmt::format("{}: {:.2f} MB; triangles: skin {}, bones {}, muscles {}\n", o.out,
                               1e-6 * static_cast<double>(bytes.size()),
                               j["skin_triangles"].get<std::size_t>(), bones, muscles));
}

}  // namespace

void addBodyCompileVerb(Program& program, CLI::App* body) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* verb =
      program.addSubVerb(body, "compile", "Pack a person into one small file for the studio",
                         "pneuma body compile --out body.pnb");
  verb->add_option("--out", options->out, "File to write")->capture_default_str();
  verb->add_option("--triangles", options->pack.skinTriangles, "Of the skin; 0: none")
      ->check(CLI::Range(0, 400000))
      ->capture_default_str();
  verb->add_flag("!--one-person", options->pack.everyone,
                 "Only the skin of this person; smaller, and made faster");
  options->person.addTo(verb);
  verb->callback([&program, options] { compileBody(program, *options); });
}

}  // namespace pneuma::cli
