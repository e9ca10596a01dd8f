#pragma once

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/stage/frame_track.h"

namespace pneuma::stage {

/// Runs a breathing torso to `seconds` with its checkpoints in `folder`, from the last one there if
/// there is any, and gives its frames of the last twelve seconds.
FrameTrack recordBreath(breath::BreathSimulation& simulation, double seconds,
                        double framesPerSecond, io::RunFolder& folder, Progress& progress);

}  // namespace pneuma::stage
