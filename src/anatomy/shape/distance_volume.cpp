#include "anatomy/shape/distance_volume.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/Dense.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

openvdb::FloatGrid::Ptr signedDistances(const TriangleMesh& mesh, double cell, float band) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  for (const Vec3& p : mesh.positions) {
    const Vec3 q = p / cell;  // index space, so that the grid keeps a unit transform
    points.emplace_back(static_cast<float>(q.x()), static_cast<float>(q.y()),
                        static_cast<float>(q.z()));
  }
  for (const Triangle& t : mesh.triangles)
    triangles.emplace_back(static_cast<unsigned>(t[0]), static_cast<unsigned>(t[1]),
                           static_cast<unsigned>(t[2]));
  const auto unit = openvdb::math::Transform::createLinearTransform(1.0);
  return openvdb::tools::meshToSignedDistanceField<openvdb::FloatGrid>(
      *unit, points, triangles, quads, band, std::numeric_limits<float>::max());
}

}  // namespace

DistanceVolume::DistanceVolume(const Box& box, double cell, float value) : cell_(cell) {
  for (int a = 0; a < 3; ++a) {
    first_[a] = static_cast<int>(std::floor(box.min[a] / cell));
    size_[a] = static_cast<int>(std::ceil(box.max[a] / cell)) - first_[a] + 1;
  }
  values_.assign(static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) *
                     static_cast<std::size_t>(size_.z()),
                 value);
}

Vec3 DistanceVolume::position(std::size_t index) const {
  const auto ny = static_cast<std::size_t>(size_.y()), nz = static_cast<std::size_t>(size_.z());
  return position(static_cast<int>(index / (ny * nz)), static_cast<int>(index / nz % ny),
                  static_cast<int>(index % nz));
}

Eigen::Vector3i DistanceVolume::nearest(const Vec3& p) const {
  const Eigen::Vector3i n = (p / cell_).array().round().matrix().cast<int>() - first_;
  return n.cwiseMax(0).cwiseMin(size_ - Eigen::Vector3i::Ones());
}

double DistanceVolume::sample(const Vec3& p) const {
  const Vec3 q = p / cell_ - first_.cast<double>();
  Eigen::Vector3i n;
  Vec3 f;
  double beyond = 0;
  for (int a = 0; a < 3; ++a) {
    const double c = std::clamp(q[a], 0.0, static_cast<double>(size_[a] - 1));
    beyond += (q[a] - c) * (q[a] - c);
    n[a] = std::min(static_cast<int>(c), size_[a] - 2);
    f[a] = c - n[a];
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    const double w = (i ? f.x() : 1 - f.x()) * (j ? f.y() : 1 - f.y()) * (k ? f.z() : 1 - f.z());
    sum += w * static_cast<double>(values_[index(n.x() + i, n.y() + j, n.z() + k)]);
  }
  return sum + cell_ * std::sqrt(beyond);
}

Vec3 DistanceVolume::gradient(const Vec3& p) const {
  Vec3 g;
  for (int a = 0; a < 3; ++a) {
    const Vec3 e = 0.5 * cell_ * Vec3::Unit(a);
    g[a] = (sample(p + e) - sample(p - e)) / cell_;
  }
  return g;
}

double DistanceVolume::volume() const {
  double count = 0;
  for (float v : values_) count += std::clamp(0.5 - static_cast<double>(v) / cell_, 0.0, 1.0);
  return count * cell_ * cell_ * cell_;
}

Box DistanceVolume::interiorBounds() const {
  Box box;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i] < 0) box.add(position(i));
  return box;
}

void fillDistances(std::span<const TriangleMesh> meshes, DistanceVolume& frame, float band) {
  static std::once_flag once;
  std::call_once(once, [] { openvdb::initialize(); });
  std::fill(frame.values().begin(), frame.values().end(), static_cast<float>(band * frame.cell()));
  const Vec3 low = frame.position(0, 0, 0) / frame.cell();
  const openvdb::Coord first(static_cast<int>(std::lround(low.x())),
                             static_cast<int>(std::lround(low.y())),
                             static_cast<int>(std::lround(low.z())));
  const openvdb::Coord last =
      first + openvdb::Coord(frame.size().x() - 1, frame.size().y() - 1, frame.size().z() - 1);
  for (const TriangleMesh& mesh : meshes) {
    const auto grid = signedDistances(mesh, frame.cell(), band);
    openvdb::tools::Dense<float> dense(openvdb::CoordBBox(first, last));  // z fastest, as ours
    openvdb::tools::copyToDense(*grid, dense);
    const float* d = dense.data();
    for (std::size_t i = 0; i < frame.values().size(); ++i)
      frame.at(i) = std::min(frame.at(i), static_cast<float>(d[i] * frame.cell()));
  }
}

void smoothen(DistanceVolume& volume, int passes) {
  const Eigen::Vector3i n = volume.size();
  const std::array<std::size_t, 3> stride{volume.index(1, 0, 0), volume.index(0, 1, 0), 1};
  std::vector<float>& v = volume.values();
  for (int pass = 0; pass < passes; ++pass)
    for (int axis = 0; axis < 3; ++axis) {
      // Lines along the axis are independent of one another.
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      const auto step = stride[static_cast<std::size_t>(axis)];
      parallelFor(static_cast<std::size_t>(n[a]), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          for (int j = 0; j < n[b]; ++j) {
            const std::size_t first =
                i * stride[static_cast<std::size_t>(a)] +
                static_cast<std::size_t>(j) * stride[static_cast<std::size_t>(b)];
            float before = v[first];
            for (int k = 0; k + 1 < n[axis]; ++k) {
              float& at = v[first + static_cast<std::size_t>(k) * step];
              const float next = v[first + static_cast<std::size_t>(k + 1) * step];
              const float mean = 0.25f * (before + 2 * at + next);
              before = at;
              at = mean;
            }
          }
      });
    }
}

DistanceVolume makeDistanceVolume(std::span<const TriangleMesh> meshes, double cell,
                                  double margin) {
  Box box;
  for (const TriangleMesh& m : meshes) box.add(boundingBox(m.positions));
  box.min.array() -= margin;
  box.max.array() += margin;
  DistanceVolume volume(box, cell, 0);
  fillDistances(meshes, volume);
  return volume;
}

DistanceVolume mirrorAverage(const DistanceVolume& left, const DistanceVolume& other) {
  DistanceVolume average = left;
  parallelFor(average.values().size(), 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 p = left.position(i);
      p.x() = -p.x();
      average.at(i) = 0.5f * (left.at(i) + static_cast<float>(other.sample(p)));
    }
  });
  return average;
}

}  // namespace pneuma::anatomy::internal
