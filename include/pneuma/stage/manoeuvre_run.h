#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/breath/physiology.h"
#include "pneuma/breath/torso_model.h"
#include "pneuma/core/field_table.h"
#include "pneuma/io/table.h"
#include "pneuma/render/plot.h"

/// A manoeuvre of the examiner (breath/manoeuvre.h) as a run: figures with people's ranges beside
/// them, a table and a diagram.
namespace pneuma::stage {

/// relaxation, vital-capacity, forced, mip, mep, isovolume, mvv, sniff.
std::vector<std::string> manoeuvreNames();

/// Which manoeuvre is asked for; empty: none.
struct ManoeuvreRequest {
  std::string manoeuvre;
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<ManoeuvreRequest> r) {
  v.field({.name = "manoeuvre",
           .meaning = "Examine the trunk instead of letting it breathe",
           .choices = manoeuvreNames()},
          r.manoeuvre);
}

/// One figure of a manoeuvre.
struct ManoeuvreFigure {
  std::string id, text, unit;
  double value = 0;  ///< in `unit`
  /// The range in data/breath/physiology.toml, of the man named there; absent: none is known in
  /// this posture, or of a child.
  std::optional<breath::HumanFigure> people;
  /// Whether the value is inside that range; absent where the range is another person's.
  std::optional<bool> inside;
};

/// What a manoeuvre gave.
struct ManoeuvreRun {
  std::string manoeuvre;
  anatomy::Person person;
  breath::Lungs lungs;
  breath::Posture posture = breath::Posture::Upright;
  std::vector<ManoeuvreFigure> figures;
  /// relaxation: a row per pressure at the mouth; the others: a row per step.
  io::Table table;

  double value(std::string_view id) const;  ///< Throws InputError with the nearest name.
};

/// Runs a manoeuvre on a trunk at rest. Throws InputError for an unknown one, with the nearest
/// name, and for a trunk without lungs of its own (preset zordan2005).
ManoeuvreRun runManoeuvre(std::string_view name, const breath::TorsoModel& trunk);

/// Three digits or so, for people.
std::string figureNumber(double value);
nlohmann::ordered_json manoeuvreJson(const ManoeuvreRun& run);
std::string manoeuvreText(const ManoeuvreRun& run);
/// Rahn's diagram, the flow-volume loop, volume over time, or pressure over time.
render::Plot manoeuvrePlot(const ManoeuvreRun& run);

/// Writes manoeuvre.csv, manoeuvre.svg, report.html and summary.json at the places that `file`
/// names.
void writeManoeuvre(const ManoeuvreRun& run,
                    const std::function<std::filesystem::path(std::string_view)>& file);

}  // namespace pneuma::stage
