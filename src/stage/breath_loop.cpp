#include "pneuma/stage/breath_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "stage/breath_fit.h"

namespace pneuma::stage {
namespace {

constexpr std::size_t kMostFitted = 96;  // frames that targets are fitted to
constexpr double kExhaleShare = 0.1;     // of the inhaled volume, below which exhale is a target

void checkRecording(const BreathRecording& r, const BreathLoopConfig& config) {
  if (!(config.tolerance > 0) || config.mostTargets < 2)
    throw InputError("a breath layer needs a tolerance > 0 [m] and 2 targets or more");
  if (r.frames.size() != r.times.size() || r.frames.empty())
    throw InputError(fmt::format("{} skins for {} times", r.frames.size(), r.times.size()));
  const std::size_t count = r.regions.size();
  for (std::size_t f = 0; f < r.frames.size(); ++f) {
    if (r.frames[f].size() != count)
      throw InputError(fmt::format("frame {} has {} vertices, but there are {} regions", f,
                                   r.frames[f].size(), count));
    for (std::size_t v = 0; v < count; ++v)
      if (!r.frames[f][v].allFinite())
        throw InputError(fmt::format("vertex {} of frame {} is not finite", v, f));
  }
  if (!r.base.empty() && r.base.size() != count)
    throw InputError(fmt::format("the base has {} vertices instead of {}", r.base.size(), count));
  if (!r.chestShare.empty() && r.chestShare.size() != count)
    throw InputError(fmt::format("{} chest shares for {} vertices", r.chestShare.size(), count));
  for (const double share : r.chestShare)
    if (!(share >= 0 && share <= 1)) throw InputError("a chest share is not within 0 and 1");
  for (const Triangle& t : r.triangles)
    for (const std::int32_t v : t)
      if (v < 0 || static_cast<std::size_t>(v) >= count)
        throw InputError(fmt::format("a triangle names vertex {} of {}", v, count));
  for (const auto& [region, name] :
       {std::pair(BreathRegion::Chest, "chest"), std::pair(BreathRegion::Belly, "belly")})
    if (std::ranges::find(r.regions, region) == r.regions.end())
      throw InputError(fmt::format("no vertex of the skin lies in the region '{}'", name));
}

/// Frames of the recording that a cut touches.
std::vector<std::size_t> framesOf(const BreathRecording& r, const Loop& loop) {
  std::vector<std::size_t> frames;
  const Loop::Place& last = loop.place(loop.keyCount() - 1);
  for (std::size_t f = loop.place(0).first; f <= last.first + 1 && f < r.frames.size(); ++f)
    frames.push_back(f);
  return frames;
}

/// At most so many of them, the first and the last included.
std::vector<std::size_t> thinned(const std::vector<std::size_t>& frames, std::size_t most) {
  if (frames.size() <= most) return frames;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(frames[i * (frames.size() - 1) / (most - 1)]);
  return some;
}

/// Adds targets until all frames are followed closely enough.
void findTargets(internal::BreathFit& fit, std::span<const std::size_t> frames,
                 const std::vector<double>& exhaled, const BreathRecording& r,
                 const BreathLoopConfig& config) {
  const auto most = static_cast<std::size_t>(config.mostTargets);
  const auto enough = [&] {
    return fit.error(frames).largest <= config.tolerance || fit.targetCount() >= most;
  };
  fit.addRegion("breath_chest", BreathRegion::Chest);
  fit.addRegion("breath_belly", BreathRegion::Belly);
  if (!exhaled.empty() && most > 2) fit.addSignal("breath_exhale", exhaled);
  fit.solve();
  if (enough()) return;
  if (std::ranges::find(r.regions, BreathRegion::Shoulders) != r.regions.end()) {
    fit.addRegion("breath_shoulders", BreathRegion::Shoulders);
    fit.solve();
  }
  for (int detail = 1; !enough(); ++detail)
    if (!fit.addDetail(fmt::format("breath_detail_{}", detail))) return;
}

/// Share of the greatest volume below the base in each frame; empty when that is next to nothing.
std::vector<double> exhaledShares(const BreathRecording& r, std::span<const std::size_t> frames) {
  double high = 0, low = 0;
  for (const std::size_t f : frames) {
    high = std::max(high, r.lungVolumes[f] - r.baseVolume);
    low = std::max(low, r.baseVolume - r.lungVolumes[f]);
  }
  if (r.base.empty() || low <= kExhaleShare * high) return {};
  std::vector<double> shares;
  for (const double v : r.lungVolumes) shares.push_back(std::max(0.0, (r.baseVolume - v) / low));
  return shares;
}

double largestDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

/// Changes of the normals at weight 1.
void addNormals(BreathLoop& layer, std::span<const Triangle> triangles) {
  if (triangles.empty()) return;
  TriangleMesh mesh{layer.base, {triangles.begin(), triangles.end()}};
  const std::vector<Vec3> rest = vertexNormals(mesh);
  for (io::MorphTarget& t : layer.targets) {
    for (std::size_t v = 0; v < rest.size(); ++v) mesh.positions[v] = layer.base[v] + t.offsets[v];
    t.normalOffsets = vertexNormals(mesh);
    for (std::size_t v = 0; v < rest.size(); ++v) t.normalOffsets[v] -= rest[v];
  }
}

/// Weights per key in [0, 1], the closing key equal to the first. Where weights may be negative the
/// base moves to where each target is least.
void setWeights(BreathLoop& layer, const internal::BreathFit& fit,
                std::span<const std::size_t> frames, const BreathRecording& r) {
  const std::size_t count = fit.targetCount();
  std::vector<double> rows(r.frames.size() * count, 0.0);
  const auto w = fit.weights(frames);
  for (std::size_t i = 0; i < frames.size(); ++i)
    std::copy_n(w.data() + i * count, count, rows.begin() + static_cast<long>(frames[i] * count));
  layer.weights = layer.loop.closed(rows, count);
  for (std::size_t k = 0; k < count; ++k) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = k; i < layer.weights.size(); i += count) {
      least = std::min(least, layer.weights[i]);
      most = std::max(most, layer.weights[i]);
    }
    if (!r.base.empty()) least = 0;  // the base given stays; closing may undercut it by a hair
    const double range = most > least ? most - least : 1;
    for (std::size_t i = k; i < layer.weights.size(); i += count)
      layer.weights[i] = std::clamp((layer.weights[i] - least) / range, 0.0, 1.0);
    io::MorphTarget& t = layer.targets.emplace_back();
    t.name = fit.names()[k];
    t.offsets = fit.target(k);
    for (std::size_t v = 0; v < layer.base.size(); ++v) {
      layer.base[v] += least * t.offsets[v];
      t.offsets[v] *= range;
    }
  }
}

}  // namespace

std::vector<Vec3> BreathLoop::shape(std::span<const double> weightsOfTargets) const {
  PNEUMA_CHECK(weightsOfTargets.size() == targets.size(), "{} weights for {} targets",
               weightsOfTargets.size(), targets.size());
  std::vector<Vec3> points = base;
  for (std::size_t k = 0; k < targets.size(); ++k)
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] += weightsOfTargets[k] * targets[k].offsets[v];
  return points;
}

/// A plain sequence: cut, base, targets, weights on the loop's keys, and what all that cost.
BreathLoop makeBreathLoop(const BreathRecording& r, const BreathLoopConfig& config) {
  checkRecording(r, config);
  const LoopCut cut = config.cut ? *config.cut : cutWholeBreaths(r.times, r.lungVolumes);
  BreathLoop layer{.loop = Loop(r.times, cut, config.framesPerSecond)};
  const std::vector<std::size_t> frames = framesOf(r, layer.loop);

  if (r.base.empty())
    layer.base = r.frames[*std::ranges::min_element(
        frames, {}, [&](std::size_t f) { return r.lungVolumes[f]; })];
  else
    layer.base.assign(r.base.begin(), r.base.end());

  internal::BreathFit fit(r.frames, layer.base, thinned(frames, kMostFitted),
                          internal::memberships(r.regions, r.triangles, r.chestShare),
                          {.tolerance = config.tolerance, .mayBeNegative = r.base.empty()});
  findTargets(fit, frames, exhaledShares(r, frames), r, config);
  fit.finish();

  layer.times = layer.loop.keyTimes();
  layer.lungVolumes = layer.loop.closed(r.lungVolumes, 1);
  setWeights(layer, fit, frames, r);
  addNormals(layer, r.triangles);

  const internal::BreathFit::Error error = fit.error(frames);
  layer.largestError = error.largest;
  layer.meanError = error.mean;
  const auto nearest = [&](std::size_t key) -> const std::vector<Vec3>& {
    const Loop::Place& p = layer.loop.place(key);
    return r.frames[p.share > 0.5 ? p.first + 1 : p.first];
  };
  layer.seamBefore = largestDistance(nearest(0), nearest(layer.loop.keyCount() - 1));
  const std::span<const double> keys(layer.weights);
  layer.seamAfter = largestDistance(layer.shape(keys.first(layer.targetCount())),
                                    layer.shape(keys.last(layer.targetCount())));
  return layer;
}

}  // namespace pneuma::stage
