#include "pneuma/stage/breath_run.h"

#include "pneuma/stage/torso_cast.h"

namespace pneuma::stage {
namespace {

constexpr double kTrackSeconds = 12;       // kept for GLB, stills and film
constexpr double kCheckpointInterval = 5;  // simulated [s]

void saveCheckpoint(const breath::BreathSimulation& simulation, const FrameTrack& track,
                    std::uint64_t nextFrame, io::RunFolder& folder) {
  io::StateWriter state;
  state.put(nextFrame);
  track.save(state);
  simulation.save(state);
  folder.saveCheckpoint(simulation.state().steps, state);
}

}  // namespace

FrameTrack recordBreath(breath::BreathSimulation& simulation, double seconds,
                        double framesPerSecond, io::RunFolder& folder, Progress& progress) {
  FrameTrack track(torsoLayout(simulation), kTrackSeconds);
  std::uint64_t nextFrame = 0;
  if (const auto saved = folder.lastCheckpoint()) {
    io::StateReader in(saved->state);
    in.get(nextFrame);
    track.load(in);
    simulation.load(in);
  }
  double nextCheckpoint = simulation.state().time + kCheckpointInterval;
  const double interval = 1 / framesPerSecond;
  while (static_cast<double>(nextFrame) * interval <= seconds + 1e-9) {
    simulation.run(static_cast<double>(nextFrame) * interval);
    track.add(captureTorso(simulation, track.layout()));
    ++nextFrame;
    progress.update(simulation.state().time);
    if (simulation.state().time < nextCheckpoint) continue;
    saveCheckpoint(simulation, track, nextFrame, folder);
    nextCheckpoint += kCheckpointInterval;
  }
  saveCheckpoint(simulation, track, nextFrame, folder);  // pictures take longer than the run
  return track;
}

}  // namespace pneuma::stage
