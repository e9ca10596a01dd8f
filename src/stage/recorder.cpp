#include "pneuma/stage/recorder.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

void saveRun(const Performer& performer, const FrameTrack& track, std::uint64_t nextFrame,
             io::RunFolder& folder) {
  io::StateWriter out;
  out.put(nextFrame);
  track.save(out);
  performer.save(out);
  folder.saveCheckpoint(performer.steps(), out);
}

/// The frame to go on with.
std::uint64_t loadRun(Performer& performer, FrameTrack& track, const io::RunFolder& folder) {
  const auto saved = folder.lastCheckpoint();
  if (!saved) return 0;
  std::uint64_t nextFrame = 0;
  io::StateReader in(saved->state);
  in.get(nextFrame);
  track.load(in);
  performer.load(in);
  return nextFrame;
}

}  // namespace

void record(Performer& performer, const RecordPlan& plan, FrameTrack& track, io::RunFolder& folder,
            Progress& progress) {
  PNEUMA_CHECK(plan.interval > 0 && plan.checkpointEvery >= 0, "interval {} s, checkpoints {} s",
               plan.interval, plan.checkpointEvery);
  constexpr double kHair = 1e-9;  // of a frame: a last frame must not be lost to rounding
  const auto frames =
      static_cast<std::uint64_t>(std::floor(plan.seconds / plan.interval + kHair)) + 1;
  progress.begin(plan.title, plan.countFrames ? static_cast<double>(frames) : plan.seconds);
  std::uint64_t next = loadRun(performer, track, folder);
  double nextCheckpoint = performer.time() + plan.checkpointEvery;
  while (next < frames) {
    try {
      performer.advance(static_cast<double>(next) * plan.interval);
      track.add(performer.capture());
    } catch (const SimulationError& e) {
      throw SimulationError(e.time(), e.part(), fmt::format("frame {}: {}", next, e.cause()));
    }
    ++next;
    progress.update(plan.countFrames ? static_cast<double>(next) : performer.time());
    if (performer.time() < nextCheckpoint) continue;
    saveRun(performer, track, next, folder);
    nextCheckpoint = performer.time() + plan.checkpointEvery;
  }
  performer.advance(plan.seconds);
  // Pictures may take longer than the run.
  if (std::isfinite(plan.checkpointEvery)) saveRun(performer, track, next, folder);
  progress.end();
}

}  // namespace pneuma::stage
