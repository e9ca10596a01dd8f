#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/shape/learn.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

void putDisplacement(const std::vector<Vec3>& frame, const std::vector<Vec3>& rest,
                     FeatureRows& rows, Index row) {
  for (std::size_t v = 0; v < rest.size(); ++v)
    rows.block<1, 3>(row, static_cast<Index>(3 * v)) =
        (frame[v] - rest[v]).transpose().cast<float>();
}

/// The chest's share of what the torso gains over a trial: least squares through rest.
double typeOf(std::span<const BreathMoment> moments) {
  double above = 0, below = 0;
  for (const BreathMoment& m : moments) {
    above += m.chest * (m.chest + m.belly);
    below += (m.chest + m.belly) * (m.chest + m.belly);
  }
  return below > 0 ? above / below : 0.5;
}

/// Whether a triangle has a vertex that breath can move.
bool moves(const ShapeTemplate& shape, std::size_t t) {
  return std::ranges::any_of(shape.mesh.triangles[t], [&](std::int32_t v) {
    return !shape.fixedVertex[static_cast<std::size_t>(v)];
  });
}

std::vector<std::size_t> movingTriangles(const ShapeTemplate& shape) {
  std::vector<std::size_t> list;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    if (moves(shape, t)) list.push_back(t);
  return list;
}

}  // namespace

PersonFrames framesOf(const ShapeTemplate& shape, const PersonData& data) {
  PersonFrames p{.entry = data.entry, .rest = data.rest};
  p.area = torsoArea(shape, data.rest);
  std::size_t count = 0, learned = 0;
  for (const PersonTrial& t : data.trials) {
    count += t.frames.size();
    if (t.use == TrialUse::Learn) learned += t.frames.size();
  }
  p.displacements.resize(static_cast<Index>(count), static_cast<Index>(3 * data.rest.size()));
  const double restVolume = enclosedVolume(data.rest, shape.mesh.triangles);
  double least = 0, most = 0;
  for (std::size_t k = 0; k < data.trials.size(); ++k) {
    const PersonTrial& t = data.trials[k];
    p.trialNames.push_back(t.name);
    const std::size_t first = p.moments.size();
    for (std::size_t i = 0; i < t.frames.size(); ++i) {
      const auto row = static_cast<Index>(p.moments.size());
      putDisplacement(t.frames[i], data.rest, p.displacements, row);
      const HalfVolumes halves = gainedVolumes(shape, data.rest, t.frames[i]);
      // Over the area of the torso, so that the same number is the same travel of the skin in a
      // small and a large person.
      p.moments.push_back({.chest = halves.chest / p.area,
                           .belly = halves.belly / p.area,
                           .volume = t.samples[i].lungVolume / p.area,
                           .flow = t.samples[i].flow / p.area});
      p.meshVolume.push_back(enclosedVolume(t.frames[i], shape.mesh.triangles) - restVolume);
      p.trial.push_back(static_cast<int>(k));
      p.use.push_back(t.use);
      least = std::min(least, t.samples[i].lungVolume);
      most = std::max(most, t.samples[i].lungVolume);
    }
    const double type = typeOf(std::span(p.moments).subspan(first));
    for (std::size_t i = first; i < p.moments.size(); ++i) p.moments[i].type = type;
  }
  if (learned < 2 || !(most > least))
    throw InputError(
        fmt::format("person '{}': {} frames to learn from, lungs from {:.3g} to {:.3g} L",
                    data.entry.name, learned, 1e3 * least, 1e3 * most));
  return p;
}

PersonFrames select(const PersonFrames& all, TrialUse use) {
  PersonFrames p{.entry = all.entry, .rest = all.rest, .area = all.area};
  p.trialNames = all.trialNames;
  std::vector<Index> rows;
  for (std::size_t i = 0; i < all.use.size(); ++i) {
    if (all.use[i] != use) continue;
    rows.push_back(static_cast<Index>(i));
    p.moments.push_back(all.moments[i]);
    p.meshVolume.push_back(all.meshVolume[i]);
    p.trial.push_back(all.trial[i]);
    p.use.push_back(use);
  }
  p.displacements = all.displacements(rows, Eigen::all);
  return p;
}

FeatureRows gradientRows(const GradientMap& map, const FeatureRows& displacements) {
  const ShapeTemplate& shape = map.shape();
  const std::vector<std::size_t> moving = movingTriangles(shape);
  FeatureRows rows(displacements.rows(), static_cast<Index>(6 * moving.size()));
  parallelFor(static_cast<std::size_t>(rows.rows()), 1, [&](std::size_t i, std::size_t) {
    const auto row = static_cast<Index>(i);
    std::vector<Vec3> d(shape.vertexCount());
    for (std::size_t v = 0; v < d.size(); ++v)
      d[v] = displacements.block<1, 3>(row, static_cast<Index>(3 * v)).transpose().cast<double>();
    const PlaneGradients g = map.gradients(d);
    for (std::size_t k = 0; k < moving.size(); ++k)
      rows.block<1, 6>(row, static_cast<Index>(6 * k)) =
          (std::sqrt(map.areas()[moving[k]]) * g[moving[k]]).reshaped().transpose().cast<float>();
  });
  return rows;
}

std::vector<Vec3> displacementOf(const GradientMap& map, const Eigen::RowVectorXf& row) {
  const ShapeTemplate& shape = map.shape();
  const std::vector<std::size_t> moving = movingTriangles(shape);
  PNEUMA_CHECK(row.size() == static_cast<Index>(6 * moving.size()), "{} numbers for {} triangles",
               row.size(), moving.size());
  PlaneGradients g(shape.triangleCount(), PlaneGradient::Zero());
  for (std::size_t k = 0; k < moving.size(); ++k)
    g[moving[k]] = row.segment<6>(static_cast<Index>(6 * k)).cast<double>().reshaped(3, 2) /
                   std::sqrt(map.areas()[moving[k]]);
  return map.vertices(g, std::vector<Vec3>(shape.vertexCount(), Vec3::Zero()));
}

void ErrorMeter::add(const FeatureRows& predicted, const FeatureRows& truth) {
  PNEUMA_CHECK(predicted.rows() == truth.rows() && predicted.cols() == truth.cols(),
               "{} x {} against {} x {}", predicted.rows(), predicted.cols(), truth.rows(),
               truth.cols());
  for (Index i = 0; i < truth.rows(); ++i)
    for (std::size_t v = 0; v < shape_->vertexCount(); ++v)
      if (shape_->trunkVertex[v]) {
        const auto column = static_cast<Index>(3 * v);
        distances_.addSquared(
            (predicted.block<1, 3>(i, column) - truth.block<1, 3>(i, column)).squaredNorm());
      }
}

void DistanceMeter::add(std::span<const Vec3> predicted, std::span<const Vec3> truth,
                        const std::vector<bool>& counted) {
  PNEUMA_CHECK(predicted.size() == truth.size() && counted.size() == truth.size(),
               "{} places against {}, {} marks", predicted.size(), truth.size(), counted.size());
  for (std::size_t v = 0; v < truth.size(); ++v)
    if (counted[v]) addSquared(static_cast<float>((predicted[v] - truth[v]).squaredNorm()));
}

ShapeError DistanceMeter::error() const {
  if (squared_.empty()) return {};
  std::vector<float> sorted = squared_;
  const auto n = static_cast<double>(sorted.size());
  ShapeError e{.vertices = sorted.size()};
  for (const float s : sorted) e.rms += s / n, e.mean += std::sqrt(s) / n;
  e.rms = std::sqrt(e.rms);
  const auto rank = static_cast<std::ptrdiff_t>(0.99 * (n - 1));
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  e.p99 = std::sqrt(sorted[static_cast<std::size_t>(rank)]);
  return e;
}

}  // namespace pneuma::shape
