#include "pneuma/skin/swing_layer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skin/volume_law.h"
#include "skin/surface_laplacian.h"
#include "skin/vector_cholesky.h"

namespace pneuma::skin {
namespace {

constexpr double kReach = 0.045;         // no muscle moves skin that is farther away [m]
constexpr double kSwingNear = 0.015;     // and all of it that is nearer [m]
constexpr double kWidth = 0.015;         // of the Gaussian [m]
constexpr double kSmooth = 0.025;        // l, over which skin evens out what muscles do [m]
constexpr double kMostSwing = 0.025;     // b [m]
constexpr double kBehind = 0.005;        // a point this far before the skin counts as under it [m]
constexpr std::size_t kInfluences = 12;  // points of a vertex
constexpr int kVolumeSteps = 3;

using Cell = std::tuple<long, long, long>;

Cell cellOf(const Vec3& p) {
  const Vec3 c = (p / kReach).array().floor();
  return {std::lround(c.x()), std::lround(c.y()), std::lround(c.z())};
}

struct Influence {
  std::int32_t point = 0;
  double weight = 0;
};

/// Points under a vertex, nearest first, with their distances.
std::vector<std::pair<double, std::int32_t>> pointsUnder(
    const std::map<Cell, std::vector<std::int32_t>>& cells, std::span<const Vec3> points,
    const Vec3& p, const Vec3& normal) {
  std::vector<std::pair<double, std::int32_t>> found;
  const auto [cx, cy, cz] = cellOf(p);
  for (long x = cx - 1; x <= cx + 1; ++x)
    for (long y = cy - 1; y <= cy + 1; ++y)
      for (long z = cz - 1; z <= cz + 1; ++z) {
        const auto cell = cells.find({x, y, z});
        if (cell == cells.end()) continue;
        for (const std::int32_t i : cell->second) {
          const Vec3 to = points[static_cast<std::size_t>(i)] - p;
          if (to.norm() < kReach && to.dot(normal) < kBehind) found.emplace_back(to.norm(), i);
        }
      }
  std::ranges::sort(found);
  if (found.size() > kInfluences) found.resize(kInfluences);
  return found;
}

}  // namespace

struct SwingLayer::Impl {
  std::vector<Vec3> rest;
  std::size_t points = 0;
  std::vector<std::size_t> begin{0};  // of each vertex's influences
  std::vector<Influence> influences;
  std::vector<double> share, hold;
  internal::VectorCholesky factor;
  std::unique_ptr<VolumeLaw> law;
  double volume = 0;
  std::vector<Vec3> found, placed;
};

SwingLayer::SwingLayer(const TriangleMesh& rest, std::span<const Vec3> points)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.rest = rest.positions;
  m.points = points.size();
  std::map<Cell, std::vector<std::int32_t>> cells;
  for (std::size_t i = 0; i < points.size(); ++i)
    cells[cellOf(points[i])].push_back(static_cast<std::int32_t>(i));
  const std::vector<Vec3> normals = vertexNormals(rest);
  for (std::size_t v = 0; v < rest.vertexCount(); ++v) {
    const auto under = pointsUnder(cells, points, rest.positions[v], normals[v]);
    const double nearest = under.empty() ? kReach : under.front().first;
    m.share.push_back(smoothStep(kReach, kSwingNear, nearest));
    // Counted from the nearest: far ones share what is far from all, whatever the Gaussian's tail.
    double total = 0;
    const auto kernel = [&](double d) {
      return std::exp(-0.5 * (d * d - nearest * nearest) / (kWidth * kWidth));
    };
    for (const auto& [d, i] : under) total += kernel(d);
    for (const auto& [d, i] : under)
      m.influences.push_back({i, m.share.back() * kernel(d) / total});
    m.begin.push_back(m.influences.size());
  }
  if (m.influences.empty()) throw InputError("skin: no muscle lies under it");
  Eigen::SparseMatrix<double> matrix = internal::surfaceLaplacian(rest);
  const std::vector<double> areas = internal::vertexAreas(rest);
  for (std::size_t v = 0; v < areas.size(); ++v) {
    m.hold.push_back(areas[v] / (kSmooth * kSmooth));
    const auto i = static_cast<Eigen::Index>(v);
    matrix.coeffRef(i, i) += m.hold.back();
  }
  PNEUMA_CHECK(m.factor.factorise(matrix), "swing of {} vertices", areas.size());
  m.law = std::make_unique<VolumeLaw>(rest.triangles, m.share);
  m.volume = m.law->volume(rest.positions);
  m.found.resize(rest.vertexCount());
  m.placed.resize(rest.vertexCount());
}
SwingLayer::~SwingLayer() = default;

std::size_t SwingLayer::pointCount() const {
  return impl_->points;
}
const std::vector<double>& SwingLayer::share() const {
  return impl_->share;
}

void SwingLayer::displace(std::span<const Vec3> swings, std::span<const Pose> motions,
                          std::span<Vec3> displacements) {
  Impl& m = *impl_;
  if (swings.size() != m.points) throw InputError("skin: swings of other points than it follows");
  PNEUMA_CHECK(motions.size() == m.rest.size() && displacements.size() == m.rest.size(),
               "{} motions and {} displacements for {} vertices", motions.size(),
               displacements.size(), m.rest.size());
  parallelFor(m.rest.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = m.begin[v]; k < m.begin[v + 1]; ++k)
        sum += m.influences[k].weight * swings[static_cast<std::size_t>(m.influences[k].point)];
      m.found[v] = m.hold[v] * (motions[v].rotation.transpose() * sum);
    }
  });
  m.factor.solve(m.found);
  for (std::size_t v = 0; v < m.rest.size(); ++v)
    m.placed[v] = m.rest[v] +
                  m.found[v] / std::sqrt(1 + m.found[v].squaredNorm() / (kMostSwing * kMostSwing));
  m.law->apply(m.volume, m.placed, {}, kVolumeSteps);
  for (std::size_t v = 0; v < m.rest.size(); ++v) displacements[v] += m.placed[v] - m.rest[v];
}

}  // namespace pneuma::skin
