#include "io/usda_keys.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/core/error.h"

namespace pneuma::io::internal {
namespace {

struct NamedTracks {
  std::string name;
  std::vector<std::pair<int, const NodeAnimation*>> tracks;

  double duration() const {
    double last = 0;
    for (const auto& [node, keys] : tracks)
      if (!keys->times.empty()) last = std::max(last, keys->times.back());
    return last;
  }
};

std::vector<NamedTracks> tracksOf(const GltfScene& scene, const std::string& animation) {
  std::vector<NamedTracks> all;
  NamedTracks own{.name = scene.animationName};
  for (std::size_t n = 0; n < scene.nodes.size(); ++n)
    if (!scene.nodes[n].animation.times.empty())
      own.tracks.emplace_back(static_cast<int>(n), &scene.nodes[n].animation);
  if (!own.tracks.empty()) all.push_back(std::move(own));
  for (const GltfAnimation& a : scene.animations) {
    NamedTracks named{.name = a.name};
    for (const GltfTrack& t : a.tracks) named.tracks.emplace_back(t.node, &t.keys);
    all.push_back(std::move(named));
  }
  if (animation.empty()) return all;
  std::vector<std::string> names;
  for (const NamedTracks& t : all) names.push_back(t.name);
  std::erase_if(all, [&](const NamedTracks& t) { return t.name != animation; });
  if (all.empty())
    throw InputError(Diagnostic{.field = "animation",
                                .message = "no animation '" + animation + "'",
                                .nearest = nearestName(animation, names)});
  return all;
}

/// A place between two keys.
struct KeyPlace {
  std::size_t from = 0, to = 0;
  double part = 0;
};

KeyPlace placeAt(const std::vector<double>& times, double t) {
  if (t <= times.front()) return {};
  if (t >= times.back()) return {times.size() - 1, times.size() - 1, 0};
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  const auto to = static_cast<std::size_t>(after - times.begin());
  return {to - 1, to, (t - times[to - 1]) / (times[to] - times[to - 1])};
}

/// Values of one channel at all time codes.
template <class Value, class Mix>
std::vector<Value> sampleChannel(const std::vector<double>& times, const std::vector<Value>& keys,
                                 const std::vector<double>& at, Mix&& mix) {
  std::vector<Value> values;
  for (const double t : at) {
    const KeyPlace p = placeAt(times, t);
    values.push_back(mix(keys[p.from], keys[p.to], p.part));
  }
  return values;
}

/// What is known of a node's motion so far.
struct NodeMotion {
  std::vector<Vec3> places, scales;
  std::vector<Quat> turns;
  std::vector<double> weights;
};

void addTrack(const NodeAnimation& keys, const std::vector<double>& at, NodeMotion& m) {
  const auto mix = [](const Vec3& a, const Vec3& b, double t) { return Vec3(a + t * (b - a)); };
  if (!keys.translations.empty() && m.places.empty())
    m.places = sampleChannel(keys.times, keys.translations, at, mix);
  if (!keys.scales.empty() && m.scales.empty())
    m.scales = sampleChannel(keys.times, keys.scales, at, mix);
  if (!keys.rotations.empty() && m.turns.empty())
    m.turns = sampleChannel(keys.times, keys.rotations, at,
                            [](const Quat& a, const Quat& b, double t) { return a.slerp(t, b); });
  if (keys.weights.empty() || !m.weights.empty()) return;
  const std::size_t targets = keys.weights.size() / keys.times.size();
  for (const double t : at) {
    const KeyPlace p = placeAt(keys.times, t);
    for (std::size_t k = 0; k < targets; ++k) {
      const double a = keys.weights[p.from * targets + k], b = keys.weights[p.to * targets + k];
      m.weights.push_back(a + p.part * (b - a));
    }
  }
}

}  // namespace

SampledScene sampleScene(const GltfScene& scene, const std::string& animation, double rate) {
  const std::vector<NamedTracks> all = tracksOf(scene, animation);
  double longest = 0;
  for (const NamedTracks& t : all) longest = std::max(longest, t.duration());
  SampledScene out;
  out.frames = 1 + static_cast<std::size_t>(std::llround(longest * rate));

  std::map<int, NodeMotion> motions;
  for (const NamedTracks& named : all) {
    const double duration = named.duration();
    std::vector<double> at;
    for (std::size_t f = 0; f < out.frames; ++f) {
      const double t = static_cast<double>(f) / rate;
      // Half a frame of grace: the end of a loop is its own last key, not its first.
      const bool over = duration > 0 && t > duration + 0.5 / rate;
      at.push_back(over ? std::fmod(t, duration) : t);
    }
    for (const auto& [node, keys] : named.tracks)
      if (!keys->times.empty()) addTrack(*keys, at, motions[node]);
  }
  for (auto& [node, m] : motions) {
    const GltfNode& still = scene.nodes[static_cast<std::size_t>(node)];
    if (!m.weights.empty()) {
      out.morphing.push_back(node);
      out.weights.push_back(std::move(m.weights));
    }
    if (m.places.empty() && m.turns.empty() && m.scales.empty()) continue;
    if (m.places.empty()) m.places.assign(out.frames, still.pose.position);
    if (m.turns.empty()) m.turns.assign(out.frames, Quat(still.pose.rotation));
    if (m.scales.empty()) m.scales.assign(out.frames, still.scale);
    out.nodes.push_back(node);
    out.places.push_back(std::move(m.places));
    out.turns.push_back(std::move(m.turns));
    out.scales.push_back(std::move(m.scales));
  }
  return out;
}

}  // namespace pneuma::io::internal
