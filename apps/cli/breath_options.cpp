#include "cli/breath_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/program.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/signal.h"

namespace pneuma::cli {
namespace {

using breath::BreathSettings;
using breath::BreathSimulation;
using breath::BreathSummary;

constexpr double kMillilitre = 1e-6, kMillimetre = 1e-3;

const std::vector<breath::BreathStyle>& dataStyles() {
  static const std::vector<breath::BreathStyle> styles =
      breath::readBreathStyles(dataFile("breath/styles.toml"));
  return styles;
}

/// Names for the help; none without a data folder, which is reported when it is used.
std::vector<std::string> styleNames() {
  std::vector<std::string> names;
  try {
    for (const breath::BreathStyle& s : dataStyles()) names.push_back(s.name);
  } catch (const InputError&) {
  }
  return names;
}

nlohmann::ordered_json degrees(const std::array<double, breath::kRibCount>& radians) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double r : radians) list.push_back(radiansToDegrees(r));
  return list;
}

std::string rangeOfRibs(const std::array<double, breath::kRibCount>& radians) {
  return fmt::format("{:.1f} .. {:.1f}", radiansToDegrees(radians[2]),
                     radiansToDegrees(radians[6]));
}

}  // namespace

const breath::BreathStyle& styleOf(std::string_view name) {
  return breath::findBreathStyle(dataStyles(), name);
}

void BreathOptions::addTo(CLI::App* verb) {
  CLI::Option* style = verb->add_option("--style", style_, "How to breathe")->capture_default_str();
  if (const std::vector<std::string> names = styleNames(); !names.empty())
    style->check(oneOf(names));
  verb->add_option("--volume", volume_, "Follow a recording (CSV or WAV) instead of a style");
  verb->add_option("--column", column_, "Column of the recording (default: the first)");
  verb->add_option("--kind", kind_, "What it holds")
      ->check(oneOf({"auto", "volume", "flow", "relative"}))
      ->capture_default_str();
  verb->add_flag("--invert", invert_, "Inspiration points down in the recording");
  verb->add_flag("--calibrated", calibrated_, "The recording is in litres (or litres per second)");
  verb->add_option("--detrend", detrend_, "Take out drift slower than this [s]; 0: none")
      ->check(between(0, 36000))
      ->capture_default_str();
  verb->add_option(
          "--seconds", seconds_,
          "Simulated time [s] (default: five breaths, two rounds of an uneven style, or the "
          "recording)")
      ->check(between(1e-3, 36000));
  verb->add_option("--posture", posture_, "How the torso rests")
      ->check(oneOf({"upright", "supine"}))
      ->capture_default_str();
  verb->add_option("--preset", preset_, "Settings of the torso")
      ->check(oneOf({"default", "zordan2005"}))
      ->capture_default_str();
  verb->add_option("--rate", rate_, "Breaths per minute")->check(between(0, 300));
  verb->add_option("--tidal", tidal_, "Volume of a breath [mL]; sets the effort")
      ->check(between(1, 10000));
  verb->add_option("--chest-share", share_, "0 belly only, 0.5 as the style has it, 1 chest only")
      ->check(between(0, 1));
  verb->add_option("--variability", variability_, "Deviation from breath to breath")
      ->check(between(0, 1));
  verb->add_option("--effort", effort_, "Scales every contraction")
      ->check(between(0, 20))
      ->capture_default_str();
  verb->add_option("--seed", seed_, "Of the variability")->capture_default_str();
  verb->add_option("--step", step_, "Time step [ms]")->check(between(0.01, 50));
  verb->add_option("--refine", refinement_, "Divides every mesh length")
      ->check(between(1, 4))
      ->capture_default_str();
  verb->add_option("--kappa", kappa_, "Scales the bulk modulus of the gut")
      ->check(between(1e-6, 1e6))
      ->capture_default_str();
  verb->add_option("--ball", ball_, "Drop a lead ball of this mass [kg] on the belly (lying)")
      ->check(between(0, 1000))
      ->capture_default_str();
  person_.addTo(verb);
}

BreathSettings BreathOptions::settings() const {
  BreathSettings s;
  s.body = std::make_shared<const anatomy::Body>(person_.loadAsMeasured());
  s.arms = true;
  s.person = person_.person(*s.body);
  s.torso = breath::makeTorsoConfig(preset_, breath::parsePosture(posture_));
  s.torso.refinement = refinement_;
  s.torso.bulkModulus *= kappa_;
  s.style = styleOf(style_);
  s.knobs = {.rate = rate_, .effort = effort_, .chestShare = share_, .variability = variability_};
  if (tidal_) s.tidalVolume = *tidal_ * kMillilitre;
  if (step_) s.step = *step_ * 1e-3;
  s.seed = seed_;
  if (ball_ > 0) s.ballMass = ball_;
  if (!volume_.empty()) {
    breath::RecordingConfig r;
    r.kind = breath::parseRecordingKind(kind_);
    r.column = column_;
    r.inverted = invert_;
    r.calibrated = calibrated_;
    r.detrendSeconds = detrend_;
    const anatomy::LungVolumes v = anatomy::lungVolumes(s.person);
    r.tidalVolume = tidal_ ? *tidal_ * kMillilitre : 0.157 * v.functionalResidual;
    r.lowest = -0.5 * (v.functionalResidual - v.residual);
    r.highest = 0.7 * (v.total - v.functionalResidual);
    s.target = breath::makeVolumeTarget(io::readSignals(volume_).valueOrThrow(), r);
    s.tidalVolume.reset();
  }
  return s;
}

double BreathOptions::seconds(const BreathSettings& s) const {
  if (seconds_) return *seconds_;
  if (s.target) return s.target->duration();
  const breath::BreathStyle& style = s.style;
  const double rate = s.knobs.rate.value_or(style.ratePerMinute());
  // Five breaths, and every breath of an uneven style twice.
  const double breaths = std::max(5.0, 2.0 * static_cast<double>(style.breaths.size()));
  return rate > 0 ? std::clamp(60 * breaths / rate, 4.0, 120.0) : 10;
}

nlohmann::ordered_json BreathOptions::describe(const BreathSettings& s) const {
  nlohmann::ordered_json j{
      {"style", style_},           {"preset", preset_},     {"posture", posture_},
      {"effort", effort_},         {"refine", refinement_}, {"kappa", kappa_},
      {"ball_kg", ball_},          {"kind", kind_},         {"invert", invert_},
      {"calibrated", calibrated_}, {"detrend_s", detrend_}};
  const auto put = [&](const char* key, const std::optional<double>& v) {
    if (v) j[key] = *v;
  };
  j["sex"] = s.person.sex == anatomy::Sex::Male ? "male" : "female";
  j["height_m"] = s.person.height;
  j["mass_kg"] = s.person.mass;
  j["age_years"] = s.person.age;
  put("rate_per_min", rate_);
  put("tidal_ml", tidal_);
  put("chest_share", share_);
  put("variability", variability_);
  put("seconds", seconds_);
  put("step_ms", step_);
  if (s.target) {
    j["volume"] = volume_;
    const std::vector<double>& v = s.target->volumes;
    j["volume_hash"] = Hash64().bytes(v.data(), v.size() * sizeof(double)).hex();
  }
  if (!column_.empty()) j["column"] = column_;
  return j;
}

nlohmann::ordered_json toJson(const BreathSimulation& run) {
  const BreathSummary b = run.summary();
  const anatomy::Person& person = run.settings().person;
  const anatomy::LungVolumes v = anatomy::lungVolumes(person);
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
  j["shoulder_up_mm"] = b.shoulderUp / kMillimetre;
  j["spine_sway_mm"] = b.spineSway / kMillimetre;
  j["cavity_ml"] = run.model().restLung / kMillilitre;
  j["frc_ml"] = v.functionalResidual / kMillilitre;
  j["vital_capacity_ml"] = v.vital / kMillilitre;
  if (run.settings().target) j["following_error_pct"] = 100 * run.followingError();
  j["effort"] = run.effort();
  j["simulated_s"] = run.state().time;
  j["step_ms"] = run.step() * 1e3;
  j["realtime_factor"] = run.realTimeFactor();
  j["realtime_factor_with_arms"] = run.realTimeFactorWithArms();
  j["state_hash"] = run.state().hash();
  return j;
}

std::vector<SummaryRow> summaryRows(const BreathSimulation& run) {
  const BreathSummary b = run.summary();
  const bool supine = run.settings().torso.posture == breath::Posture::Supine;
  const auto number = [](double v) { return fmt::format("{:.1f}", v); };
  std::vector<SummaryRow> rows{
      {"tidal volume", fmt::format("{:.0f}", b.tidalVolume / kMillilitre), "mL",
       "quiet 350-550, deep > 2000"},
      {"breaths", number(b.breathsPerMinute), "/min", "rest 12-20"},
      {"rib-cage share", fmt::format("{:.0f}", 100 * b.ribCageShare), "%",
       supine ? "lying 30-45" : "upright 45-70"},
      {"sternum forward", number(b.sternumForward / kMillimetre), "mm", "quiet 3-5"},
      {"sternum up", number(b.sternumUp / kMillimetre), "mm", "quiet 3-5"},
      {"dome travel", number(b.dome / kMillimetre), "mm", "quiet 9-29, deep 37-70"},
      {"belly forward", number(b.belly / kMillimetre), "mm", "quiet about 8-15"},
      {"shoulders up", number(b.shoulderUp / kMillimetre), "mm", ""},
      {"chest girth, rib 4 / 8",
       fmt::format("{:.1f} / {:.1f}", b.girth[0] / kMillimetre, b.girth[1] / kMillimetre), "mm",
       "quiet 5-20, full 40-69"},
      {"pump handle, ribs 3 .. 7", rangeOfRibs(b.pump), "deg", "quiet 2-3, full 11 .. 7"},
      {"bucket handle, ribs 3 .. 7", rangeOfRibs(b.bucket), "deg", "quiet 2-3, full 13 .. 10"},
      {"below rest", fmt::format("{:.0f}", b.belowRest / kMillilitre), "mL", "reserve 800-1560"},
      {"gut pressure swing", number(b.gutPressure), "Pa", "quiet 260-450"},
      {"pleural pressure swing", number(b.pleuralPressure), "Pa", "quiet 250-500"},
      {"gut volume error", fmt::format("{:.3f}", 100 * b.gutError), "%", "paper < 2"},
  };
  if (run.settings().target)
    rows.push_back({"following error (rms of range)",
                    fmt::format("{:.2f}", 100 * run.followingError()), "%", ""});
  return rows;
}

std::string summaryText(const BreathSimulation& run) {
  std::string text =
      fmt::format("{}, {}, {}\n", run.model().anatomy.name,
                  run.settings().target ? "recorded breath" : run.settings().style.name,
                  breath::toString(run.settings().torso.posture));
  for (const SummaryRow& r : summaryRows(run))
    text += fmt::format("  {:<32}{:>14} {:<5} {}\n", r.quantity, r.value, r.unit, r.human);
  text += fmt::format("  {:<32}{:>14.0f} x ({:.0f} x with arms)\n", "faster than real time",
                      run.realTimeFactor(), run.realTimeFactorWithArms());
  return text;
}

}  // namespace pneuma::cli
