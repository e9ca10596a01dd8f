#include "reproduce/nedel2000/nedel2000.h"

#include <fmt/format.h>

#include <cstdlib>

#include "pneuma/anatomy/person.h"
#include "pneuma/core/version.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/table.h"
#include "pneuma/render/tools.h"
#include "reproduce/nedel2000/reproduction.h"

namespace pneuma::reproduce::nedel2000 {

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

}  // namespace

Outcome run(const Context& context, const anatomy::Body& measured, const anatomy::Person& person,
            const std::filesystem::path& muscles) {
  io::requireWritable(context.out / "report.html");
  render::requirePlotting();
  if (!muscles.empty() && !std::filesystem::is_directory(muscles))
    throw InputError(io::fileError(muscles, "is no folder", "a folder with muscles/*.ply"));
  Reproduction r{context.out,
                 render::Report("Nedel and Thalmann 2000: anatomic modeling of deformable "
                                "human bodies",
                                "pneuma " + std::string(version()))};
  const auto progress = context.makeProgress("experiments");
  progress->begin("nedel2000", 6);
  const anatomy::Body body = anatomy::fitToPerson(measured, person);
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  reproduceCounts(r, anatomy::summarize(body, compiled));
  progress->update(1);
  reproduceFig6(r, muscles.empty() ? defaultAnatomy() : muscles);
  progress->update(2);
  reproduceFig10(r);
  reproduceFig11(r);
  progress->update(3);
  Figure figure(measured, body, std::move(compiled));
  reproduceElbow(r, figure);
  reproduceFig19(r, figure);
  progress->update(4);
  reproduceSkin(r, figure);
  progress->update(5);
  reproduceSpeed(r, figure);
  progress->end();

  r.report.heading("The paper beside ours").comparison(r.rows);
  r.report.writeHtml(r.folder / "report.html");
  r.report.writeMarkdown(r.folder / "report.md");
  io::writeJson(r.folder / "numbers.json", r.numbers);
  Outcome outcome{.numbers = std::move(r.numbers)};
  for (const render::ComparisonRow& row : r.rows)
    outcome.text +=
        fmt::format("{:<52} {:>18} | {:<18} {}\n", row.quantity, row.published, row.ours,
                    !row.pass   ? ""
                    : *row.pass ? "ok"
                                : "differs");
  outcome.text += "wrote " + (r.folder / "report.html").string() + "\n";
  return outcome;
}

}  // namespace pneuma::reproduce::nedel2000
