#include "pneuma/stage/perform_beside.h"

#include <algorithm>
#include <cmath>

#include "pneuma/stage/torso_cast.h"
#include "stage/torso_skin.h"

namespace pneuma::stage {
namespace {

constexpr double kSettled = 2;  // after which its lungs are compared [s]

/// The chest's share of what the torso gains over all frames: least squares through rest.
double chestShareOf(const shape::ShapeTemplate& shape, const SimulatedSkins& s) {
  double above = 0, below = 0;
  for (const std::vector<Vec3>& x : s.frames) {
    const shape::HalfVolumes v = shape::gainedVolumes(shape, s.rest, x);
    above += v.chest * v.torso();
    below += v.torso() * v.torso();
  }
  return below > 0 ? above / below : 0.5;
}

}  // namespace

SimulatedSkins simulateSkins(const shape::ShapeTemplate& shape, const BreathRequest& breath,
                             const BreathTrack& track,
                             std::shared_ptr<const anatomy::Body> measured,
                             const anatomy::Person& person,
                             const std::function<void(double)>& progress) {
  breath::BreathSettings settings = resolve(breath, measured, person).settings;
  if (!track.style) {
    settings.target = breath::VolumeTarget{.rate = track.framesPerSecond, .volumes = track.volume};
    settings.tidalVolume.reset();
  }
  breath::BreathSimulation run(settings);
  internal::TorsoSkin skin(run, *measured, anatomy::skinTriangles(0));
  const body::FrameLayout layout = torsoLayout(run);
  SimulatedSkins result{.rest = skin.rest().positions};
  for (std::size_t k = 0; k < track.size(); ++k) {
    run.run(track.time(k));
    result.volume.push_back(run.samples().back().lungVolume - run.model().restLung);
    result.frames.push_back(skin.pose(captureTorso(run, layout), layout));
    progress(static_cast<double>(k + 1) / static_cast<double>(track.size()));
  }
  result.type = chestShareOf(shape, result);
  return result;
}

BesideErrors compareSkins(const shape::ShapeTemplate& shape, const shape::PersonBreath& person,
                          const BreathTrack& track, const std::vector<VecX>& weights,
                          const SimulatedSkins& simulated) {
  BesideErrors errors;
  shape::DistanceMeter all, breath;
  std::vector<Vec3> x(person.rest().size());
  double gap = 0;
  for (std::size_t k = 0; k < track.size(); ++k) {
    person.apply(weights[k], x);
    shape::DistanceMeter frame;
    frame.add(x, simulated.frames[k], shape.trunkVertex);
    errors.frames.push_back(frame.error().rms);
    all.add(x, simulated.frames[k], shape.trunkVertex);
    breath.add(simulated.rest, simulated.frames[k], shape.trunkVertex);
    // The torso begins at rest, a recording anywhere.
    if (track.time(k) >= kSettled)
      gap = std::max(gap, std::abs(simulated.volume[k] - track.volume[k]));
  }
  errors.all = all.error(), errors.breath = breath.error();
  const auto [low, high] = std::ranges::minmax(track.volume);
  errors.volume = high > low ? gap / (high - low) : 0;
  return errors;
}

}  // namespace pneuma::stage
