#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/growth.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/manoeuvre_run.h"
#include "pneuma/stage/run_description.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

/// Whose ranges data/breath/physiology.toml holds.
std::string rangesOf(const ManoeuvreRun& run) {
  const bool lying = run.posture == breath::Posture::Supine;
  return fmt::format("a man of 30 years, 1.75 m, 73 kg, {}",
                     lying ? "lying on the back" : "upright");
}

std::string personWords(const anatomy::Person& p) {
  return fmt::format("{} of {:.0f} years, {:.2f} m, {:.0f} kg", anatomy::wordFor(p.sex, p.age),
                     p.age, p.height, p.mass);
}

std::string rangeWords(const ManoeuvreFigure& f) {
  return f.people
             ? fmt::format("{} .. {}", figureNumber(f.people->low), figureNumber(f.people->high))
             : "";
}

const char* verdictWord(const ManoeuvreFigure& f) {
  return !f.inside ? "" : *f.inside ? "inside" : "OUTSIDE";
}

/// Whose ranges stand beside the figures.
std::string rangeSource(const ManoeuvreRun& run) {
  return anatomy::isChild(run.person) ? "no ranges for children"
                                      : fmt::format("ranges are those of {}", rangesOf(run));
}

/// Whether points of people that stand upright belong into the run's diagram.
bool hasUprightPoints(const ManoeuvreRun& run) {
  return run.posture == breath::Posture::Upright && !anatomy::isChild(run.person);
}

/// Relaxation pressures of lung, wall and both over the vital capacity (Rahn 1946), for adults with
/// the points that textbooks quote (recalled).
render::Plot rahnPlot(const ManoeuvreRun& run) {
  const io::Table& t = run.table;
  const std::vector<double> lungPoints{2, 5, 8, 13, 30}, wallPoints{-22, -5, 0, 3, 10},
      at{0, 37, 57, 75, 100};
  const auto& volume = t.column("vital_capacity").values;
  render::Plot plot("Relaxation pressures");
  render::Panel& panel = plot.panel("Rahn's diagram", "pressure [cmH2O]", "vital capacity [%]")
                             .line(t.column("lung_recoil").values, volume, "lung")
                             .line(t.column("wall_recoil").values, volume, "chest wall")
                             .line(t.column("system_recoil").values, volume, "both");
  if (hasUprightPoints(run))
    panel.scatter(lungPoints, at, "people, lung").scatter(wallPoints, at, "people, wall");
  return plot;
}

/// Flow over volume, with the flows of a man of 30 years, 75 kg, 1.75 m (breath/lung.h).
render::Plot flowPlot(const ManoeuvreRun& run) {
  const io::Table& t = run.table;
  const double vital = run.value("fvc");
  const std::vector<double> at{0.25 * vital, 0.5 * vital, 0.75 * vital}, people{8.3, 5.0, 1.9};
  render::Plot plot("Forced expiration");
  render::Panel& panel =
      plot.panel("Flow over volume", "breathed out [L]", "flow [L/s]")
          .line(t.column("volume_out").values, t.column("flow_out").values, "model");
  if (hasUprightPoints(run)) panel.scatter(at, people, "man of 30 years");
  return plot;
}

void addVolumePanel(render::Plot& plot, const ManoeuvreRun& run) {
  const io::Table& t = run.table;
  render::Panel& panel = plot.panel("Gas in the lungs", "time [s]", "volume [L]");
  panel.line(t.column("time").values, t.column("lung_volume").values, "");
  panel.horizontalRule(run.lungs.total / kLitre, "TLC, predicted");
  panel.horizontalRule(run.lungs.rest / kLitre, "FRC");
  panel.horizontalRule(run.lungs.residual / kLitre, "RV, predicted");
  panel.y.min = 0;
  panel.y.max = 1.1 * run.lungs.total / kLitre;  // rules are not counted by themselves
}

render::Plot volumeOverTime(const ManoeuvreRun& run) {
  render::Plot plot(run.manoeuvre == "mvv" ? "Maximal ventilation" : "Vital capacity");
  addVolumePanel(plot, run);
  return plot;
}

render::Plot pressureOverTime(const ManoeuvreRun& run) {
  const io::Table& t = run.table;
  render::Plot plot(run.manoeuvre == "mip"   ? "Greatest pressure in"
                    : run.manoeuvre == "mep" ? "Greatest pressure out"
                                             : "Sniff");
  addVolumePanel(plot, run);
  render::Panel& panel = plot.panel("Pressures", "time [s]", "pressure [cmH2O]");
  for (const auto& [column, name] : {std::pair{"alveolar_pressure", "alveoli"},
                                     {"pleural_pressure", "pleura, against rest"},
                                     {"abdominal_pressure", "abdomen"}})
    panel.line(t.column("time").values, t.column(column).values, name);
  return plot;
}

/// Konno and Mead's diagram: what one part loses the other gains along a line of slope -1.
render::Plot isovolumePlot(const io::Table& t) {
  const auto& abdomen = t.column("abdomen_volume").values;
  const auto [low, high] = std::minmax_element(abdomen.begin(), abdomen.end());
  const std::vector<double> across{*low, *high}, balanced{-*low, -*high};
  render::Plot plot("Isovolume manoeuvre");
  plot.panel("Konno and Mead's diagram", "abdomen [mL]", "rib cage [mL]")
      .line(abdomen, t.column("rib_cage_volume").values, "model")
      .line(across, balanced, "no change of volume", {.dash = render::Dash::Dashed});
  return plot;
}

}  // namespace

std::string figureNumber(double v) {
  return fmt::format("{:.{}f}", v, std::abs(v) >= 100 ? 0 : std::abs(v) >= 10 ? 1 : 2);
}

nlohmann::ordered_json manoeuvreJson(const ManoeuvreRun& run) {
  nlohmann::ordered_json j;
  j["manoeuvre"] = run.manoeuvre;
  j["person"] = personJson(run.person);
  if (!anatomy::isChild(run.person)) j["ranges_of"] = rangesOf(run);
  for (const ManoeuvreFigure& f : run.figures) {
    nlohmann::ordered_json& out = j["figures"][f.id];
    out = {{"value", f.value}, {"unit", f.unit}};
    if (!f.people) continue;
    out["people"] = {f.people->low, f.people->high};
    if (f.inside) out["inside"] = *f.inside;
    out["calibrated"] = f.people->tuned;
    out["source"] = f.people->source;
  }
  return j;
}

std::string manoeuvreText(const ManoeuvreRun& run) {
  std::string text =
      fmt::format("{}: {}; {}\n", run.manoeuvre, personWords(run.person), rangeSource(run));
  for (const ManoeuvreFigure& f : run.figures) {
    text += fmt::format("  {:<61}{:>9} {:<9}", f.text, figureNumber(f.value), f.unit);
    if (f.people) text += fmt::format(" people {:<15} {}", rangeWords(f), verdictWord(f));
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

render::Plot manoeuvrePlot(const ManoeuvreRun& run) {
  if (run.manoeuvre == "relaxation") return rahnPlot(run);
  if (run.manoeuvre == "forced") return flowPlot(run);
  if (run.manoeuvre == "isovolume") return isovolumePlot(run.table);
  if (run.manoeuvre == "vital-capacity" || run.manoeuvre == "mvv") return volumeOverTime(run);
  return pressureOverTime(run);
}

void writeManoeuvre(const ManoeuvreRun& run,
                    const std::function<std::filesystem::path(std::string_view)>& file) {
  io::writeCsv(file("manoeuvre.csv"), run.table);
  const render::Plot plot = manoeuvrePlot(run);
  plot.write(file("manoeuvre.svg"));
  std::vector<render::ComparisonRow> rows;
  for (const ManoeuvreFigure& f : run.figures) {
    rows.push_back({.quantity = f.text,
                    .unit = f.unit,
                    .published = rangeWords(f),
                    .ours = figureNumber(f.value),
                    .pass = std::nullopt,
                    .note = ""});
    if (!f.people) continue;
    rows.back().pass = f.inside;
    rows.back().note = fmt::format("{}; {}; {}", f.people->tuned ? "calibrated" : "predicted",
                                   f.people->known, f.people->source);
  }
  render::Report report(fmt::format("Manoeuvre: {}", run.manoeuvre), personWords(run.person));
  report.comparison(rows, fmt::format("People: {}.", rangeSource(run)))
      .plot(plot, "", "manoeuvre")
      .writeHtml(file("report.html"));
  io::writeJson(file("summary.json"), manoeuvreJson(run));
}

}  // namespace pneuma::stage
