#pragma once

#include <string>
#include <vector>

#include "breath/drive/signal_repair.h"
#include "pneuma/breath/recording.h"

/// The way of a recording from its file to a volume, in steps.
namespace pneuma::breath::internal {

inline constexpr double kRate = 50;  ///< at which recordings are used [Hz]

/// One column, at a uniform rate, with the repairs that are asked for.
struct RecordingSignal {
  RecordingKind kind = RecordingKind::Relative;
  std::string unit;
  std::vector<double> raw;     ///< as recorded
  std::vector<double> values;  ///< at kRate, inspiration up
  std::vector<SignalGap> gaps;
};

/// Throws InputError for fewer than two seconds of signal or an unknown column.
RecordingSignal readRecording(const io::Signals& signals, const RecordingConfig& config);

/// Integrated (flow), without drift and noise; any unit. Throws InputError for a flat line.
std::vector<double> volumeOf(const RecordingSignal& signal, const RecordingConfig& config);

}  // namespace pneuma::breath::internal
