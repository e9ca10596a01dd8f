#include "survey/voxel_body.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/core/parallel.h"

namespace pneuma::survey::internal {

namespace {

/// Columns are looked at a hair beside the centres, so that none runs through an edge of a mesh
/// whose coordinates are round numbers.
constexpr double kBeside = 1.7e-8;

/// Lower envelope of the parabolas d[i] + (x - i)^2 along one row, with the values of the winners.
class RowEnvelope {
 public:
  explicit RowEnvelope(std::size_t longest)
      : place_(longest), start_(longest + 1), distance_(longest), value_(longest) {}

  // Lower envelope of parabolas along one line [Felzenszwalb & Huttenlocher 2012]: exact squared
  // distances in one pass per axis, where a sweep of neighbours would be off by some percent.
  void run(float* distance, std::uint8_t* value, std::size_t count, std::size_t stride) {
    int last = -1;
    for (std::size_t q = 0; q < count; ++q) {
      const double d = distance[q * stride];
      if (d >= kFar) continue;
      const auto x = static_cast<double>(q);
      double s = -kFar;
      while (last >= 0) {
        const auto p = static_cast<double>(place_[static_cast<std::size_t>(last)]);
        s = (d + x * x - (distance[place_[static_cast<std::size_t>(last)] * stride] + p * p)) /
            (2 * (x - p));
        if (s > start_[static_cast<std::size_t>(last)]) break;
        --last;
      }
      ++last;
      place_[static_cast<std::size_t>(last)] = q;
      start_[static_cast<std::size_t>(last)] = last == 0 ? -kFar : s;
    }
    if (last < 0) return;
    std::size_t k = 0;
    for (std::size_t q = 0; q < count; ++q) {
      while (k < static_cast<std::size_t>(last) && start_[k + 1] < static_cast<double>(q)) ++k;
      const double away = static_cast<double>(q) - static_cast<double>(place_[k]);
      distance_[q] = static_cast<float>(away * away + distance[place_[k] * stride]);
      value_[q] = value[place_[k] * stride];
    }
    for (std::size_t q = 0; q < count; ++q) {
      distance[q * stride] = distance_[q];
      value[q * stride] = value_[q];
    }
  }

  static constexpr double kFar = 1e20;

 private:
  std::vector<std::size_t> place_;
  std::vector<double> start_;
  std::vector<float> distance_;
  std::vector<std::uint8_t> value_;
};

}  // namespace

VoxelGrid::VoxelGrid(const Box& box, double cell) : low_(box.min), cell_(cell) {
  size_ = (box.size() / cell).array().ceil().cast<int>() + 1;
  values_.assign(static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) *
                     static_cast<std::size_t>(size_.z()),
                 0);
}

Vec3 VoxelGrid::center(std::size_t i) const {
  const auto ny = static_cast<std::size_t>(size_.y()), nz = static_cast<std::size_t>(size_.z());
  return low_ + cell_ * Vec3(static_cast<double>(i / (ny * nz)) + 0.5,
                             static_cast<double>(i / nz % ny) + 0.5,
                             static_cast<double>(i % nz) + 0.5);
}

void VoxelGrid::fill(const TriangleMesh& mesh, std::uint8_t value) {
  // Heights at which the vertical lines through the cubes' centres cross the surface.
  std::vector<std::vector<double>> crossings(static_cast<std::size_t>(size_.x()) *
                                             static_cast<std::size_t>(size_.z()));
  const auto column = [&](double at, double low) { return (at - low) / cell_ - 0.5; };
  for (const Triangle& t : mesh.triangles) {
    std::array<Vec3, 3> p;
    for (std::size_t c = 0; c < 3; ++c) p[c] = mesh.positions[static_cast<std::size_t>(t[c])];
    const auto [x0, x1] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
    const auto [z0, z1] = std::minmax({p[0].z(), p[1].z(), p[2].z()});
    const double area = (p[1].x() - p[0].x()) * (p[2].z() - p[0].z()) -
                        (p[2].x() - p[0].x()) * (p[1].z() - p[0].z());
    if (area == 0) continue;
    const int i0 = std::max(0, static_cast<int>(std::floor(column(x0, low_.x()))));
    const int i1 = std::min(size_.x() - 1, static_cast<int>(std::ceil(column(x1, low_.x()))));
    const int k0 = std::max(0, static_cast<int>(std::floor(column(z0, low_.z()))));
    const int k1 = std::min(size_.z() - 1, static_cast<int>(std::ceil(column(z1, low_.z()))));
    for (int i = i0; i <= i1; ++i)
      for (int k = k0; k <= k1; ++k) {
        const double x = low_.x() + (i + 0.5) * cell_ + kBeside;
        const double z = low_.z() + (k + 0.5) * cell_ + 1.618 * kBeside;
        const auto part = [&](const Vec3& a, const Vec3& b) {
          return ((b.x() - a.x()) * (z - a.z()) - (x - a.x()) * (b.z() - a.z())) / area;
        };
        const double w2 = part(p[0], p[1]), w0 = part(p[1], p[2]), w1 = 1 - w0 - w2;
        if (w0 >= 0 && w1 >= 0 && w2 >= 0)
          crossings[static_cast<std::size_t>(i) * static_cast<std::size_t>(size_.z()) +
                    static_cast<std::size_t>(k)]
              .push_back(w0 * p[0].y() + w1 * p[1].y() + w2 * p[2].y());
      }
  }
  for (int i = 0; i < size_.x(); ++i)
    for (int k = 0; k < size_.z(); ++k) {
      auto& heights = crossings[static_cast<std::size_t>(i) * static_cast<std::size_t>(size_.z()) +
                                static_cast<std::size_t>(k)];
      std::sort(heights.begin(), heights.end());
      for (std::size_t h = 0; h + 1 < heights.size(); h += 2) {
        const int j0 = std::max(0, static_cast<int>(std::ceil(column(heights[h], low_.y()))));
        const int j1 =
            std::min(size_.y() - 1, static_cast<int>(std::floor(column(heights[h + 1], low_.y()))));
        for (int j = j0; j <= j1; ++j) values_[index(i, j, k)] = value;
      }
    }
}

void VoxelGrid::spread() {
  std::vector<float> distance(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i)
    distance[i] = values_[i] ? 0.0f : static_cast<float>(RowEnvelope::kFar);
  const auto nx = static_cast<std::size_t>(size_.x()), ny = static_cast<std::size_t>(size_.y()),
             nz = static_cast<std::size_t>(size_.z());
  /// One row after the other: `first` gives where it begins.
  const auto pass = [&](std::size_t rows, std::size_t length, std::size_t stride, auto first) {
    parallelFor(rows, 64, [&](std::size_t begin, std::size_t end) {
      RowEnvelope envelope(length);
      for (std::size_t r = begin; r < end; ++r)
        envelope.run(&distance[first(r)], &values_[first(r)], length, stride);
    });
  };
  pass(nx * ny, nz, 1, [&](std::size_t r) { return r * nz; });
  pass(nx * nz, ny, nz, [&](std::size_t r) { return r / nz * ny * nz + r % nz; });
  pass(ny * nz, nx, ny * nz, [&](std::size_t r) { return r; });
}

}  // namespace pneuma::survey::internal
