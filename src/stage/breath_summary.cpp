#include <fmt/format.h>

#include <algorithm>

#include "pneuma/stage/breath_report.h"

#include "pneuma/stage/units.h"
#include "stage/breath_ranges.h"

namespace pneuma::stage {
namespace {

using breath::BreathSimulation;
using breath::BreathSummary;

std::string rangeOfRibs(const std::array<double, breath::kRibCount>& radians) {
  return fmt::format("{:.1f} .. {:.1f}", radiansToDegrees(radians[2]),
                     radiansToDegrees(radians[6]));
}

/// Ventilation and what it costs, over the whole run.
///
///   V_A = f (V_T - V_D), dead space V_D = 2.2 mL per kilogram of ideal weight (recalled), which is
///   that at a body mass index of 22
///   oxygen = work of the fibres / (0.22 x 20.2 J/mL): efficiency 0.19-0.25 (Milic-Emili 1960),
///   energy of a millilitre of oxygen (recalled)
void addCost(const BreathSimulation& run, const BreathSummary& b, nlohmann::ordered_json& j) {
  constexpr double kDeadSpace = 2.2e-6 * 22;            // per height squared [m]
  constexpr double kEfficiency = 0.22, kOxygen = 20.2;  // [-], [J/mL]
  const double height = run.settings().person.height;
  const double dead = std::min(b.tidalVolume, kDeadSpace * height * height);
  j["ventilation_l_min"] = b.breathsPerMinute * b.tidalVolume / kLitre;
  j["alveolar_ventilation_l_min"] = b.breathsPerMinute * (b.tidalVolume - dead) / kLitre;
  const double breathed = run.state().time / 60 * b.breathsPerMinute * b.tidalVolume / kLitre;
  if (!(breathed > 0)) return;
  const double work = run.work().positive() / breathed;
  j["fibre_work_j_per_l"] = work;
  j["oxygen_cost_ml_per_l"] = work / (kEfficiency * kOxygen);
}

}  // namespace

MeasuredBreath measuredBreath(const BreathSimulation& run) {
  const auto& target = run.settings().target;
  return {.samples = run.samples(),
          .restLung = run.model().restLung,
          .restGut = run.model().restGut,
          .torso = true,
          .target = target ? &*target : nullptr};
}

nlohmann::ordered_json breathJson(const BreathSimulation& run) {
  const BreathSummary b = run.summary();
  const anatomy::LungVolumes v = anatomy::lungVolumes(run.settings().person);
  nlohmann::ordered_json j = summaryJson(b);
  j["shoulder_up_mm"] = b.shoulderUp / kMillimetre;
  j["spine_sway_mm"] = b.spineSway / kMillimetre;
  j["cavity_ml"] = run.model().restLung / kMillilitre;
  j["frc_ml"] = v.functionalResidual / kMillilitre;
  j["vital_capacity_ml"] = v.vital / kMillilitre;
  addCost(run, b, j);
  if (run.settings().target) j["following_error_pct"] = 100 * run.followingError();
  j["effort"] = run.effort();
  j["simulated_s"] = run.state().time;
  j["step_ms"] = run.step() * 1e3;
  j["realtime_factor"] = run.realTimeFactor();
  j["realtime_factor_with_arms"] = run.realTimeFactorWithArms();
  j["state_hash"] = run.state().hash();
  return j;
}

// Ranges of people stand in the same row as the number, for the posture at hand: a number alone
// tells few readers anything.
std::vector<SummaryRow> breathSummary(const BreathSimulation& run) {
  const BreathSummary b = run.summary();
  const internal::KnownRanges known = internal::knownRanges(run.settings());
  const bool supine = run.settings().torso.posture == breath::Posture::Supine;
  const auto number = [](double v) { return fmt::format("{:.1f}", v); };
  const auto people = [&](const char* quiet, const char* deep = "") {
    return known == internal::KnownRanges::Quiet  ? std::string(quiet)
           : known == internal::KnownRanges::Deep ? std::string(deep)
                                                  : std::string();
  };
  const char* share = supine ? "lying 25-48" : "upright 59-81";
  std::vector<SummaryRow> rows{
      {"tidal volume", fmt::format("{:.0f}", b.tidalVolume / kMillilitre), "mL",
       people("quiet 350-550", "deep > 2000")},
      {"breaths", number(b.breathsPerMinute), "/min", people("rest 12-20")},
      {"rib-cage share", fmt::format("{:.0f}", 100 * b.ribCageShare), "%", people(share, "rises")},
      {"sternum forward", number(b.sternumForward / kMillimetre), "mm", people("quiet 3-5")},
      {"sternum up", number(b.sternumUp / kMillimetre), "mm", people("quiet 3-5")},
      {"dome travel", number(b.dome / kMillimetre), "mm", people("quiet 9-29", "full 37-70")},
      {"belly forward", number(b.belly / kMillimetre), "mm", people("quiet 1.5-6")},
      {"shoulders up", number(b.shoulderUp / kMillimetre), "mm", ""},
      {"chest girth, rib 4 / 8",
       fmt::format("{:.1f} / {:.1f}", b.girth[0] / kMillimetre, b.girth[1] / kMillimetre), "mm",
       people("quiet 5-20", "full 40-69")},
      {"pump handle, ribs 3 .. 7", rangeOfRibs(b.pump), "deg", people("quiet 2-3", "full 11 .. 7")},
      {"bucket handle, ribs 3 .. 7", rangeOfRibs(b.bucket), "deg",
       people("quiet 2-3", "full 13 .. 10")},
      {"below rest", fmt::format("{:.0f}", b.belowRest / kMillilitre), "mL",
       internal::rangeBelowRest(run)},
      {"gut pressure swing", number(b.gutPressure), "Pa", people("quiet 260-450")},
      {"pleural pressure swing", number(b.pleuralPressure), "Pa", people("quiet 200-500")},
      {"gut volume error", fmt::format("{:.3f}", 100 * b.gutError), "%", "paper < 2"},
  };
  for (SummaryRow& row : internal::styleFigures(run)) rows.push_back(std::move(row));
  if (run.settings().target)
    rows.push_back({"following error (rms of range)",
                    fmt::format("{:.2f}", 100 * run.followingError()), "%", ""});
  return rows;
}

std::string breathSummaryText(const BreathSimulation& run) {
  std::string text =
      fmt::format("{}, {}\n", run.model().anatomy.name, internal::occasionOf(run.settings()));
  for (const SummaryRow& r : breathSummary(run))
    text += fmt::format("  {:<32}{:>14} {:<5} {}\n", r.quantity, r.value, r.unit, r.human);
  text += fmt::format("  {:<32}{:>14.0f} x ({:.0f} x with arms)\n", "faster than real time",
                      run.realTimeFactor(), run.realTimeFactorWithArms());
  return text;
}

}  // namespace pneuma::stage
