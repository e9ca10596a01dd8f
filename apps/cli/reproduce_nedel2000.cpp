#include "cli/reproduce_nedel2000.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/version.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/table.h"
#include "pneuma/render/tools.h"

namespace pneuma::cli {
namespace nedel2000 {

void Reproduction::compare(const std::string& quantity, const std::string& unit,
                           const std::string& published, const std::string& ours,
                           std::optional<bool> pass, const std::string& note) {
  rows.push_back({quantity, unit, published, ours, pass, note});
}

void Reproduction::picture(const render::Image& image, const std::string& caption,
                           const std::string& name) {
  render::writePng(image, folder / (name + ".png"));
  report.picture(image, caption, name);
}

void reproduceCounts(Reproduction& r, const anatomy::BodySummary& s) {
  const auto count = [&](const char* what, int paper, int ours) {
    r.compare(what, "", std::to_string(paper), std::to_string(ours), paper == ours, "section 6.3");
    r.numbers["counts"][what] = ours;
  };
  count("joints", 31, s.joints);
  count("degrees of freedom", 62, s.dofs);
  count("bones", 73, s.bones);
  count("muscles", 33, s.muscles);
  count("fusiform parts", 105, s.parts);
  count("action lines", 186, s.lines);
}

namespace {

std::filesystem::path defaultAnatomy() {
  const char* set = std::getenv("PNEUMA_SHARED");
  return std::filesystem::path(set != nullptr ? set : "../shared") / "anatomy";
}

void run(const Program& program, const std::string& out, const std::string& anatomy,
         const PersonOptions& person) {
  io::requireWritable(std::filesystem::path(out) / "report.html");
  render::requirePlotting();
  if (!anatomy.empty() && !std::filesystem::is_directory(anatomy))
    throw InputError(io::fileError(anatomy, "is no folder", "a folder with muscles/*.ply"));
  Reproduction r{out, render::Report("Nedel and Thalmann 2000: anatomic modeling of deformable "
                                     "human bodies",
                                     "pneuma " + std::string(version()))};
  const auto progress = program.makeProgress("experiments");
  progress->begin("nedel2000", 6);
  const anatomy::Body measured = person.loadAsMeasured();
  const anatomy::Body body = anatomy::fitToPerson(measured, person.person(measured));
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  reproduceCounts(r, anatomy::summarize(body, compiled));
  progress->update(1);
  reproduceFig6(r, anatomy.empty() ? defaultAnatomy() : std::filesystem::path(anatomy));
  progress->update(2);
  reproduceFig10(r);
  reproduceFig11(r);
  progress->update(3);
  Figure figure(measured, body, std::move(compiled));
  FigureScene scene(figure.body, figure.compiled, figure.model, &figure.bellies);
  reproduceElbow(r, figure, scene);
  reproduceFig19(r, figure, scene);
  progress->update(4);
  reproduceSkin(r, figure);
  progress->update(5);
  reproduceSpeed(r, figure);
  progress->end();

  r.report.heading("The paper beside ours").comparison(r.rows);
  r.report.writeHtml(r.folder / "report.html");
  r.report.writeMarkdown(r.folder / "report.md");
  io::writeJson(r.folder / "numbers.json", r.numbers);
  std::string text;
  for (const render::ComparisonRow& row : r.rows)
    text += fmt::format("{:<52} {:>18} | {:<18} {}\n", row.quantity, row.published, row.ours,
                        !row.pass   ? ""
                        : *row.pass ? "ok"
                                    : "differs");
  program.print(r.numbers, text + "wrote " + (r.folder / "report.html").string() + "\n");
}

}  // namespace
}  // namespace nedel2000

void addReproduceNedel2000(Program& program, CLI::App* reproduce) {
  struct Options {
    std::string out = "out/nedel2000", anatomy;
    PersonOptions person;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.addSubVerb(reproduce, "nedel2000",
                                      "Resampling, bellies and skin of the layered figure",
                                      "pneuma reproduce nedel2000 --out out/nedel2000");
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_option("--anatomy", o->anatomy,
                   "Folder with measured muscles (muscles/*.ply), for Fig. 6")
      ->type_name("FOLDER");
  o->person.addTo(verb);
  verb->callback([&program, o] { nedel2000::run(program, o->out, o->anatomy, o->person); });
}

}  // namespace pneuma::cli
