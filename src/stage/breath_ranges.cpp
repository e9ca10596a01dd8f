#include "stage/breath_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/anatomy/growth.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/breath/physiology.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage::internal {
namespace {

constexpr double kWaterCentimetre = 98.0665;  // [Pa]

bool isStill(const breath::BreathSettings& s) {
  return s.knobs.rate.value_or(s.target ? 1 : s.style.ratePerMinute()) <= 0;
}

bool isQuietUpright(const breath::BreathSettings& s) {
  return isAdultsBreath(s) && !s.target && s.style.name == "casual" && s.knobs.effort == 1 &&
         !s.knobs.rate && !s.tidalVolume && !s.chestShare &&
         s.torso.posture == breath::Posture::Upright;
}

bool hasStyle(const breath::BreathSettings& s, std::initializer_list<std::string_view> names) {
  return isAdultsBreath(s) && !s.target && std::ranges::find(names, s.style.name) != names.end();
}

/// The fastest moment of breathing out, and what is around it.
struct Burst {
  double flow = 0, time = 0;  ///< [m^3/s], [s]
  double pressure = 0;        ///< greatest in the alveoli until then [Pa]

  explicit Burst(const std::vector<breath::TorsoMeasures>& samples) {
    for (const breath::TorsoMeasures& m : samples)
      if (-m.flow > flow) flow = -m.flow, time = m.time;
    for (const breath::TorsoMeasures& m : samples)
      if (m.time <= time) pressure = std::max(pressure, m.alveolarPressure);
  }
  /// Gas that goes out between two moments around it [m^3].
  double volume(const std::vector<breath::TorsoMeasures>& samples, double from, double to) const {
    double most = 0, least = 1e9;
    for (const breath::TorsoMeasures& m : samples)
      if (m.time >= time + from && m.time <= time + to)
        most = std::max(most, m.gas), least = std::min(least, m.gas);
    return std::max(0.0, most - least);
  }
};

}  // namespace

KnownRanges knownRanges(const breath::BreathSettings& s) {
  if (!isAdultsBreath(s)) return KnownRanges::None;
  if (s.target || s.style.name == "casual") return KnownRanges::Quiet;
  return s.style.name == "deep" ? KnownRanges::Deep : KnownRanges::None;
}

// Pressed out as far as they go, people's lungs keep 95 to 115 % of their residual volume
// ("rv_reached" of physiology.toml): what is between that and rest is the reserve of this person.
std::string rangeBelowRest(const breath::BreathSimulation& run) {
  const breath::BreathSettings& s = run.settings();
  const breath::Lungs& l = run.model().lungs;
  if (hasStyle(s, {"forced-exhale"}) && l.present())
    return fmt::format("reserve {:.0f}-{:.0f}", (l.rest - 1.15 * l.residual) / kMillilitre,
                       (l.rest - 0.95 * l.residual) / kMillilitre);
  if (hasStyle(s, {"laugh"})) return "laugh 1150-1950";
  return "";
}

// A style is judged by its own figures: a cough by flow and pressure, speech by where groups begin
// and end.
std::vector<SummaryRow> styleFigures(const breath::BreathSimulation& run) {
  const breath::BreathSettings& s = run.settings();
  const std::vector<breath::TorsoMeasures>& samples = run.samples();
  const bool woman = s.person.sex == anatomy::Sex::Female;
  std::vector<SummaryRow> rows;
  if (samples.empty()) return rows;
  if (hasStyle(s, {"cough"})) {
    const Burst burst(samples);
    rows.push_back({"cough, peak flow", fmt::format("{:.1f}", burst.flow / kLitre), "L/s",
                    woman ? "cough 1.6-6" : "cough 3-9.6"});
    rows.push_back({"cough, volume in 0.6 s",
                    fmt::format("{:.2f}", burst.volume(samples, -0.1, 0.5) / kLitre), "L",
                    woman ? "cough 0.25-1.25" : "cough 0.4-1.6"});
    rows.push_back({"cough, behind the glottis",
                    fmt::format("{:.0f}", burst.pressure / kWaterCentimetre), "cmH2O",
                    "cough 100-300"});
  } else if (hasStyle(s, {"sneeze"})) {
    rows.push_back({"sneeze, volume in 0.4 s",
                    fmt::format("{:.2f}", Burst(samples).volume(samples, -0.1, 0.3) / kLitre), "L",
                    "sneeze 1-2"});
  } else if (hasStyle(s, {"speech"})) {
    const breath::Lungs& l = run.model().lungs;
    double low = 1e9, high = 0;
    for (const breath::TorsoMeasures& m : samples)
      if (m.time >= run.settledTime()) low = std::min(low, m.gas), high = std::max(high, m.gas);
    const auto percent = [&](double gas) {
      return 100 * (gas - l.residual) / (l.total - l.residual);
    };
    rows.push_back({"speech, begun / ended",
                    fmt::format("{:.0f} / {:.0f}", percent(high), percent(low)), "% VC",
                    "speech 40-60 / 20-40"});
  }
  return rows;
}

bool isAdultsBreath(const breath::BreathSettings& s) {
  return !s.ballMass && !isStill(s) && !anatomy::isChild(s.person);
}

std::string occasionOf(const breath::BreathSettings& s) {
  std::string text = s.target ? "recorded breath" : isStill(s) ? "breath held" : s.style.name;
  if (s.ballMass) text += fmt::format(", a ball of {:g} kg falls on the belly", *s.ballMass);
  // The ball falls from the front, whatever the trunk's own weight does.
  if (!s.ballMass || s.torso.posture == breath::Posture::Supine)
    text += fmt::format(", {}", breath::toString(s.torso.posture));
  if (anatomy::isChild(s.person)) text += "; no ranges for children";
  return text;
}

std::vector<JudgedFigure> judgeQuietBreath(const breath::BreathSimulation& run) {
  if (!isQuietUpright(run.settings())) return {};
  const breath::BreathSummary b = run.summary();
  const anatomy::Person& person = run.settings().person;
  const anatomy::Person reference;  // whom the figures speak of
  const double lungs = anatomy::lungVolumes(person).functionalResidual /
                       anatomy::lungVolumes(reference).functionalResidual;
  const double size = person.height / reference.height;

  struct Row {
    const char *quantity, *id;
    double value, scale;
  };
  const Row rows[] = {
      {"tidal volume", "tidal_volume", b.tidalVolume / kMillilitre, lungs},
      {"rib-cage share", "rib_share", 100 * b.ribCageShare, 1},
      {"sternum forward", "sternum_forward", b.sternumForward / kMillimetre, size},
      {"sternum up", "sternum_up", b.sternumUp / kMillimetre, size},
      {"dome travel", "dome_quiet", b.dome / kMillimetre, size},
      {"belly forward", "belly_quiet", b.belly / kMillimetre, size},
      {"chest girth, rib 4 / 8", "chest_girth_quiet", b.girth[1] / kMillimetre, size},
      {"gut pressure swing", "gastric_swing", b.gutPressure / kWaterCentimetre, 1},
      {"pleural pressure swing", "pleural_swing", b.pleuralPressure / kWaterCentimetre, 1},
  };
  const std::vector<breath::HumanFigure> known =
      breath::readHumanFigures(dataFile("breath/physiology.toml"));
  std::vector<JudgedFigure> judged;
  for (const Row& row : rows) {
    const auto figure = std::ranges::find(known, row.id, &breath::HumanFigure::id);
    if (figure == known.end()) continue;
    judged.push_back({row.quantity, row.value, row.scale * figure->low, row.scale * figure->high,
                      figure->unit, figure->source});
  }
  return judged;
}

}  // namespace pneuma::stage::internal
