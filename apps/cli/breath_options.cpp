#include "cli/breath_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/io/signal.h"

namespace pneuma::cli {
namespace {

using breath::BreathSettings;
using breath::BreathSimulation;
using breath::BreathSummary;

constexpr double kMillilitre = 1e-6, kMillimetre = 1e-3;

std::string styleNames() {
  std::vector<std::string> names;
  for (const breath::BreathStyle& s : breath::breathStyles()) names.push_back(s.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A ball that falls on the navel of a person lying on the back: gravity points to the spine.
breath::BallState makeBall(double mass) {
  breath::BallState ball;
  ball.present = true;
  ball.mass = mass;
  ball.radius = std::max(0.03, std::cbrt(mass / 11340 * 3 / (4 * kPi)));  // lead
  ball.gravity = {0, 0, -kGravity};
  return ball;
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

void BreathOptions::addTo(CLI::App* verb) {
  verb->add_option("--style", style_, "How to breathe: " + styleNames())->capture_default_str();
  verb->add_option("--volume", volume_, "Follow a recording (CSV or WAV) instead of a style");
  verb->add_option("--column", column_, "Column of the recording (default: the first)");
  verb->add_option("--kind", kind_, "What it holds: auto, volume, flow, relative")
      ->capture_default_str();
  verb->add_flag("--invert", invert_, "Inspiration points down in the recording");
  verb->add_flag("--calibrated", calibrated_, "The recording is in litres (or litres per second)");
  verb->add_option("--detrend", detrend_, "Take out drift slower than this [s]; 0: none")
      ->capture_default_str();
  verb->add_option("--seconds", seconds_,
                   "Simulated time (default: five breaths, or the recording)");
  verb->add_option("--sex", sex_, "male or female")->capture_default_str();
  verb->add_option("--height", height_, "Height of the person [cm or m] (default 175 cm)");
  verb->add_option("--mass", mass_, "Mass [kg]");
  verb->add_option("--age", age_, "Age [years] (default 30)");
  verb->add_option("--posture", posture_, "upright or supine")->capture_default_str();
  verb->add_option("--preset", preset_, "default or zordan2005")->capture_default_str();
  verb->add_option("--rate", rate_, "Breaths per minute, 0 .. 300");
  verb->add_option("--tidal", tidal_, "Volume of a breath [mL]; sets the effort");
  verb->add_option("--chest-share", share_, "0 belly only, 0.5 as the style has it, 1 chest only");
  verb->add_option("--variability", variability_, "Deviation from breath to breath, 0 .. 1");
  verb->add_option("--effort", effort_, "Scales every contraction")->capture_default_str();
  verb->add_option("--seed", seed_, "Of the variability")->capture_default_str();
  verb->add_option("--step", step_, "Time step [ms]");
  verb->add_option("--refine", refinement_, "Divides every mesh length, 1 .. 4")
      ->capture_default_str();
  verb->add_option("--kappa", kappa_, "Scales the bulk modulus of the gut")->capture_default_str();
  verb->add_option("--ball", ball_, "Drop a lead ball of this mass [kg] on the belly (lying)")
      ->capture_default_str();
}

breath::Subject BreathOptions::subject() const {
  breath::Subject s;
  const std::vector<std::string> sexes{"male", "female"};
  if (sex_ != "male" && sex_ != "female")
    throw InputError({.field = "sex",
                      .message = fmt::format("unknown sex '{}'", sex_),
                      .nearest = nearestName(sex_, sexes)});
  s.sex = sex_ == "male" ? breath::Sex::Male : breath::Sex::Female;
  if (s.sex == breath::Sex::Female) s.height = 1.63;
  if (height_) s.height = *height_ > 3 ? *height_ / 100 : *height_;
  s.mass = mass_.value_or(23.8 * s.height * s.height);
  s.age = age_.value_or(30);
  breath::validate(s);
  return s;
}

BreathSettings BreathOptions::settings() const {
  BreathSettings s;
  s.subject = subject();
  s.torso = breath::makeTorsoConfig(preset_, breath::parsePosture(posture_));
  s.torso.refinement = refinement_;
  s.torso.bulkModulus *= kappa_;
  s.style = breath::breathStyle(style_).name;
  s.knobs = {.rate = rate_, .effort = effort_, .chestShare = share_, .variability = variability_};
  if (tidal_) s.tidalVolume = *tidal_ * kMillilitre;
  if (step_) s.step = *step_ * 1e-3;
  s.seed = seed_;
  if (ball_ < 0 || ball_ > 1000)
    throw InputError({.field = "ball", .message = "out of range", .expected = "0 .. 1000 kg"});
  if (ball_ > 0) s.ball = makeBall(ball_);
  if (!volume_.empty()) {
    breath::RecordingConfig r;
    r.kind = breath::parseRecordingKind(kind_);
    r.column = column_;
    r.inverted = invert_;
    r.calibrated = calibrated_;
    r.detrendSeconds = detrend_;
    const breath::LungVolumes v = breath::predictLungVolumes(s.subject);
    r.tidalVolume = tidal_ ? *tidal_ * kMillilitre : 0.157 * v.functionalResidual;
    r.lowest = -0.5 * v.expiratoryReserve();
    r.highest = 0.7 * v.inspiratoryCapacity();
    s.target = breath::makeVolumeTarget(io::readSignals(volume_).valueOrThrow(), r);
    s.tidalVolume.reset();
  }
  return s;
}

double BreathOptions::seconds(const BreathSettings& s) const {
  if (seconds_) {
    if (!(*seconds_ > 0 && *seconds_ <= 36000))
      throw InputError({.field = "seconds",
                        .message = fmt::format("{} is out of range", *seconds_),
                        .expected = "0 .. 36000"});
    return *seconds_;
  }
  if (s.target) return s.target->duration();
  const breath::BreathStyle& style = breath::breathStyle(s.style);
  const double rate = s.knobs.rate.value_or(style.ratePerMinute());
  return rate > 0 ? std::clamp(5 * 60 / rate, 4.0, 80.0) : 10;
}

nlohmann::ordered_json BreathOptions::describe() const {
  nlohmann::ordered_json j{
      {"style", style_},   {"preset", preset_},         {"posture", posture_},
      {"sex", sex_},       {"effort", effort_},         {"refine", refinement_},
      {"kappa", kappa_},   {"ball_kg", ball_},          {"kind", kind_},
      {"invert", invert_}, {"calibrated", calibrated_}, {"detrend_s", detrend_}};
  const auto put = [&](const char* key, const std::optional<double>& v) {
    if (v) j[key] = *v;
  };
  put("height", height_);
  put("mass_kg", mass_);
  put("age", age_);
  put("rate_per_min", rate_);
  put("tidal_ml", tidal_);
  put("chest_share", share_);
  put("variability", variability_);
  put("seconds", seconds_);
  put("step_ms", step_);
  if (!volume_.empty()) j["volume"] = volume_;
  if (!column_.empty()) j["column"] = column_;
  return j;
}

nlohmann::ordered_json toJson(const BreathSimulation& run) {
  const BreathSummary b = run.summary();
  const breath::LungVolumes v = breath::predictLungVolumes(run.settings().subject);
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
  j["spine_sway_mm"] = b.spineSway / kMillimetre;
  j["cavity_ml"] = run.model().restLung / kMillilitre;
  j["frc_ml"] = v.functionalResidual / kMillilitre;
  j["vital_capacity_ml"] = v.vitalCapacity() / kMillilitre;
  if (run.settings().target) j["following_error_pct"] = 100 * run.followingError();
  j["effort"] = run.effort();
  j["simulated_s"] = run.state().time;
  j["step_ms"] = run.step() * 1e3;
  j["realtime_factor"] = run.realTimeFactor();
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
  std::string text = fmt::format("{}, {}, {}\n", run.model().anatomy.name,
                                 run.settings().target ? "recorded breath" : run.settings().style,
                                 breath::toString(run.settings().torso.posture));
  for (const SummaryRow& r : summaryRows(run))
    text += fmt::format("  {:<32}{:>14} {:<5} {}\n", r.quantity, r.value, r.unit, r.human);
  text += fmt::format("  {:<32}{:>14.0f} x\n", "faster than real time", run.realTimeFactor());
  return text;
}

}  // namespace pneuma::cli
