#include "reproduce/tsoli2014/tsoli2014.h"

#include <fmt/format.h>

#include "pneuma/io/run_folder.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/shape/learn.h"
#include "pneuma/stage/run_description.h"
#include "reproduce/tsoli2014/pictures.h"

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

render::Plot componentPlot(const io::Table& validation) {
  render::Plot plot;
  const std::vector<double>& k = validation.column("components").values;
  auto& panel = plot.panel("Cross-validation over people", "components", "rms on the trunk [mm]");
  panel.line(k, validation.column("oracle").values, "nearest possible");
  panel.line(k, validation.column("konno_mead").values, "from chest and belly volume");
  panel.line(k, validation.column("type_flow").values, "from type, volume and flow");
  return plot;
}

const shape::ErrorLine* find(const std::vector<shape::ErrorLine>& lines, std::string_view begin) {
  for (const shape::ErrorLine& l : lines)
    if (l.name.starts_with(begin)) return &l;
  return nullptr;
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
           fmt::format("{} hold {:.0f} %", learned.model.componentCount(),
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

  const shape::Learned learned =
      shape::learnBreath(shape::PeopleFolder(place), {}, *context.makeProgress("people"));
  shape::writeBreathModel(folder.file("model.breath"), learned.model);
  io::writeCsv(folder.file("components.csv"), learned.validation);
  io::writeJson(folder.file("card.json"), learned.card);
  const std::vector<render::ComparisonRow> rows = verdicts(learned);
  render::Report report(
      "Breathing Life into Shape",
      fmt::format("Tsoli, Mahmood and Black 2014, on {} simulated people", request.people));
  if (!rows.empty()) report.comparison(rows);
  report.table(errorsAsTable(learned.errors))
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
  outcome.text = shape::errorTable(learned.errors);
  for (const render::ComparisonRow& r : rows)
    outcome.text += fmt::format("  {}: {} {} ({}){}\n", r.quantity, r.ours, r.unit, r.published,
                                r.pass ? (*r.pass ? ", holds" : ", MISSED") : "");
  outcome.text += fmt::format("\nWrote {}/report.html, model.breath\n", context.out.string());
  return outcome;
}

}  // namespace pneuma::reproduce::tsoli2014
