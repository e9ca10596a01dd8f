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

}  // namespace

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
