#include "stage/shape_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/stage/palette.h"

namespace pneuma::stage::internal {
namespace {

/// Points of the first frames as rows of numbers, seen from a carrier.
template <class Part>
std::vector<double> rowsOf(const Part& part, int carrier, const Clip& clip, std::size_t frames) {
  std::vector<double> rows;
  for (std::size_t k = 0; k < frames; ++k) {
    const body::Frame frame = clip[k];
    const Pose X_LW =
        carrier < 0 ? Pose{} : frame.X_WL[static_cast<std::size_t>(carrier)].inverse();
    for (const Vec3& p : part.positions(frame)) {
      const Vec3 q = X_LW * p;
      rows.insert(rows.end(), q.begin(), q.end());
    }
  }
  return rows;
}

}  // namespace

void useUnitWeights(io::MorphSequence& s) {
  const std::size_t count = s.targetCount();
  for (std::size_t k = 0; k < count; ++k) {
    double least = s.weights[k], most = least;
    for (std::size_t i = k; i < s.weights.size(); i += count) {
      least = std::min(least, s.weights[i]);
      most = std::max(most, s.weights[i]);
    }
    const double range = most > least ? most - least : 1;
    for (std::size_t i = k; i < s.weights.size(); i += count)
      s.weights[i] = (s.weights[i] - least) / range;
    io::MorphTarget& t = s.targets[k];
    t.name = fmt::format("breath_{}", k + 1);
    for (std::size_t v = 0; v < s.base.size(); ++v) {
      s.base[v] += least * t.offsets[v];
      t.offsets[v] *= range;
    }
    for (std::size_t v = 0; v < t.normalOffsets.size(); ++v) {
      s.baseNormals[v] += least * t.normalOffsets[v];
      t.normalOffsets[v] *= range;
    }
  }
  for (Vec3& n : s.baseNormals)
    if (n.norm() > 0) n.normalize();
}

template <class Part>
io::MorphSequence ShapeKeys::keys(const Part& part, int carrier,
                                  std::span<const Triangle> triangles) const {
  const std::size_t frames = loop_ ? clip_.size() : 1;
  const std::vector<double> recorded = rowsOf(part, carrier, clip_, frames);
  const std::size_t columns = recorded.size() / frames;
  const std::vector<double> rows = loop_ ? loop_->closed(recorded, columns) : recorded;
  std::vector<std::vector<Vec3>> shapes(rows.size() / columns);
  for (std::size_t k = 0; k < shapes.size(); ++k)
    for (std::size_t i = 0; i < columns; i += 3) {
      const double* p = rows.data() + k * columns + i;
      shapes[k].emplace_back(p[0], p[1], p[2]);
    }
  io::MorphSequence sequence = io::compressFrames(shapes, triangles,
                                                  {.tolerance = part.morphs.tolerance,
                                                   .mostTargets = part.morphs.mostTargets,
                                                   .normals = !triangles.empty()});
  useUnitWeights(sequence);
  return sequence;
}

AssetShape ShapeKeys::of(const SoftPart& part) const {
  AssetShape shape{.name = part.name,
                   .tissue = part.tissue,
                   .opacity = part.fileOpacity,
                   .joint = part.carrier,
                   .triangles = part.triangles};
  shape.keys = keys(part, part.carrier, part.triangles);
  if (loop_) shape.times = loop_->keyTimes();
  return shape;
}

AssetShape ShapeKeys::of(const LinePart& part) const {
  AssetShape shape{.name = part.name, .tissue = part.tissue};
  std::vector<double> peak(part.lineCount(), 0.0);
  for (std::size_t k = 0; part.load && k < clip_.size(); ++k) {
    const std::vector<double> load = part.load(clip_[k]);
    for (std::size_t i = 0; i < peak.size(); ++i) peak[i] = std::max(peak[i], load[i]);
  }
  const std::vector<render::Color> colors =
      part.load ? part.shade(peak) : std::vector<render::Color>{};
  for (std::size_t i = 0; i < part.lineCount(); ++i)
    for (std::int32_t p = part.begin[i]; p < part.begin[i + 1]; ++p) {
      if (!colors.empty()) shape.colors.push_back(linearRgba(colors[i]));
      if (p > part.begin[i]) shape.segments.push_back({p - 1, p});
    }
  shape.keys = keys(part, -1, {});
  if (loop_) shape.times = loop_->keyTimes();
  return shape;
}

}  // namespace pneuma::stage::internal
