#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/breath/signal_check.h"
#include "pneuma/core/field_table.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {

/// How someone is asked to breathe. Absent values are the style's or the preset's own.
struct BreathRequest {
  std::string style = "casual";
  std::string volume;  ///< file of a recording to follow instead of a style
  std::string column;  ///< of the recording; empty: the first
  std::string kind = "auto";
  bool invert = false, calibrated = false, fillGaps = false, robust = false;
  double detrend = 20;            ///< [s]
  std::optional<double> seconds;  ///< [s]
  std::string posture = "upright", preset = "default";
  std::optional<double> rate;         ///< breaths per minute
  std::optional<double> tidal;        ///< [m^3]
  std::optional<double> chestShare;   ///< 0 .. 1
  std::optional<double> variability;  ///< 0 .. 1
  double effort = 1;
  std::uint64_t seed = 1;
  double framesPerSecond = 30;  ///< of the results
  std::optional<double> step;   ///< [s]
  int refine = 1;
  double kappa = 1;
  double ball = 0;             ///< [kg]
  double weight = 0;           ///< lying on the belly [kg]
  std::string speech;          ///< file of a voice to speak with
  int words = 0;               ///< of a text to read aloud; 0: none
  std::optional<double> mets;  ///< metabolic load
};

/// A style of the data folder. Throws InputError with the nearest name.
const breath::BreathStyle& dataStyle(std::string_view name);
/// Names of all styles, for fields(); none when the data folder is missing.
std::vector<std::string> breathStyleNames();
/// Names of all postures, for fields(); `upright` is another word for standing.
std::vector<std::string> breathPostures();

/// In the order of a help page: what to breathe, how it is read, how it is changed, then what is
/// written.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<BreathRequest> r) {
  v.field({.name = "style", .meaning = "How to breathe", .choices = breathStyleNames()}, r.style);
  v.field({.name = "volume",
           .meaning = "Follow a recording (CSV or WAV) instead of a style",
           .type = "FILE"},
          r.volume);
  v.field({.name = "column", .meaning = "Column of the recording (default: the first)"}, r.column);
  v.field({.name = "kind",
           .meaning = "What it holds",
           .choices = {"auto", "volume", "flow", "relative"}},
          r.kind);
  v.field({.name = "invert", .meaning = "Inspiration points down in the recording"}, r.invert);
  v.field({.name = "calibrated", .meaning = "The recording is in litres (or litres per second)"},
          r.calibrated);
  v.field(
      {.name = "fill_gaps", .meaning = "Fill gaps of the recording with the breaths beside them"},
      r.fillGaps);
  v.field({.name = "robust",
           .meaning = "Take spikes and steps out of the recording, smooth noise longer"},
          r.robust);
  v.field({.name = "detrend",
           .meaning = "Take out drift slower than this; 0: none",
           .unit = "s",
           .min = 0,
           .max = 36000},
          r.detrend);
  v.field({.name = "seconds",
           .meaning = "Simulated time",
           .unit = "s",
           .min = 1e-3,
           .max = 36000,
           .derivedDefault = "five breaths, two rounds of an uneven style, or the recording"},
          r.seconds);
  v.field({.name = "posture",
           .meaning = "How the body rests; a torso by itself is upright or supine",
           .choices = breathPostures()},
          r.posture);
  v.field(
      {.name = "preset", .meaning = "Settings of the torso", .choices = {"default", "zordan2005"}},
      r.preset);
  v.field({.name = "rate", .meaning = "Breaths per minute", .min = 0, .max = 300}, r.rate);
  v.field({.name = "tidal",
           .meaning = "Volume of a breath; the muscles' commands follow",
           .unit = "mL",
           .unitInSi = kMillilitre,
           .min = 1,
           .max = 10000},
          r.tidal);
  v.field({.name = "chest_share",
           .meaning = "Part of the volume that the rib cage moves",
           .min = 0,
           .max = 1},
          r.chestShare);
  v.field({.name = "variability", .meaning = "Deviation from breath to breath", .min = 0, .max = 1},
          r.variability);
  v.field({.name = "effort", .meaning = "Scales every contraction", .min = 0, .max = 20}, r.effort);
  v.field({.name = "seed", .meaning = "Of the variability"}, r.seed);
  v.field({.name = "fps", .meaning = "Frames per second in the results", .min = 1, .max = 250},
          r.framesPerSecond);
  v.field({.name = "step",
           .meaning = "Time step",
           .unit = "ms",
           .unitInSi = kMillisecond,
           .min = 0.01,
           .max = 50},
          r.step);
  v.field({.name = "refine", .meaning = "Divides every mesh length", .min = 1, .max = 4}, r.refine);
  v.field(
      {.name = "kappa", .meaning = "Scales the bulk modulus of the gut", .min = 1e-6, .max = 1e6},
      r.kappa);
  v.field({.name = "ball",
           .meaning = "Drop a lead ball of this mass on the belly (lying)",
           .unit = "kg",
           .min = 0,
           .max = 1000},
          r.ball);
  v.field({.name = "weight",
           .meaning = "A weight that lies on the belly (lying)",
           .unit = "kg",
           .min = 0,
           .max = 50},
          r.weight);
  v.field({.name = "speech",
           .meaning = "Speak along with a recorded voice (WAV): breaths in its pauses",
           .type = "FILE"},
          r.speech);
  v.field({.name = "words",
           .meaning = "Read a text of this many words aloud; 0: none",
           .min = 0,
           .max = 20000},
          r.words);
  v.field({.name = "mets",
           .meaning = "Breathe as this metabolic load asks: 1 rest, 3.5 walking, 10 running",
           .min = 1,
           .max = 30},
          r.mets);
}

/// A request with everything that follows from it.
struct ResolvedBreath {
  breath::BreathSettings settings;
  std::optional<breath::SignalReport> signal;  ///< of the recording
  double seconds = 0;                          ///< simulated [s]
};

/// `measured` is the body before it is fitted to the person. Reads the recording, if one is asked
/// for. Throws InputError.
///
/// A recording that is not calibrated is scaled to a median breath of 0.157 FRC (500 mL of the man
/// whose FRC is 3.19 L; chosen here, not measured). Volumes beyond empty and full lungs are cut
/// off, with a warning.
ResolvedBreath resolve(const BreathRequest& request, std::shared_ptr<const anatomy::Body> measured,
                       const anatomy::Person& person);

/// How the recording of a request is read for a person.
breath::RecordingConfig recordingConfig(const BreathRequest& request,
                                        const anatomy::Person& person);

/// A recording to follow, looked through before it is used: errors throw InputError with the file's
/// name, the rest is logged as warnings.
struct RecordingRead {
  breath::VolumeTarget target;
  breath::SignalReport report;
};
RecordingRead readRecording(const std::filesystem::path& file,
                            const breath::RecordingConfig& config);
/// Its findings and its breaths, for programs.
nlohmann::ordered_json signalJson(const breath::SignalReport& report);

/// The trunk of that person by itself, with the step that is asked for.
breath::TorsoModel trunkOf(const ResolvedBreath& resolved);

/// Every setting of a run as data, for run.toml: the request, the person, how long, and the content
/// of the recording.
nlohmann::ordered_json describe(const BreathRequest& request, const ResolvedBreath& resolved);

}  // namespace pneuma::stage
