#pragma once

#include <string>

#include "pneuma/breath/breath_control.h"
#include "pneuma/io/signal.h"

/// Recorded breath (spirometer, pneumotachograph, belt, impedance) as a course of lung volume.
namespace pneuma::breath {

/// What a recording measures.
enum class RecordingKind {
  Auto,     ///< by the column's name: flow, volume, else relative
  Volume,   ///< litres, or the unit of the column
  Flow,     ///< integrated
  Relative  ///< any quantity that follows volume (belt, impedance): shape counts, not size
};

/// How a recording becomes a volume to follow.
struct RecordingConfig {
  RecordingKind kind = RecordingKind::Auto;
  std::string column;           ///< empty: the first
  bool inverted = false;        ///< inspiration points down
  bool calibrated = false;      ///< sizes are meant: litres or litres per second; else scaled
  double tidalVolume = 0.5e-3;  ///< median breath after scaling [m^3], > 0
  double detrendSeconds = 20;   ///< slow drift beyond this is taken out [s]; 0: none
  double smoothSeconds = 0.2;   ///< noise faster than this is taken out [s]; 0: none
  bool fillGaps = false;        ///< gaps are filled with the breaths beside them
  bool robust = false;          ///< spikes and steps are taken out, noise smoothed longer
  double lowest = -0.8e-3, highest = 2.4e-3;  ///< target stays within [m^3]
};

RecordingKind parseRecordingKind(std::string_view name);

/// Throws InputError for fewer than two seconds of signal, an unknown column or a flat line.
/// Defects are not judged here: see inspectRecording (signal_check.h).
VolumeTarget makeVolumeTarget(const io::Signals& signals, const RecordingConfig& config = {});

}  // namespace pneuma::breath
