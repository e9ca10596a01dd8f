#include "reproduce/physiology/physiology.h"

#include <fmt/format.h>

#include "pneuma/breath/physiology.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/report.h"
#include "reproduce/physiology/diagrams.h"
#include "reproduce/physiology/subject.h"

namespace pneuma::reproduce::physiology {
namespace {

using breath::HumanFigure;
using stage::figureNumber;

double valueOf(const HumanFigure& figure, const Figures& figures) {
  const auto it = figures.find(figure.id);
  if (it == figures.end())
    throw InputError({.field = "id",
                      .message = fmt::format("no experiment measures '{}'", figure.id),
                      .expected = "a figure of the table"});
  return it->second;
}

std::vector<render::ComparisonRow> rowsOf(const std::vector<HumanFigure>& table,
                                          const Figures& figures) {
  std::vector<render::ComparisonRow> rows;
  for (const HumanFigure& h : table) {
    const double value = valueOf(h, figures);
    rows.push_back(
        {h.text, h.unit, fmt::format("{} .. {}", figureNumber(h.low), figureNumber(h.high)),
         figureNumber(value), h.holds(value),
         fmt::format("{}; {}; {}", h.tuned ? "calibrated" : "predicted", h.known, h.source)});
  }
  return rows;
}

}  // namespace

// Measuring knows nothing of the table: figures meet their ranges only afterwards.
Outcome run(const Context& context) {
  io::RunDescription description;
  description.command = context.command;
  description.verb = "reproduce physiology";
  io::RunFolder folder = io::RunFolder::open(context.out, description, context.resume);
  const std::vector<HumanFigure> table =
      breath::readHumanFigures(dataFile("breath/physiology.toml"));
  auto progress = context.makeProgress("parts");
  progress->begin("manoeuvres", kParts);
  const Measured measured = measureAll(*progress);
  progress->end();

  const std::vector<render::ComparisonRow> rows = rowsOf(table, measured.figures);
  int inside = 0;
  Outcome outcome;
  for (std::size_t i = 0; i < table.size(); ++i) {
    inside += rows[i].pass.value_or(false) ? 1 : 0;
    outcome.numbers["figures"][table[i].id] = valueOf(table[i], measured.figures);
    outcome.text +=
        fmt::format("  {:<66}{:>9} {:<10} people {:<16} {}{}\n", rows[i].quantity, rows[i].ours,
                    rows[i].unit, rows[i].published, *rows[i].pass ? "inside" : "OUTSIDE",
                    table[i].tuned ? ", calibrated" : "");
  }
  const std::string verdict =
      fmt::format("{} of {} figures inside the range of people", inside, table.size());
  outcome.numbers["inside"] = inside;
  outcome.numbers["count"] = table.size();
  render::Report report("The breath of people", "A man of 30 years, 1.75 m, 73 kg, and others");
  report.paragraph(verdict + ".")
      .comparison(rows, "Figures of people beside ours; ranges were set before the calibration.")
      .heading("Diagrams");
  for (const Diagram& d : makeDiagrams(measured)) report.plot(d.plot, d.caption, d.name);
  report.writeHtml(folder.file("report.html"));
  report.writeMarkdown(folder.file("report.md"));
  folder.finish();
  outcome.text += fmt::format("\n  {}\n\nWrote {}/report.html\n", verdict, context.out.string());
  return outcome;
}

}  // namespace pneuma::reproduce::physiology
