#include "reproduce/tsoli2014/tsoli2014.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/io/run_folder.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/shape/learn.h"
#include "pneuma/stage/run_description.h"
#include "reproduce/tsoli2014/pictures.h"
#include "reproduce/tsoli2014/scans.h"

namespace pneuma::reproduce::tsoli2014 {
namespace {

render::Table errorsAsTable(const std::vector<shape::ErrorLine>& lines) {
  render::Table table;
  table.header = {"predicted by", "seen of the person", "rms [mm]",
                  "mean [mm]",    "p99 [mm]",           "unseen styles, rms [mm]"};
  const auto mm = [](double m) { return fmt::format("{:.2f}", 1e3 * m); };
  for (const shape::ErrorLine& l : lines)
    table.rows.push_back({l.name, l.seen, mm(l.learned.rms), mm(l.learned.mean), mm(l.learned.p99),
                          mm(l.unseen.rms)});
  table.caption = "Errors on the trunk of people who were held out.";
  return table;
}

render::Table trialsAsTable(const std::vector<shape::TrialErrorLine>& lines) {
  render::Table table;
  table.header = {"trial",          "was",        "no breath [mm]", "vertex PCA [mm]",
                  "the model [mm]", "oracle [mm]"};
  const auto mm = [](double m) { return fmt::format("{:.2f}", 1e3 * m); };
  for (const shape::TrialErrorLine& l : lines)
    table.rows.push_back({l.name, l.use == shape::TrialUse::Learn ? "learned" : "unseen",
                          mm(l.nothing), mm(l.vertexPca), mm(l.model), mm(l.oracle)});
  table.caption = "The same trial by trial, rms.";
  return table;
}

render::Table scansAsTable(const std::vector<ScanLine>& lines) {
  render::Table table;
  table.header = {"noise [mm]",          "painted points",     "to the surface [mm]",
                  "correspondence [mm]", "breath itself [mm]", "volume swing [%]"};
  const auto mm = [](double m) { return fmt::format("{:.2f}", 1e3 * m); };
  for (const ScanLine& l : lines)
    table.rows.push_back({fmt::format("{:.1f}", 1e3 * l.noise), std::to_string(l.painted),
                          mm(l.surface), mm(l.correspondence), mm(l.breath),
                          fmt::format("{:.1f}", 100 * l.swing)});
  table.caption = "Simulated scans of people held out, registered; rms on the trunk.";
  return table;
}

std::string scanText(const std::vector<ScanLine>& lines) {
  std::string text = fmt::format("{:<12}{:>9}{:>12}{:>18}{:>12}{:>14}\n", "scans, mm", "painted",
                                 "surface", "correspondence", "breath", "swing %");
  for (const ScanLine& l : lines)
    text += fmt::format("{:<12.1f}{:>9}{:>12.2f}{:>18.2f}{:>12.2f}{:>14.1f}\n", 1e3 * l.noise,
                        l.painted, 1e3 * l.surface, 1e3 * l.correspondence, 1e3 * l.breath,
                        100 * l.swing);
  return text;
}

render::Plot componentPlot(const io::Table& validation) {
  render::Plot plot;
  const std::vector<double>& k = validation.column("components").values;
  auto& panel = plot.panel("Cross-validation over people", "components", "rms on the trunk [mm]");
  panel.line(k, validation.column("oracle").values, "nearest possible");
  panel.line(k, validation.column("konno_mead").values, "from chest and belly volume");
  panel.line(k, validation.column("konno_mead_flow").values, "from the same and flow");
  panel.line(k, validation.column("type_flow").values, "from type, volume and flow");
  return plot;
}

/// The line of that beginning with the least error.
const shape::ErrorLine* find(const std::vector<shape::ErrorLine>& lines, std::string_view begin) {
  const shape::ErrorLine* best = nullptr;
  for (const shape::ErrorLine& l : lines)
    if (l.name.starts_with(begin) && (!best || l.learned.rms < best->learned.rms)) best = &l;
  return best;
}

/// Registration at the noise of a good scanner.
std::vector<render::ComparisonRow> scanVerdicts(const std::vector<ScanLine>& lines) {
  constexpr double kNoise = 0.5e-3, kSurface = 0.45e-3;  // [m]
  constexpr double kPlain = 2e-3, kPainted = 1.2e-3;     // correspondence [m]
  constexpr double kSwing = 0.05;
  std::vector<render::ComparisonRow> rows;
  const auto mm = [](double m) { return fmt::format("{:.2f}", 1e3 * m); };
  for (const ScanLine& l : lines) {
    if (l.noise != kNoise) continue;
    const std::string name = l.painted > 0 ? "painted scans" : "plain scans";
    const double most = l.painted > 0 ? kPainted : kPlain;
    rows.push_back({name + ": to the surface", "mm", "0.45 or less", mm(l.surface),
                    l.surface <= kSurface, "our own measure; the paper has none"});
    rows.push_back({name + ": correspondence", "mm", fmt::format("{:.1f} or less", 1e3 * most),
                    mm(l.correspondence), l.correspondence <= most, "our own measure"});
    rows.push_back({name + ": volume swing", "%", "95 to 105", fmt::format("{:.1f}", 100 * l.swing),
                    std::abs(l.swing - 1) <= kSwing, "our own measure"});
  }
  return rows;
}

/// What the issue of accuracy comes down to: against the best baseline that saw no breath of the
/// person, and against components of vertices.
std::vector<render::ComparisonRow> verdicts(const shape::Learned& learned) {
  const auto *none = find(learned.errors, "nothing"), *blend = find(learned.errors, "one blend"),
             *vertices = find(learned.errors, "vertex PCA"),
             *model = find(learned.errors, "the model: ");
  if (!none || !blend || !vertices || !model) return {};
  const double ours = model->learned.rms;
  const double best = std::min(none->learned.rms, blend->learned.rms);
  const auto percent = [](double share) { return fmt::format("{:.0f}", 100 * share); };
  return {{"error against the best baseline without the person's breath", "%", "60 or less",
           percent(ours / best), ours <= 0.6 * best, "our own measure; the paper has none"},
          {"error against components of vertices", "%", "105 or less",
           percent(ours / vertices->learned.rms), ours <= 1.05 * vertices->learned.rms,
           "our own measure"},
          {"components", "", "20 hold 76 % of the variance",
           fmt::format("{} hold {:.0f} %", learned.model.components,
                       learned.card.at("variance_pct").get<double>()),
           std::nullopt, "Sec. 5.1; simulated people carry no noise and no drift of posture"}};
}

}  // namespace

Outcome run(const Context& context, std::shared_ptr<const anatomy::Body> measured,
            const stage::PopulationRequest& request, const std::filesystem::path& people) {
  render::requirePlotting();
  io::RunDescription description;
  description.command = context.command;
  description.verb = "reproduce tsoli2014";
  description.bodyHash = stage::bodyHash(*measured);
  description.settings = io::settingsJson(request);
  io::RunFolder folder = io::RunFolder::open(context.out, description, context.resume);
  const std::filesystem::path place = people.empty() ? folder.file("people") : people;
  stage::PopulationRun(request, measured, context.command)
      .runAll(place, *context.makeProgress("people"));

  const shape::PeopleFolder population(place);
  const shape::Learned learned =
      shape::learnBreath(population, {}, *context.makeProgress("people"));
  const std::vector<ScanLine> scans =
      registerScans(population, learned.model, *context.makeProgress("scans"));
  shape::writeBreathModel(folder.file("model.breath"), learned.model);
  io::writeCsv(folder.file("components.csv"), learned.validation);
  io::writeJson(folder.file("card.json"), learned.card);
  std::vector<render::ComparisonRow> rows = verdicts(learned);
  std::ranges::copy(scanVerdicts(scans), std::back_inserter(rows));
  render::Report report(
      "Breathing Life into Shape",
      fmt::format("Tsoli, Mahmood and Black 2014, on {} simulated people", request.people));
  if (!rows.empty()) report.comparison(rows);
  report.table(errorsAsTable(learned.errors))
      .table(trialsAsTable(learned.trials))
      .table(scansAsTable(scans))
      .plot(componentPlot(learned.validation), "Components against error.", "components")
      .plot(weightPlot(learned.model, *measured), "Weights over volume and type (Figs 11, 12).",
            "weights");
  addPictures(learned.model, *measured, report);
  report.writeHtml(folder.file("report.html"));
  report.writeMarkdown(folder.file("report.md"));
  folder.finish();

  Outcome outcome;
  outcome.numbers = learned.card;
  outcome.numbers["validation"] = learned.validation.toJson();
  for (const ScanLine& l : scans)
    outcome.numbers["scans"].push_back({{"noise_mm", 1e3 * l.noise},
                                        {"painted", l.painted},
                                        {"surface_mm", 1e3 * l.surface},
                                        {"correspondence_mm", 1e3 * l.correspondence},
                                        {"breath_mm", 1e3 * l.breath},
                                        {"swing_pct", 100 * l.swing}});
  outcome.text = shape::errorTable(learned.errors) + "\n" + shape::trialTable(learned.trials) +
                 "\n" + scanText(scans) + "\n";
  for (const render::ComparisonRow& r : rows)
    outcome.text += fmt::format("  {}: {} {} ({}){}\n", r.quantity, r.ours, r.unit, r.published,
                                r.pass ? (*r.pass ? ", holds" : ", MISSED") : "");
  outcome.text += fmt::format("\nWrote {}/report.html, model.breath\n", context.out.string());
  return outcome;
}

}  // namespace pneuma::reproduce::tsoli2014
