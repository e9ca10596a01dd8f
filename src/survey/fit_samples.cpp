#include "survey/fit_samples.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;

SampleGrid::SampleGrid(const DistanceVolume& target, const ShapeFitConfig& config)
    : bounds(target.interiorBounds()), spacing(config.spacing) {
  bounds.min.array() -= 3 * config.band;
  bounds.max.array() += 3 * config.band;
  if (config.symmetric) bounds.min.x() = 0;
  const double h = spacing;
  size =
      ((bounds.max - bounds.min) / h).array().ceil().matrix().cast<int>() + Eigen::Vector3i::Ones();
  nodes.assign(static_cast<std::size_t>(size.prod()), -1);
  std::size_t at = 0;
  for (int i = 0; i < size.x(); ++i)
    for (int j = 0; j < size.y(); ++j)
      for (int k = 0; k < size.z(); ++k, ++at) {
        const Vec3 p = bounds.min + h * Vec3(i, j, k);
        const double d = target.sample(p);
        // Far from the surface every third node is enough to keep parts away.
        const bool near = std::abs(d) < config.band;
        if (!near && !(i % 3 == 0 && j % 3 == 0 && k % 3 == 0)) continue;
        nodes[at] = static_cast<int>(samples.size());
        samples.push_back({p, std::clamp(d, -config.band, config.band), near ? 1.0 : 4.0});
      }
}

Eigen::Vector3i SampleGrid::node(int sample) const {
  return ((samples[static_cast<std::size_t>(sample)].position - bounds.min) / spacing)
      .array()
      .round()
      .matrix()
      .cast<int>();
}

int SampleGrid::sampleAt(const Eigen::Vector3i& n) const {
  if ((n.array() < 0).any() || (n.array() >= size.array()).any()) return -1;
  return nodes[static_cast<std::size_t>((n.x() * size.y() + n.y()) * size.z() + n.z())];
}

WrongRegions::WrongRegions(const SampleGrid& grid, std::vector<double> wrongness)
    : grid_(grid), wrongness_(std::move(wrongness)), used_(wrongness_.size(), 0) {}

std::optional<WrongRegion> WrongRegions::takeWorst(bool cutsAllowed) {
  const int seed = worstSample(cutsAllowed);
  if (seed < 0) return std::nullopt;
  WrongRegion region;
  region.missing = wrongness_[static_cast<std::size_t>(seed)] > 0;
  for (const int s : grow(seed)) {
    region.points.push_back(grid_.samples[static_cast<std::size_t>(s)].position);
    region.weights.push_back(std::abs(wrongness_[static_cast<std::size_t>(s)]));
  }
  return region;
}

/// Sum of the wrongness in the neighbourhood, the peak of which seeds a new part.
double WrongRegions::blurred(const Eigen::Vector3i& n) const {
  double sum = 0;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j)
      for (int k = -2; k <= 2; ++k)
        if (const int s = grid_.sampleAt(n + Eigen::Vector3i(i, j, k)); s >= 0)
          sum += wrongness_[static_cast<std::size_t>(s)];
  return sum;
}

int WrongRegions::worstSample(bool cutsAllowed) const {
  int worst = -1;
  double most = 2 * grid_.spacing;
  for (std::size_t s = 0; s < wrongness_.size(); ++s) {
    const double w = wrongness_[s];
    if (used_[s] || w == 0 || (w < 0 && !cutsAllowed)) continue;
    const double sum = blurred(grid_.node(static_cast<int>(s)));
    if (sum * w > 0 && std::abs(sum) > most) most = std::abs(sum), worst = static_cast<int>(s);
  }
  return worst;
}

/// Connected samples of the same kind of wrongness within seven nodes of the seed.
std::vector<int> WrongRegions::grow(int seed) {
  const double sign = wrongness_[static_cast<std::size_t>(seed)] > 0 ? 1 : -1;
  const Eigen::Vector3i center = grid_.node(seed);
  std::vector<int> cluster;
  std::deque<int> open{seed};
  used_[static_cast<std::size_t>(seed)] = 1;
  while (!open.empty()) {
    const int s = open.front();
    open.pop_front();
    cluster.push_back(s);
    for (int axis = 0; axis < 6; ++axis) {
      Eigen::Vector3i m = grid_.node(s);
      m[axis / 2] += axis % 2 ? 1 : -1;
      if ((m - center).cast<double>().norm() > 7) continue;
      const int t = grid_.sampleAt(m);
      if (t < 0 || used_[static_cast<std::size_t>(t)]) continue;
      if (wrongness_[static_cast<std::size_t>(t)] * sign <= 0) continue;
      used_[static_cast<std::size_t>(t)] = 1;
      open.push_back(t);
    }
  }
  return cluster;
}

}  // namespace pneuma::survey::internal
