#pragma once

#include <cstdint>
#include <string>

#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/stage/frame_track.h"

/// The one way from a body in time to its recorded frames.
namespace pneuma::stage {

/// A body that time passes for, whatever moves it: simulated, driven by its muscles, or played.
class Performer {
 public:
  virtual ~Performer() = default;

  /// Goes on until `time` [s], to the nearest step; never back. Throws SimulationError.
  virtual void advance(double time) = 0;
  virtual double time() const = 0;          ///< [s]
  virtual std::uint64_t steps() const = 0;  ///< taken so far; numbers a checkpoint
  /// What is seen now.
  virtual body::Frame capture() = 0;
  /// Everything that the rest of the run depends on.
  virtual void save(io::StateWriter& out) const = 0;
  virtual void load(io::StateReader& in) = 0;
};

/// How a run is recorded.
struct RecordPlan {
  std::string title;           ///< of the progress
  double seconds = 0;          ///< the run ends there [s], > 0
  double interval = 0.04;      ///< between frames [s], > 0
  double checkpointEvery = 5;  ///< simulated [s]; 0: at every frame; infinity: never
  bool countFrames = false;    ///< progress in frames instead of seconds
};

/// Lets a body perform from the start, or from the last checkpoint in the folder, and records it:
/// a frame at 0, `interval`, 2 `interval`, ... Ends at `seconds` whether a frame falls there or
/// not, so that a recorded run and one without a folder end in the same state.
///
/// A SimulationError names the frame; all frames before it are in the track.
void record(Performer& performer, const RecordPlan& plan, FrameTrack& track, io::RunFolder& folder,
            Progress& progress);

}  // namespace pneuma::stage
