#include "pneuma/stage/breath_run.h"

#include "pneuma/stage/recorder.h"
#include "pneuma/stage/torso_cast.h"

namespace pneuma::stage {
namespace {

constexpr double kTorsoTrackSeconds = 12;  // kept for GLB, stills and film

/// The breathing torso in a run.
class TorsoPerformer final : public Performer {
 public:
  TorsoPerformer(breath::BreathSimulation& simulation, const body::FrameLayout& layout)
      : simulation_(simulation), layout_(layout) {}

  void advance(double time) override { simulation_.run(time); }
  double time() const override { return simulation_.state().time; }
  std::uint64_t steps() const override { return simulation_.state().steps; }
  body::Frame capture() override { return captureTorso(simulation_, layout_); }
  void save(io::StateWriter& out) const override { simulation_.save(out); }
  void load(io::StateReader& in) override { simulation_.load(in); }

 private:
  breath::BreathSimulation& simulation_;
  const body::FrameLayout& layout_;
};

}  // namespace

FrameTrack recordBreath(breath::BreathSimulation& simulation, double seconds,
                        double framesPerSecond, io::RunFolder& folder, Progress& progress) {
  FrameTrack track(torsoLayout(simulation), kTorsoTrackSeconds);
  TorsoPerformer torso(simulation, track.layout());
  record(torso, {.title = "breathing", .seconds = seconds, .interval = 1 / framesPerSecond}, track,
         folder, progress);
  return track;
}

}  // namespace pneuma::stage
