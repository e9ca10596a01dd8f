#include "pneuma/stage/breath_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/anatomy/person.h"
#include "pneuma/breath/exertion.h"
#include "pneuma/breath/speech.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/log.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/signal.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::stage {
namespace {

// Of a recording that does not state volumes; see resolve().
constexpr double kQuietBreath = 0.157;  // of the functional residual capacity

/// Five breaths, and every breath of an uneven style twice; or the recording.
double durationOf(const BreathRequest& r, const breath::BreathSettings& s) {
  constexpr double kShortest = 4, kLongest = 120, kWithoutBreath = 10;  // [s]
  if (r.seconds) return *r.seconds;
  if (s.target) return s.target->duration();
  const breath::BreathStyle& style = s.style;
  const double rate = s.knobs.rate.value_or(style.ratePerMinute());
  if ((r.words > 0 || !r.speech.empty()) && rate > 0)  // once from the first word to the last
    return 60 * static_cast<double>(style.breaths.size()) / rate;
  const double breaths = std::max(5.0, 2.0 * static_cast<double>(style.breaths.size()));
  return rate > 0 ? std::clamp(60 * breaths / rate, kShortest, kLongest) : kWithoutBreath;
}

/// The torso by itself stands on its spine: it is upright or lies on its back.
breath::Posture torsoPosture(const std::string& name) {
  const std::vector<std::string> known = breathPostures();
  const bool other = name != "upright" && name != "standing" && name != "supine";
  if (other && std::ranges::find(known, name) != known.end())
    throw InputError(Diagnostic{.field = "posture",
                                .message = "a torso by itself cannot be '" + name + "'",
                                .expected = "upright or supine, or articulation whole"});
  return breath::parsePosture(name == "standing" ? "upright" : name);
}

/// A style that speech or a load makes. Each replaces the style, so one is enough.
void addOccasion(const BreathRequest& r, const anatomy::Person& person, breath::BreathSettings& s) {
  std::vector<std::string> asked;
  if (!r.volume.empty()) asked.push_back("volume");
  if (!r.speech.empty()) asked.push_back("speech");
  if (r.words > 0) asked.push_back("words");
  if (r.mets) asked.push_back("mets");
  if (asked.size() > 1)
    throw InputError(
        Diagnostic{.field = asked[1],
                   .message = fmt::format("'{}' says how to breathe already", asked[0]),
                   .expected = "one of volume, speech, words, mets"});
  if (r.mets) {
    const breath::Exertion e = breath::exertionOf(person, *r.mets);
    s.style = breath::exertedStyle(dataStyle("casual"), e);
    if (!s.tidalVolume) s.tidalVolume = e.tidal;
  } else if (r.words > 0) {
    s.style = breath::speechStyle(dataStyle("speech"), breath::breathGroupsOf(r.words));
  } else if (!r.speech.empty()) {
    const std::filesystem::path file = r.speech;
    s.style = breath::speechStyle(
        dataStyle("speech"),
        breath::findBreathGroups(io::readWav(file).valueOrThrow(), file.filename().string()));
  }
}

/// Styles of the data folder, read once.
const std::vector<breath::BreathStyle>& dataStyles() {
  static const std::vector<breath::BreathStyle> styles =
      breath::readBreathStyles(dataFile("breath/styles.toml"));
  return styles;
}

}  // namespace

const breath::BreathStyle& dataStyle(std::string_view name) {
  return breath::findBreathStyle(dataStyles(), name);
}

std::vector<std::string> breathStyleNames() {
  std::vector<std::string> names;
  try {
    for (const breath::BreathStyle& s : dataStyles()) names.push_back(s.name);
  } catch (const InputError&) {
    // Help and versions must work without the data folder; resolve() says what is missing.
    names.clear();
  }
  return names;
}

std::vector<std::string> breathPostures() {
  return {"upright", "standing", "sitting", "supine", "prone", "side-left", "bent-forward"};
}

ResolvedBreath resolve(const BreathRequest& r, std::shared_ptr<const anatomy::Body> measured,
                       const anatomy::Person& person) {
  requireSettings(r);
  ResolvedBreath resolved;
  breath::BreathSettings& s = resolved.settings;
  s.body = std::move(measured);
  s.arms = true;
  s.person = person;
  s.torso = breath::makeTorsoConfig(r.preset, torsoPosture(r.posture));
  s.torso.refinement = r.refine;
  s.torso.bulkModulus *= r.kappa;
  s.style = dataStyle(r.style);
  s.knobs = {.rate = r.rate, .effort = r.effort, .variability = r.variability};
  s.chestShare = r.chestShare;
  s.tidalVolume = r.tidal;
  s.step = r.step.value_or(s.step);
  s.seed = r.seed;
  if (r.ball > 0) s.ballMass = r.ball;
  if (r.weight > 0 && s.torso.posture != breath::Posture::Supine)
    throw InputError(Diagnostic{.field = "weight",
                                .message = "lies on a belly that is not level",
                                .expected = "posture supine"});
  s.torso.bellyWeight = r.weight;
  addOccasion(r, person, s);
  if (!r.volume.empty()) {
    RecordingRead read = readRecording(r.volume, recordingConfig(r, person));
    s.target = std::move(read.target);
    resolved.signal = std::move(read.report);
    s.tidalVolume.reset();  // its size is the recording's
  }
  resolved.seconds = durationOf(r, s);
  return resolved;
}

breath::RecordingConfig recordingConfig(const BreathRequest& r, const anatomy::Person& person) {
  const anatomy::LungVolumes v = anatomy::lungVolumes(person);
  return {.kind = breath::parseRecordingKind(r.kind),
          .column = r.column,
          .inverted = r.invert,
          .calibrated = r.calibrated,
          .tidalVolume = r.tidal.value_or(kQuietBreath * v.functionalResidual),
          .detrendSeconds = r.detrend,
          .fillGaps = r.fillGaps,
          .robust = r.robust,
          .lowest = -(v.functionalResidual - v.residual),
          .highest = v.total - v.functionalResidual};
}

RecordingRead readRecording(const std::filesystem::path& file,
                            const breath::RecordingConfig& config) {
  const io::Signals signals = io::readSignals(file).valueOrThrow();
  RecordingRead read{.target = {}, .report = breath::inspectRecording(signals, config)};
  std::vector<Diagnostic> errors = read.report.errors();
  for (Diagnostic& e : errors) e.where.file = file.filename().string();
  if (!errors.empty()) throw InputError(std::move(errors));
  for (const breath::SignalFinding& f : read.report.findings)
    logWarning(fmt::format("{}: {}", file.filename().string(), f.message));
  read.target = breath::makeVolumeTarget(signals, config);
  constexpr double kFew = 1e-3;  // of the samples
  if (read.target.cutOff > kFew)
    logWarning(
        fmt::format("{}: {:.1f} % of the samples lie beyond full or empty lungs and are cut "
                    "off there",
                    file.filename().string(), 100 * read.target.cutOff));
  return read;
}

nlohmann::ordered_json signalJson(const breath::SignalReport& report) {
  nlohmann::ordered_json j{{"breaths", report.breaths},
                           {"breaths_fewest", report.fewest},
                           {"breaths_most", report.most},
                           {"rate_per_min", report.ratePerMinute},
                           {"findings", nlohmann::ordered_json::array()}};
  for (const breath::SignalFinding& f : report.findings)
    j["findings"].push_back({{"defect", breath::toString(f.defect)},
                             {"time_s", f.time},
                             {"count", f.count},
                             {"size", f.size},
                             {"message", f.message}});
  return j;
}

breath::TorsoModel trunkOf(const ResolvedBreath& resolved) {
  const breath::BreathSettings& s = resolved.settings;
  breath::TorsoConfig config = s.torso;
  if (s.step > 0) config.step = s.step;
  return breath::makeTorsoModel(breath::readTorsoAnatomy(anatomy::fitToPerson(*s.body, s.person)),
                                config);
}

nlohmann::ordered_json describe(const BreathRequest& request, const ResolvedBreath& resolved) {
  nlohmann::ordered_json j = io::settingsJson(request);
  const breath::BreathSettings& s = resolved.settings;
  j["seconds"] = resolved.seconds;
  j["step"] = 1e3 * (s.step > 0 ? s.step : s.torso.step);  // [ms], as the option
  if (s.target) j["volume_hash"] = Hash64().values(s.target->volumes).hex();
  j["person"] = personJson(s.person);
  return j;
}

}  // namespace pneuma::stage
