#include <fmt/format.h>

#include "pneuma/stage/breath_report.h"

namespace pneuma::stage {
namespace {

using breath::BreathSimulation;
using breath::TorsoMeasures;

template <class Get>
std::vector<double> series(const BreathSimulation& run, const Get& get) {
  std::vector<double> v;
  for (const TorsoMeasures& m : run.samples()) v.push_back(get(m));
  return v;
}

}  // namespace

io::Table measureTable(const BreathSimulation& run) {
  io::Table t;
  const double rest = run.model().restLung;
  const auto add = [&](std::string name, std::string unit, auto get) {
    t.addColumn(std::move(name), std::move(unit), series(run, get));
  };
  add("time", "s", [](const auto& m) { return m.time; });
  add("lung_volume", "mL", [&](const auto& m) { return 1e6 * (m.lungVolume - rest); });
  const double rib = run.samples().front().ribCageVolume,
               abdomen = run.samples().front().abdomenVolume;
  add("rib_cage_volume", "mL", [&](const auto& m) { return 1e6 * (m.ribCageVolume - rib); });
  add("abdomen_volume", "mL", [&](const auto& m) { return 1e6 * (m.abdomenVolume - abdomen); });
  add("gut_error", "%",
      [&](const auto& m) { return 100 * (m.gutVolume / run.model().restGut - 1); });
  add("gut_pressure", "Pa", [](const auto& m) { return m.gutPressure; });
  add("pleural_pressure", "Pa", [](const auto& m) { return m.pleuralPressure; });
  add("transdiaphragmatic_pressure", "Pa",
      [gut = run.samples().front().gutPressure](const auto& m) {
        return m.gutPressure - gut - m.pleuralPressure;
      });
  add("alveolar_pressure", "Pa", [](const auto& m) { return m.alveolarPressure; });
  add("gas", "L", [](const auto& m) { return 1e3 * m.gas; });
  add("flow_in", "L/s", [](const auto& m) { return 1e3 * m.flow; });
  add("sternum_forward", "mm", [](const auto& m) { return 1e3 * m.sternumForward; });
  add("sternum_up", "mm", [](const auto& m) { return 1e3 * m.sternumUp; });
  add("dome", "mm", [](const auto& m) { return 1e3 * m.dome; });
  add("belly", "mm", [](const auto& m) { return 1e3 * m.belly; });
  add("shoulder_up", "mm", [](const auto& m) { return 1e3 * m.shoulderUp; });
  add("spine_sway", "mm", [](const auto& m) { return 1e3 * m.spineSway; });
  const std::array<const char*, 3> girths{"girth_rib_4", "girth_rib_8", "girth_abdomen"};
  for (std::size_t k = 0; k < 3; ++k)
    add(girths[k], "mm", [k](const auto& m) { return 1e3 * m.girth[k]; });
  for (std::size_t i = 0; i < breath::kRibCount; ++i) {
    add(fmt::format("pump_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.pump[i]); });
    add(fmt::format("bucket_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.bucket[i]); });
  }
  for (int g = 0; g < breath::kGroupCount; ++g) {
    const std::string name(breath::toString(static_cast<breath::MuscleGroup>(g)));
    const auto k = static_cast<std::size_t>(g);
    add("tension_" + name, "N", [k](const auto& m) { return m.tension[k]; });
    add("length_" + name, "", [k](const auto& m) { return m.length[k]; });
    add("work_" + name, "J", [k](const auto& m) { return m.work[k]; });
  }
  return t;
}

render::Plot volumePlot(const BreathSimulation& run) {
  const io::Table t = measureTable(run);
  const auto& time = t.column("time").values;
  render::Plot plot;
  auto& volume = plot.panel("Volume against rest", "time [s]", "volume [mL]");
  volume.line(time, t.column("lung_volume").values, "lungs");
  volume.line(time, t.column("rib_cage_volume").values, "rib cage");
  volume.line(time, t.column("abdomen_volume").values, "abdomen");
  if (run.settings().target) {
    std::vector<double> target;
    for (const double s : time) target.push_back(1e6 * run.settings().target->at(s));
    volume.line(time, target, "recording", {.dash = render::Dash::Dashed});
  }
  auto& travel = plot.panel("Travel", "time [s]", "travel [mm]");
  travel.line(time, t.column("sternum_forward").values, "sternum forward");
  travel.line(time, t.column("sternum_up").values, "sternum up");
  travel.line(time, t.column("dome").values, "dome down");
  travel.line(time, t.column("belly").values, "belly forward");
  travel.line(time, t.column("shoulder_up").values, "shoulders up");
  return plot;
}

render::Plot ribPlot(const BreathSimulation& run) {
  const io::Table t = measureTable(run);
  const auto& time = t.column("time").values;
  render::Plot plot;
  auto& pump = plot.panel("Pump-handle angle of the ribs", "time [s]", "angle [deg]");
  auto& bucket = plot.panel("Bucket-handle angle of the ribs", "time [s]", "angle [deg]");
  for (int i = 1; i <= breath::kRibCount; ++i) {
    const render::SeriesStyle style{
        .color = render::sample(render::ColorMap::Sequential, 0.9 * (i - 1) / 9.0)};
    pump.line(time, t.column(fmt::format("pump_{:02}", i)).values,
              (i == 1 ? "rib " : "") + std::to_string(i), style);
    bucket.line(time, t.column(fmt::format("bucket_{:02}", i)).values, "", style);
  }
  return plot;
}

}  // namespace pneuma::stage
