#include "reproduce/physiology/diagrams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reproduce/physiology/subject.h"

namespace pneuma::reproduce::physiology {
namespace {

using breath::Campbell;
using breath::CompartmentPoint;
using breath::kCmH2O;
using breath::RelaxationPoint;

template <class List, class Get>
std::vector<double> collected(const List& list, const Get& get) {
  std::vector<double> v;
  for (const auto& item : list) v.push_back(get(item));
  return v;
}

std::vector<double> scaled(std::vector<double> v, double factor) {
  for (double& x : v) x *= factor;
  return v;
}

/// Breaths as loops of both parts, with the relaxed line; people's line is Estenne's quotient. A
/// quiet breath has a panel of its own, in which it can be seen.
Diagram konnoMead(const Measured& m) {
  const auto ribs = [](const auto& p) { return p.ribCage / kMillilitre; };
  const auto belly = [](const auto& p) { return p.abdomen / kMillilitre; };
  constexpr double kLeast = -60, kMost = 200;  // belly in that panel [mL]
  const io::Table& t = m.relaxation.table;
  std::vector<double> x = t.column("abdomen_volume").values, y = t.column("rib_cage_volume").values,
                      nearX, nearY;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] >= kLeast && x[i] <= kMost) nearX.push_back(x[i]), nearY.push_back(y[i]);
  render::Plot plot("Konno and Mead");
  for (const bool quiet : {true, false}) {
    auto& panel = plot.panel(quiet ? "A quiet breath, rib cage over abdomen"
                                   : "A deep breath and the whole relaxed line",
                             "abdomen [mL]", "rib cage [mL]");
    const std::vector<double> at{0, quiet ? 90.0 : 240.0};
    panel.band(at, scaled(at, 3.7), scaled(at, 8.4), "people, relaxed (seated)");
    panel.line(quiet ? nearX : x, quiet ? nearY : y, "relaxed");
    const Campbell& breath = quiet ? m.quiet : m.deep;
    panel.line(collected(breath.breath, belly), collected(breath.breath, ribs), "breath");
  }
  return {std::move(plot), "Loops of a quiet and a deep breath beside the relaxed chest.",
          "konno_mead"};
}

/// Pleural pressure over volume: between the wall's line and the loop lies the muscles' work.
void addCampbell(const Campbell& c, const char* title, render::Plot& plot) {
  auto& panel = plot.panel(title, "pleural pressure against rest [cmH2O]", "volume [mL]");
  const double rest = c.relaxed.front().gas, wall = c.relaxed.front().wall;
  const auto volume = [&](const auto& p) { return (p.gas - rest) / kMillilitre; };
  panel.line(collected(c.breath, [](const auto& p) { return p.pleural / kCmH2O; }),
             collected(c.breath, volume), "breath");
  panel.line(collected(c.relaxed, [&](const auto& p) { return (p.wall - wall) / kCmH2O; }),
             collected(c.relaxed, volume), "relaxed wall");
  panel.line(
      collected(c.relaxed, [&](const auto& p) { return -(p.mouth - p.wall + wall) / kCmH2O; }),
      collected(c.relaxed, volume), "lung, static", {.dash = render::Dash::Dashed});
  panel.y.max = 1.1e6 * c.volume;
}

Diagram campbellDiagram(const Measured& m) {
  render::Plot plot("Campbell");
  addCampbell(m.quiet, "Quiet breath", plot);
  addCampbell(m.deep, "Deep breath", plot);
  const auto words = [](const Campbell& c) {
    return fmt::format("{:.2f} J/L (lung {:.2f}, wall {:.2f}, airways {:.2f}; fibres {:.2f})",
                       c.work() * kLitre, c.elasticLung / c.volume * kLitre,
                       c.elasticWall / c.volume * kLitre, c.resistive / c.volume * kLitre,
                       c.fibres / c.volume * kLitre);
  };
  return {std::move(plot),
          fmt::format("Work is the area between wall and breath: quiet {}, deep {}.",
                      words(m.quiet), words(m.deep)),
          "campbell"};
}

Diagram pressuresDiagram(const Measured& m) {
  const auto volume = [](const PressurePoint& p) { return p.vitalPercent; };
  render::Plot plot("Greatest pressures");
  auto& panel = plot.panel("Against a shut airway", "vital capacity [%]", "pressure [cmH2O]");
  // Rahn 1946 and later textbooks (recalled): in at empty and full lungs, out likewise.
  const std::vector<double> at{0, 50, 100}, inLow{-140, -110, -30}, inHigh{-80, -60, 0},
      outLow{0, 70, 100}, outHigh{60, 170, 240};
  panel.band(at, inLow, inHigh, "people, in");
  panel.band(at, outLow, outHigh, "people, out");
  panel.line(collected(m.pressures, volume),
             collected(m.pressures, [](const auto& p) { return p.in / kCmH2O; }), "in");
  panel.line(collected(m.pressures, volume),
             collected(m.pressures, [](const auto& p) { return p.out / kCmH2O; }), "out");
  return {std::move(plot), "All strength at volumes from empty to full lungs. Bands: textbooks.",
          "greatest_pressures"};
}

Diagram sharesDiagram(const Measured& m) {
  struct Posture {
    const char *name, *figure;
    double low, high;
  };
  constexpr std::array<Posture, 3> kPostures{{{"upright", "rib_share", 59, 81},
                                              {"on the back", "supine_share", 25, 48},
                                              {"prone", "prone_share", 32, 60}}};
  render::Plot plot("Shares by posture");
  auto& panel = plot.panel("Share of the rib cage in a quiet breath", "posture", "share [%]");
  std::vector<double> at, ours;
  for (const Posture& p : kPostures) {
    const double x = static_cast<double>(at.size());
    const std::vector<double> side{x - 0.2, x + 0.2}, low(2, p.low), high(2, p.high);
    panel.band(side, low, high, at.empty() ? "people" : "", {.color = render::seriesColor(0)});
    panel.x.names.emplace_back(p.name);
    at.push_back(x);
    ours.push_back(m.figures.at(p.figure));
  }
  panel.scatter(at, ours, "model", {.color = render::seriesColor(1)});
  panel.x.min = -0.5;
  panel.x.max = static_cast<double>(at.size()) - 0.5;
  panel.y.min = 0;
  panel.y.max = 100;
  return {std::move(plot), "People: Lumb and Nunn 1991, Aliverti 2001.", "shares"};
}

Diagram ventilationDiagram(const Measured& m) {
  render::Plot plot("Ventilation and work");
  auto& panel =
      plot.panel("Work of breathing", "ventilation [L/min]", "work of the muscles [J/min]");
  // 0.3-0.6 J/L at rest, 1-2 J/L in deep breaths.
  const std::vector<double> at{0, 8, 40}, low{0, 2.4, 40}, high{0, 4.8, 80};
  panel.band(at, low, high, "people");
  panel.line(collected(m.efforts, [](const auto& p) { return p.ventilation; }),
             collected(m.efforts, [](const auto& p) { return p.power; }), "model");
  return {std::move(plot), "Deeper breaths at 15 a minute.", "ventilation_work"};
}

}  // namespace

std::vector<Diagram> makeDiagrams(const Measured& m) {
  std::vector<Diagram> list;
  list.push_back({stage::manoeuvrePlot(m.relaxation),
                  "Relaxed, a pressure at the mouth. Points: textbooks.", "rahn"});
  list.push_back(konnoMead(m));
  list.push_back(campbellDiagram(m));
  list.push_back({stage::manoeuvrePlot(m.forced), "From full to empty lungs as fast as possible.",
                  "flow_volume"});
  list.push_back(pressuresDiagram(m));
  list.push_back(sharesDiagram(m));
  list.push_back(ventilationDiagram(m));
  return list;
}

}  // namespace pneuma::reproduce::physiology
