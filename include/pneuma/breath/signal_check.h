#pragma once

#include <string>
#include <vector>

#include "pneuma/breath/recording.h"

/// What is wrong with a recorded breath, said before it is used; and the repairs.
namespace pneuma::breath {

/// Defects of a recording.
enum class SignalDefect {
  Gap,       ///< no samples for half a second or more
  Step,      ///< the baseline jumps and stays: it would become a breath
  Spikes,    ///< outliers shorter than an eighth of a second
  Noise,     ///< fast fluctuation not far below the breath
  Clipping,  ///< the sensor's range cut off peaks or troughs
  Polarity   ///< rises longer than it falls: inspiration may point down
};
std::string_view toString(SignalDefect defect);

/// One defect, at its first place.
struct SignalFinding {
  SignalDefect defect = SignalDefect::Gap;
  /// An error: the recording is refused until it is repaired knowingly.
  Severity severity = Severity::Warning;
  double time = 0;  ///< of the first one [s]
  int count = 1;
  /// Gap: the longest [s]; Step, Spikes: the largest over the height of a breath; Noise: breath
  /// over noise [dB]; Clipping: part of the samples; Polarity: part of a breath spent rising.
  double size = 0;
  std::string message, remedy;
};

/// A recording, looked through.
struct SignalReport {
  std::vector<SignalFinding> findings;
  /// Breaths, and how many a stricter and a laxer judge count.
  int breaths = 0, fewest = 0, most = 0;
  double ratePerMinute = 0;  ///< 0: fewer than two breaths

  const SignalFinding* find(SignalDefect defect) const;  ///< nullptr: not found
  /// The errors as diagnostics about the recording; empty: it may be used.
  std::vector<Diagnostic> errors() const;
};

/// Looks through the column that `config` names, as it will be used: what config.fillGaps and
/// config.robust repair is a warning, what they leave an error. The marks are heights of a breath
/// (the median range within six seconds), so that neither a step nor a spike shifts them.
SignalReport inspectRecording(const io::Signals& signals, const RecordingConfig& config = {});

}  // namespace pneuma::breath
