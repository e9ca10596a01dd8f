#include "pneuma/flesh/embedded/embedding.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

Embedding::Embedding(const Lattice& lattice, std::span<const Vec3> points,
                     std::span<const Vec3> normals)
    : lattice_(lattice),
      rest_(points.begin(), points.end()),
      places_(points.size()),
      slot_(lattice.nodeCount(), -1) {
  PNEUMA_CHECK(normals.empty() || normals.size() == points.size());
  parallelFor(points.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      places_[i] = lattice.locate(points[i], normals.empty() ? Vec3::Zero() : Vec3(-normals[i]));
  });
  for (const LatticePlace& p : places_)
    for (const std::int32_t n : lattice.tets[at(p.tet)])
      if (slot_[at(n)] < 0) {
        slot_[at(n)] = static_cast<std::int32_t>(used_.size());
        used_.push_back(n);
      }
  const auto eachAround = [&](auto&& visit) {
    for (std::size_t t = 0; t < lattice.tetCount(); ++t)
      for (const std::int32_t n : lattice.tets[t])
        if (slot_[at(n)] >= 0) visit(at(slot_[at(n)]), static_cast<std::int32_t>(t));
  };
  start_.assign(used_.size() + 1, 0);
  eachAround([&](std::size_t i, std::int32_t) { ++start_[i + 1]; });
  for (std::size_t i = 0; i < used_.size(); ++i) start_[i + 1] += start_[i];
  around_.resize(at(start_.back()));
  std::vector<std::int32_t> next(start_.begin(), start_.end() - 1);
  eachAround([&](std::size_t i, std::int32_t t) { around_[at(next[i]++)] = t; });
  gradient_.resize(used_.size());
  roughness_.assign(used_.size(), 0);
}

void Embedding::apply(std::span<const Vec3> nodes, std::span<Vec3> positions) {
  place(nodes, std::vector<std::uint8_t>(used_.size(), 1), positions);
}

void Embedding::follow(std::span<const Vec3> nodes, std::span<Vec3> positions) {
  if (last_.empty()) {
    apply(nodes, positions);
  } else {
    place(nodes, moved(nodes), positions);
  }
  last_.assign(nodes.begin(), nodes.end());
}

/// Of the used nodes, those in a tetrahedron of which a corner has moved.
std::vector<std::uint8_t> Embedding::moved(std::span<const Vec3> nodes) const {
  std::vector<std::uint8_t> gone(nodes.size()), found(used_.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) gone[n] = nodes[n] != last_[n];
  for (const Tet& t : lattice_.tets) {
    if (std::ranges::none_of(t, [&](std::int32_t n) { return gone[at(n)] != 0; })) continue;
    for (const std::int32_t n : t)
      if (slot_[at(n)] >= 0) found[at(slot_[at(n)])] = 1;
  }
  return found;
}

void Embedding::place(std::span<const Vec3> nodes, std::span<const std::uint8_t> moved,
                      std::span<Vec3> positions) {
  PNEUMA_CHECK(nodes.size() == lattice_.nodeCount() && positions.size() == places_.size());
  const auto edges = [](const Tet& t, const auto& x) {
    Mat3 m;
    for (int k = 0; k < 3; ++k) m.col(k) = x[at(t[std::size_t(k) + 1])] - x[at(t[0])];
    return m;
  };
  // Around each node the mean gradient of the flesh that meets there, by its volume.
  parallelFor(used_.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (moved[i] == 0) continue;
      Mat3 sum = Mat3::Zero();
      double weight = 0, squares = 0;
      for (std::int32_t k = start_[i]; k < start_[i + 1]; ++k) {
        const Tet& t = lattice_.tets[at(around_[at(k)])];
        const Mat3 rest = edges(t, lattice_.nodes);
        const double w = rest.determinant() * double(lattice_.share[at(around_[at(k)])]);
        const Mat3 F = edges(t, nodes) * rest.inverse();
        sum += w * F;
        squares += w * F.squaredNorm();
        weight += w;
      }
      gradient_[i] = sum / weight;
      roughness_[i] = std::sqrt(std::max(0.0, squares / weight - gradient_[i].squaredNorm()));
    }
  });
  // Corners foretell a place by half of their own gradients: with linear weights alone every edge
  // of the lattice would show as a crease.
  parallelFor(places_.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Tet& t = lattice_.tets[at(places_[i].tet)];
      if (std::ranges::none_of(t, [&](std::int32_t n) { return moved[at(slot_[at(n)])] != 0; }))
        continue;
      Vec3 x = Vec3::Zero();
      for (std::size_t k = 0; k < 4; ++k)
        x += places_[i].weights[static_cast<Eigen::Index>(k)] *
             (nodes[at(t[k])] +
              0.5 * gradient_[at(slot_[at(t[k])])] * (rest_[i] - lattice_.nodes[at(t[k])]));
      positions[i] = x;
    }
  });
}

/// The gradients of single nodes are as noisy as what they measure, so each takes the mean of its
/// surroundings, twice: about a cell's width.
std::vector<double> Embedding::roughness() const {
  constexpr int kRounds = 2;
  std::vector<double> now = roughness_, next(now.size());
  for (int round = 0; round < kRounds; ++round) {
    parallelFor(now.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = 0, count = 0;
        for (std::int32_t k = start_[i]; k < start_[i + 1]; ++k)
          for (const std::int32_t n : lattice_.tets[at(around_[at(k)])])
            if (slot_[at(n)] >= 0) sum += now[at(slot_[at(n)])], ++count;
        next[i] = sum / count;
      }
    });
    now.swap(next);
  }
  std::vector<double> points(places_.size(), 0);
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k)
      points[i] += places_[i].weights[static_cast<Eigen::Index>(k)] *
                   now[at(slot_[at(lattice_.tets[at(places_[i].tet)][k])])];
  return points;
}

}  // namespace pneuma::flesh::embedded
