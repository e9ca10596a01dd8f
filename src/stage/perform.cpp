#include "pneuma/stage/perform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "pneuma/core/error.h"
#include "pneuma/io/signal.h"
#include "pneuma/stage/licence.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

constexpr double kEvenType = 0.5;
constexpr double kSineTidal = 0.5e-3, kSineRate = 15;  // [m^3], [1/min]: quiet breath
constexpr int kSineBreaths = 4;

/// Central differences, one-sided at the ends.
void fillFlow(BreathTrack& track) {
  const std::size_t n = track.size();
  track.flow.assign(n, 0);
  for (std::size_t k = 0; n > 1 && k < n; ++k) {
    const std::size_t before = k > 0 ? k - 1 : k, after = std::min(k + 1, n - 1);
    track.flow[k] = (track.volume[after] - track.volume[before]) * track.framesPerSecond /
                    static_cast<double>(after - before);
  }
}

/// A value per frame from a function of time.
std::vector<double> sampled(double seconds, double rate, const std::function<double(double)>& f) {
  std::vector<double> values;
  const auto count = static_cast<std::size_t>(std::floor(seconds * rate + 1e-9)) + 1;
  for (std::size_t k = 0; k < count; ++k) values.push_back(f(static_cast<double>(k) / rate));
  return values;
}

/// Piecewise cubic through keys without overshoot: level where values turn (Fritsch-Carlson with
/// harmonic means), so that a held breath stays held.
double keyed(const std::vector<double>& times, const std::vector<double>& values, double t) {
  if (t <= times.front()) return values.front();
  if (t >= times.back()) return values.back();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(times, t) - times.begin());
  const std::size_t i = above - 1;
  const auto slope = [&](std::size_t k) {
    return (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
  };
  const auto tangent = [&](std::size_t k) {
    if (k == 0 || k + 1 == times.size()) return 0.0;
    const double a = slope(k - 1), b = slope(k);
    return a * b > 0 ? 2 * a * b / (a + b) : 0.0;
  };
  const double h = times[above] - times[i], u = (t - times[i]) / h, w = 1 - u;
  return w * w * (1 + 2 * u) * values[i] + u * u * (1 + 2 * w) * values[above] +
         h * u * w * (w * tangent(i) - u * tangent(above));
}

BreathTrack keyTrack(const PerformRequest& perform, const BreathRequest& breath) {
  const io::Signals keys = io::readCsvSignals(perform.keys).valueOrThrow();
  if (keys.sampleCount() < 2)
    throw InputError(Diagnostic{.subject = perform.keys, .message = "has fewer than two keys"});
  std::vector<double> times = keys.times;
  for (double& t : times) t -= keys.times.front();
  const double seconds = breath.seconds.value_or(times.back()), rate = breath.framesPerSecond;
  BreathTrack track{.framesPerSecond = rate};
  const std::vector<double>& volume = keys.channel("volume").values;
  track.volume =
      sampled(seconds, rate, [&](double t) { return kMillilitre * keyed(times, volume, t); });
  const auto type = std::ranges::find(keys.channels, "type", &io::SignalChannel::name);
  track.type = sampled(seconds, rate, [&](double t) {
    if (perform.type || type == keys.channels.end()) return perform.type.value_or(kEvenType);
    return keyed(times, type->values, t);
  });
  return track;
}

BreathTrack sineTrack(const PerformRequest& perform, const BreathRequest& breath) {
  const double perSecond = breath.rate.value_or(kSineRate) / 60;
  const double tidal = breath.tidal.value_or(kSineTidal);
  const double seconds = breath.seconds.value_or(perSecond > 0 ? kSineBreaths / perSecond : 10);
  BreathTrack track{.framesPerSecond = breath.framesPerSecond};
  track.volume = sampled(seconds, track.framesPerSecond, [&](double t) {
    return 0.5 * tidal * (1 - std::cos(2 * kPi * perSecond * t));
  });
  track.type.assign(track.size(), perform.type.value_or(kEvenType));
  return track;
}

/// The lungs of the simulated torso; its type is the rib cage's share of what the trunk gains.
BreathTrack styleTrack(const PerformRequest& perform, const BreathRequest& breath,
                       const ResolvedBreath& resolved) {
  breath::BreathSettings settings = resolved.settings;
  settings.arms = false;
  breath::BreathSimulation run(settings);
  BreathTrack track{.framesPerSecond = breath.framesPerSecond, .style = perform.intensity == 1};
  track.volume = sampled(resolved.seconds, track.framesPerSecond, [&](double t) {
    run.run(t);
    return run.samples().back().lungVolume - run.model().restLung;
  });
  track.type.assign(track.size(), perform.type.value_or(run.summary().ribCageShare));
  return track;
}

BreathTrack recordedTrack(const PerformRequest& perform, const BreathRequest& breath,
                          const ResolvedBreath& resolved) {
  BreathTrack track{.framesPerSecond = breath.framesPerSecond, .style = perform.intensity == 1};
  track.volume = sampled(resolved.seconds, track.framesPerSecond,
                         [&](double t) { return resolved.settings.target->at(t); });
  track.type.assign(track.size(), perform.type.value_or(kEvenType));
  return track;
}

/// Largest size of each weight over the track, at least what rounding leaves.
VecX largestWeights(const std::vector<VecX>& weights) {
  VecX most = VecX::Constant(weights.front().size(), 1e-9);
  for (const VecX& w : weights) most = most.cwiseMax(w.cwiseAbs());
  return most;
}

std::vector<Vec3> targetNormals(const shape::BreathModel& model, const shape::PersonBreath& person,
                                const std::vector<Vec3>& offsets) {
  TriangleMesh moved{person.rest(), model.mesh.triangles};
  const std::vector<Vec3> before = vertexNormals(moved);
  for (std::size_t v = 0; v < offsets.size(); ++v) moved.positions[v] += offsets[v];
  std::vector<Vec3> change = vertexNormals(moved);
  for (std::size_t v = 0; v < change.size(); ++v) change[v] -= before[v];
  return change;
}

}  // namespace

BreathTrack makeBreathTrack(const PerformRequest& perform, const BreathRequest& breath,
                            std::shared_ptr<const anatomy::Body> measured,
                            const anatomy::Person& person) {
  requireSettings(perform);
  if ((perform.keys.empty() ? 0 : 1) + (perform.sine ? 1 : 0) + (breath.volume.empty() ? 0 : 1) > 1)
    throw InputError(Diagnostic{.message = "more than one of --volume, --keys and --sine",
                                .expected = "one of them, or none for --style"});
  BreathTrack track;
  if (!perform.keys.empty()) {
    track = keyTrack(perform, breath);
  } else if (perform.sine) {
    track = sineTrack(perform, breath);
  } else {
    const ResolvedBreath resolved = resolve(breath, std::move(measured), person);
    track = resolved.settings.target ? recordedTrack(perform, breath, resolved)
                                     : styleTrack(perform, breath, resolved);
  }
  for (double& v : track.volume) v *= perform.intensity;
  fillFlow(track);
  return track;
}

std::vector<VecX> performWeights(const shape::PersonBreath& person, const BreathTrack& track) {
  std::vector<VecX> weights;
  for (std::size_t k = 0; k < track.size(); ++k)
    weights.push_back(person.weights(track.volume[k], track.flow[k], track.type[k]));
  return weights;
}

io::GltfScene performScene(const shape::BreathModel& model, const shape::PersonBreath& person,
                           const BreathTrack& track, const std::vector<VecX>& weights) {
  const VecX most = largestWeights(weights);
  io::GltfScene scene;
  scene.animationName = "breath";
  scene.copyright = kBodyLicence;
  io::GltfMesh mesh{.name = "skin",
                    .positions = person.rest(),
                    .triangles = model.mesh.triangles,
                    .material = scene.addMaterial(gltfMaterial(body::Tissue::Skin))};
  for (Eigen::Index m = 0; m < person.componentCount(); ++m) {
    io::MorphTarget target{.name = fmt::format("breath_{}", m + 1),
                           .offsets = person.components()[static_cast<std::size_t>(m)]};
    for (Vec3& d : target.offsets) d *= most[m];
    target.normalOffsets = targetNormals(model, person, target.offsets);
    mesh.targets.push_back(std::move(target));
  }
  io::GltfNode node{.name = "skin", .mesh = scene.addMesh(std::move(mesh))};
  for (std::size_t k = 0; k < track.size(); ++k) {
    node.animation.times.push_back(track.time(k));
    for (Eigen::Index m = 0; m < most.size(); ++m)
      node.animation.weights.push_back(weights[k][m] / most[m]);
  }
  scene.addNode(std::move(node));
  return scene;
}

io::Table performTable(const shape::BreathModel& model, const shape::PersonBreath& person,
                       const BreathTrack& track, const std::vector<VecX>& weights) {
  io::Table table;
  table.addColumn("time", "s");
  table.addColumn("lung_volume", "mL");
  table.addColumn("flow", "L/s");
  table.addColumn("type");
  table.addColumn("mesh_volume", "mL");
  for (Eigen::Index m = 0; m < person.componentCount(); ++m)
    table.addColumn(fmt::format("breath_{}", m + 1));
  const double before = enclosedVolume(person.rest(), model.mesh.triangles);
  std::vector<Vec3> x(person.rest().size());
  for (std::size_t k = 0; k < track.size(); ++k) {
    person.apply(weights[k], x);
    std::vector<double> row{track.time(k), track.volume[k] / kMillilitre, track.flow[k] / kLitre,
                            track.type[k],
                            (enclosedVolume(x, model.mesh.triangles) - before) / kMillilitre};
    row.insert(row.end(), weights[k].begin(), weights[k].end());
    table.appendRow(row);
  }
  return table;
}

double volumeError(const io::Table& performed) {
  const std::vector<double>& lungs = performed.column("lung_volume").values;
  const std::vector<double>& mesh = performed.column("mesh_volume").values;
  double worst = 0;
  for (std::size_t k = 0; k < lungs.size(); ++k)
    worst = std::max(worst, std::abs(mesh[k] - lungs[k]));
  const auto [low, high] = std::ranges::minmax(lungs);
  return high > low ? worst / (high - low) : 0;
}

}  // namespace pneuma::stage
