#include "pneuma/breath/trunk_skin.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {
namespace {

constexpr int kAround = 96;       // vertices of a contour
constexpr int kRowsPerGap = 4;    // contours between two measured ones
constexpr double kReach = 0.035;  // standard deviation of the weights [m]

Vec3 contourPoint(const RadialTable& t, double y, double angle) {
  const double azimuth = std::acos(std::cos(angle));  // the right side mirrors the left one
  const double r = t.radius(y, azimuth);
  return {r * std::sin(angle), y, t.center.z() + r * std::cos(angle)};
}

TriangleMesh loft(const RadialTable& t) {
  TriangleMesh mesh;
  const int rows = static_cast<int>(t.parameters.size() - 1) * kRowsPerGap + 1;
  for (int i = 0; i < rows; ++i) {
    const double u = static_cast<double>(i) / (rows - 1);
    const double y = t.parameters.front() + u * (t.parameters.back() - t.parameters.front());
    for (int j = 0; j < kAround; ++j)
      mesh.positions.push_back(contourPoint(t, y, 2 * kPi * j / kAround));
  }
  const auto at = [](int i, int j) { return i * kAround + j % kAround; };
  for (int i = 0; i + 1 < rows; ++i)
    for (int j = 0; j < kAround; ++j) {
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      mesh.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
  // Flat ends.
  for (const int row : {0, rows - 1}) {
    Vec3 middle = Vec3::Zero();
    for (int j = 0; j < kAround; ++j)
      middle += mesh.positions[static_cast<std::size_t>(at(row, j))] / kAround;
    const auto center = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.push_back(middle);
    for (int j = 0; j < kAround; ++j) {
      Triangle f{at(row, j), at(row, j + 1), center};
      if (row == 0) std::swap(f[0], f[1]);
      mesh.triangles.push_back(f);
    }
  }
  return mesh;
}

/// Evens out the facets of the bilinear table along the surface.
void relax(TriangleMesh& mesh, int passes) {
  std::vector<Vec3> sum(mesh.vertexCount());
  std::vector<int> count(mesh.vertexCount());
  for (int k = 0; k < passes; ++k) {
    std::fill(sum.begin(), sum.end(), Vec3::Zero());
    std::fill(count.begin(), count.end(), 0);
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        sum[static_cast<std::size_t>(t[i])] +=
            mesh.positions[static_cast<std::size_t>(t[(i + 1) % 3])];
        ++count[static_cast<std::size_t>(t[i])];
      }
    for (std::size_t i = 0; i < sum.size(); ++i)
      mesh.positions[i] = 0.5 * mesh.positions[i] + 0.5 * sum[i] / count[i];
  }
}

TriangleMesh trunkSurface(const TorsoModel& model) {
  TriangleMesh mesh = loft(model.anatomy.trunk);
  relax(mesh, 12);
  return mesh;
}

}  // namespace

TrunkSkin::TrunkSkin(const TorsoModel& model) : TrunkSkin(model, trunkSurface(model), {}) {}

TrunkSkin::TrunkSkin(const TorsoModel& model, TriangleMesh rest,
                     const std::vector<double>& mobility)
    : model_(&model), rest_(std::move(rest)) {
  // Followed points: surfaces of cage and wall, and everything fixed (pelvis and loins).
  std::vector<bool> used(model.rest.size(), false);
  for (const auto* faces : {&model.cage, &model.wall})
    for (const Triangle& t : *faces)
      for (const std::int32_t i : t) used[static_cast<std::size_t>(i)] = true;
  influences_.resize(rest_.vertexCount());
  for (std::size_t v = 0; v < influences_.size(); ++v) {
    const double share = mobility.empty() ? 1 : mobility[v];
    if (share < 1e-4) continue;
    const Vec3& p = rest_.positions[v];
    double nearest = 1e9;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) nearest = std::min(nearest, (model.rest[i] - p).squaredNorm());
    double total = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      // Relative to the nearest point, so that thick flesh does not leave the weights empty.
      const double d = (model.rest[i] - p).squaredNorm() - nearest;
      const double w = std::exp(-d / (2 * kReach * kReach));
      if (w < 1e-3) continue;
      influences_[v].push_back({static_cast<std::int32_t>(i), w});
      total += w;
    }
    for (Influence& f : influences_[v]) f.weight *= share / total;
  }
}

std::vector<Vec3> TrunkSkin::deform(const PointArray& points) const {
  std::vector<Vec3> out = rest_.positions;
  for (std::size_t v = 0; v < out.size(); ++v)
    for (const Influence& f : influences_[v]) {
      const auto i = static_cast<std::size_t>(f.point);
      out[v] += f.weight * (points[i] - model_->rest[i]);
    }
  return out;
}

}  // namespace pneuma::breath
