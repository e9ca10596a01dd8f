#include "pneuma/stage/breath_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

using breath::TorsoMeasures;

/// A table of columns that are functions of a sample.
struct Columns {
  std::span<const TorsoMeasures> samples;
  io::Table table = {};

  template <class Get>
  void operator()(std::string name, std::string unit, const Get& get) {
    std::vector<double> values;
    for (const TorsoMeasures& m : samples) values.push_back(get(m));
    table.addColumn(std::move(name), std::move(unit), std::move(values));
  }
};

void addVolumesAndPressures(const MeasuredBreath& b, Columns& add) {
  const TorsoMeasures& first = b.samples.front();
  add("lung_volume", "mL",
      [&](const auto& m) { return (m.lungVolume - b.restLung) / kMillilitre; });
  add("rib_cage_volume", "mL",
      [&](const auto& m) { return (m.ribCageVolume - first.ribCageVolume) / kMillilitre; });
  add("abdomen_volume", "mL",
      [&](const auto& m) { return (m.abdomenVolume - first.abdomenVolume) / kMillilitre; });
  add("gut_error", "%", [&](const auto& m) { return 100 * (m.gutVolume / b.restGut - 1); });
  add("gut_pressure", "Pa", [](const auto& m) { return m.gutPressure; });
  add("pleural_pressure", "Pa", [](const auto& m) { return m.pleuralPressure; });
  add("transdiaphragmatic_pressure", "Pa",
      [&](const auto& m) { return m.gutPressure - first.gutPressure - m.pleuralPressure; });
  add("alveolar_pressure", "Pa", [](const auto& m) { return m.alveolarPressure; });
  if (b.torso) add("gas", "L", [](const auto& m) { return m.gas / kLitre; });
  add("flow_in", "L/s", [](const auto& m) { return m.flow / kLitre; });
}

void addTravel(const MeasuredBreath& b, Columns& add) {
  const auto length = [&](const char* name, double TorsoMeasures::*field) {
    add(name, "mm", [field](const auto& m) { return m.*field / kMillimetre; });
  };
  length("sternum_forward", &TorsoMeasures::sternumForward);
  length("sternum_up", &TorsoMeasures::sternumUp);
  length("dome", &TorsoMeasures::dome);
  length("belly", &TorsoMeasures::belly);
  if (b.torso) length("shoulder_up", &TorsoMeasures::shoulderUp);
  if (b.torso) length("spine_sway", &TorsoMeasures::spineSway);
  const std::array<const char*, 3> girths{"girth_rib_4", "girth_rib_8", "girth_abdomen"};
  for (std::size_t k = 0; k < girths.size(); ++k)
    add(girths[k], "mm", [k](const auto& m) { return m.girth[k] / kMillimetre; });
  for (std::size_t i = 0; i < breath::kRibCount; ++i) {
    add(fmt::format("pump_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.pump[i]); });
    add(fmt::format("bucket_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.bucket[i]); });
  }
}

void addMuscles(const MeasuredBreath& b, Columns& add) {
  for (std::size_t k = 0; k < breath::kGroupCount; ++k) {
    const std::string name(breath::toString(static_cast<breath::MuscleGroup>(k)));
    add("tension_" + name, "N", [k](const auto& m) { return m.tension[k]; });
    add("length_" + name, "", [k](const auto& m) { return m.length[k]; });
    if (b.torso) add("work_" + name, "J", [k](const auto& m) { return m.work[k]; });
  }
}

nlohmann::ordered_json degrees(const std::array<double, breath::kRibCount>& radians) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double r : radians) list.push_back(radiansToDegrees(r));
  return list;
}

}  // namespace

io::Table measureTable(const MeasuredBreath& b) {
  Columns add{b.samples};
  add("time", "s", [](const auto& m) { return m.time; });
  addVolumesAndPressures(b, add);
  addTravel(b, add);
  addMuscles(b, add);
  return std::move(add.table);
}

nlohmann::ordered_json summaryJson(const breath::BreathSummary& b) {
  nlohmann::ordered_json j;
  j["tidal_ml"] = b.tidalVolume / kMillilitre;
  j["rate_per_min"] = b.breathsPerMinute;
  j["gut_error_pct"] = 100 * b.gutError;
  j["sternum_forward_mm"] = b.sternumForward / kMillimetre;
  j["sternum_up_mm"] = b.sternumUp / kMillimetre;
  j["rib_cage_share_pct"] = 100 * b.ribCageShare;
  j["dome_mm"] = b.dome / kMillimetre;
  j["belly_mm"] = b.belly / kMillimetre;
  j["chest_circumference_mm"] = std::max(b.girth[0], b.girth[1]) / kMillimetre;
  j["abdominal_circumference_mm"] = b.girth[2] / kMillimetre;
  j["pump_deg"] = degrees(b.pump);
  j["bucket_deg"] = degrees(b.bucket);
  j["below_rest_ml"] = b.belowRest / kMillilitre;
  j["above_rest_ml"] = b.aboveRest / kMillilitre;
  j["gut_pressure_pa"] = b.gutPressure;
  j["pleural_pressure_pa"] = b.pleuralPressure;
  return j;
}

render::Plot volumePlot(const MeasuredBreath& b) {
  const io::Table t = measureTable(b);
  const auto& time = t.column("time").values;
  render::Plot plot;
  auto& volume = plot.panel("Volume against rest", "time [s]", "volume [mL]");
  volume.line(time, t.column("lung_volume").values, "lungs");
  volume.line(time, t.column("rib_cage_volume").values, "rib cage");
  volume.line(time, t.column("abdomen_volume").values, "abdomen");
  if (b.target != nullptr) {
    std::vector<double> target;
    for (const double s : time) target.push_back(b.target->at(s) / kMillilitre);
    volume.line(time, target, "recording", {.dash = render::Dash::Dashed});
  }
  auto& travel = plot.panel("Travel", "time [s]", "travel [mm]");
  travel.line(time, t.column("sternum_forward").values, "sternum forward");
  travel.line(time, t.column("sternum_up").values, "sternum up");
  travel.line(time, t.column("dome").values, "dome down");
  travel.line(time, t.column("belly").values, "belly forward");
  if (b.torso) travel.line(time, t.column("shoulder_up").values, "shoulders up");
  auto& pressure = plot.panel("Pressure", "time [s]", "pressure [Pa]");
  pressure.line(time, t.column("gut_pressure").values, "gut");
  pressure.line(time, t.column("pleural_pressure").values, "lungs, against rest");
  return plot;
}

render::Plot ribPlot(const MeasuredBreath& b) {
  const io::Table t = measureTable(b);
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
