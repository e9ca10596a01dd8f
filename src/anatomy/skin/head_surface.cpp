#include "anatomy/skin/head_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "anatomy/shape/smooth_step.h"
#include "anatomy/skin/symmetric_mesh.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/index.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kDetailRadius = 0.03, kMostDetail = 5;  ///< [m], [-]
constexpr int kOutwardSmoothing = 12;                    ///< passes over the table
/// Below its rim the head goes on into the neck by this, from the direction between the rim and
/// this row on, and drawn in by this share of its width.
constexpr double kSkirtLength = 0.02, kSkirtTaper = 0.1;
constexpr int kSkirtRow = 4;
constexpr double kBesideHead = 0.008;  ///< what lies farther from the head is no head [m]
constexpr double kShareFrom = 0.004, kShareTo = 0.028;  ///< distances from the rim [m]
/// Edges on the smooth skull, against those of the trunk, and at the finest places.
constexpr double kSkullLength = 0.7, kFinestLength = 0.12;

/// Weights of four neighbours at u in [0, 1] between the middle two (Catmull and Rom).
std::array<double, 4> cubicWeights(double u) {
  const double u2 = u * u, u3 = u2 * u;
  return {0.5 * (-u + 2 * u2 - u3), 0.5 * (2 - 5 * u2 + 3 * u3), 0.5 * (u + 4 * u2 - 3 * u3),
          0.5 * (-u2 + u3)};
}

}  // namespace

std::vector<double> detailDensity(const TriangleMesh& surface, double radius, double most) {
  constexpr int kSmoothing = 40;
  const std::vector<Vec3> normals = vertexNormals(surface);
  std::vector<double> density(surface.vertexCount(), 1), sum, count;
  for (const Triangle& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = at(t[k]), b = at(t[(k + 1) % 3]);
      const double bend = (normals[a] - normals[b]).norm() /
                          std::max((surface.positions[a] - surface.positions[b]).norm(), 1e-6);
      for (const std::size_t v : {a, b})
        density[v] = std::max(density[v], std::min(radius * bend, most));
    }
  for (int pass = 0; pass < kSmoothing; ++pass) {
    sum = density, count.assign(density.size(), 1);
    for (const Triangle& t : surface.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        sum[at(t[k])] += density[at(t[(k + 1) % 3])], count[at(t[k])] += 1;
        sum[at(t[k])] += density[at(t[(k + 2) % 3])], count[at(t[k])] += 1;
      }
    for (std::size_t v = 0; v < density.size(); ++v) density[v] = sum[v] / count[v];
  }
  return density;
}

// --- table -----------------------------------------------------------------------------------

HeadTable::HeadTable(const ShapePart& man, const ShapePart& woman)
    : size_(man.rows), points_{man.grid, woman.grid} {
  const auto nodes = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  for (const ShapePart* part : {&man, &woman})
    if (size_ < 8 || part->rows != size_ || part->columns != size_ || part->grid.size() != nodes)
      throw InputError("skin: the tables of the heads must be squares of one size");
  // The mid-line, whatever a file's rounding made of it.
  for (auto& list : points_)
    for (int k = 0; k < size_; ++k)
      for (const int n : {k * size_, k * size_ + size_ - 1, (size_ - 1) * size_ + k})
        list[static_cast<std::size_t>(n)].x() = 0;
  Hash64 hash;
  for (const auto& list : points_)
    for (const Vec3& p : list) hash.values({p.data(), 3});
  hash_ = hash.digest();
  detail_ = detailDensity(mesh(Sex::Male), kDetailRadius, kMostDetail);
  for (const Sex sex : {Sex::Male, Sex::Female}) {
    std::vector<Vec3>& out = outward_[sex == Sex::Female ? 1 : 0];
    const TriangleMesh surface = mesh(sex);
    out = vertexNormals(surface);
    for (int pass = 0; pass < kOutwardSmoothing; ++pass) {
      std::vector<Vec3> sum = out;
      for (const Triangle& t : surface.triangles)
        for (std::size_t k = 0; k < 3; ++k)
          sum[at(t[k])] += out[at(t[(k + 1) % 3])] + out[at(t[(k + 2) % 3])];
      for (std::size_t v = 0; v < out.size(); ++v) {
        if (surface.positions[v].x() == 0) sum[v].x() = 0;
        out[v] = sum[v].normalized();
      }
    }
  }
}

Vec3 HeadTable::node(Sex sex, int column, int row) const {
  const int last = size_ - 1;
  const auto& list = points(sex);
  const auto get = [&](int i, int j) { return list[static_cast<std::size_t>(j * size_ + i)]; };
  const auto mirrored = [](Vec3 p) { return p.x() = -p.x(), p; };
  if (column < 0) return mirrored(node(sex, -column, row));
  if (column > last) return mirrored(node(sex, 2 * last - column, row));
  if (row > last) return mirrored(node(sex, column, 2 * last - row));
  if (row < 0) return 2 * get(column, 0) - get(column, 1);
  return get(column, row);
}

Vec3 HeadTable::point(Sex sex, const Vec2& place) const {
  const Vec2 q = place.cwiseMax(0).cwiseMin(1) * static_cast<double>(size_ - 1);
  const int i = std::min(static_cast<int>(q.x()), size_ - 2),
            j = std::min(static_cast<int>(q.y()), size_ - 2);
  const std::array<double, 4> wu = cubicWeights(q.x() - i), wv = cubicWeights(q.y() - j);
  Vec3 p = Vec3::Zero();
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t a = 0; a < 4; ++a)
      p += wu[a] * wv[b] * node(sex, i - 1 + static_cast<int>(a), j - 1 + static_cast<int>(b));
  const bool midline = place.x() <= 0 || place.x() >= 1 || place.y() >= 1;
  p.x() = midline ? 0.0 : std::max(p.x(), 0.0);
  return p;
}

template <class T>
T HeadTable::bilinear(const std::vector<T>& values, const Vec2& place) const {
  const Vec2 q = place.cwiseMax(0).cwiseMin(1) * static_cast<double>(size_ - 1);
  const int i = std::min(static_cast<int>(q.x()), size_ - 2),
            j = std::min(static_cast<int>(q.y()), size_ - 2);
  const double u = q.x() - i, v = q.y() - j;
  const auto n = static_cast<std::size_t>(j * size_ + i), up = static_cast<std::size_t>(size_);
  return (1 - v) * ((1 - u) * values[n] + u * values[n + 1]) +
         v * ((1 - u) * values[n + up] + u * values[n + up + 1]);
}

Vec3 HeadTable::outward(Sex sex, const Vec2& place) const {
  return bilinear(outward_[sex == Sex::Female ? 1 : 0], place).normalized();
}

double HeadTable::detail(const Vec2& place) const {
  return bilinear(detail_, place);
}

TriangleMesh HeadTable::mesh(Sex sex) const {
  TriangleMesh mesh{points(sex), {}};
  for (int j = 0; j + 1 < size_; ++j)
    for (int i = 0; i + 1 < size_; ++i) {
      const std::int32_t a = j * size_ + i, b = a + 1, c = a + size_, d = c + 1;
      const auto length = [&](std::int32_t p, std::int32_t q) {
        return (mesh.positions[at(p)] - mesh.positions[at(q)]).norm();
      };
      // In the upper corners the diagonal leaves the mid-line, else the shorter one.
      const bool top = j + 2 == size_;
      const bool risingDiagonal = top && i == 0           ? false
                                  : top && i + 2 == size_ ? true
                                                          : length(a, d) <= length(b, c);
      if (risingDiagonal)
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {a, d, c}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {b, d, c}});
    }
  return mesh;
}

TriangleMesh HeadTable::solid(Sex sex) const {
  TriangleMesh half = mesh(sex);
  const auto rim = static_cast<std::int32_t>(half.vertexCount());
  // A skirt along the rim, straight on from the row above it.
  Vec3 middle = Vec3::Zero();
  for (int i = 0; i < size_; ++i) middle += points(sex)[at(i)] / size_;
  middle.x() = 0;
  for (int i = 0; i < size_; ++i) {
    const Vec3 down = (points(sex)[at(i)] - points(sex)[at(kSkirtRow * size_ + i)]).normalized();
    Vec3 p = points(sex)[at(i)] + kSkirtLength * down;
    p += kSkirtTaper * Vec3(middle.x() - p.x(), 0, middle.z() - p.z());
    if (i == 0 || i == size_ - 1) p.x() = 0;
    half.positions.push_back(p);
  }
  middle.y() -= kSkirtLength;
  half.positions.push_back(middle);
  for (std::int32_t i = 0; i + 1 < size_; ++i) {
    const std::int32_t a = rim + i, b = a + 1;
    half.triangles.insert(half.triangles.end(),
                          {{a, b, i + 1}, {a, i + 1, i}, {b, a, rim + size_}});
  }
  return joinedHalves(half).mesh;
}

// --- surface ---------------------------------------------------------------------------------

HeadSurface::HeadSurface(const HeadTable& table) : table_(table), query_(table.mesh(Sex::Male)) {
  normals_ = vertexNormals(query_.mesh());
  const int n = table.size();
  for (int j = 0; j < n; ++j) midline_.push_back(j * n);
  for (int i = 1; i < n; ++i) midline_.push_back((n - 1) * n + i);
  for (int j = n - 2; j >= 0; --j) midline_.push_back(j * n + n - 1);
  for (const std::int32_t v : midline_) {
    normals_[at(v)].x() = 0;
    normals_[at(v)].normalize();
  }
}

double HeadSurface::rimDistance(const Vec3& p) const {
  double nearest = std::numeric_limits<double>::max();
  const auto& points = mesh().positions;
  for (std::size_t i = 0; i + 1 < at(table_.size()); ++i) {
    const Vec3 d = points[i + 1] - points[i];
    const double s = std::clamp(d.dot(p - points[i]) / d.squaredNorm(), 0.0, 1.0);
    nearest = std::min(nearest, (points[i] + s * d - p).norm());
  }
  return nearest;
}

void HeadSurface::finish(Place& found, const Vec3& p) const {
  found.distance = (found.point - p).norm();
  found.normal.normalize();
  found.share =
      found.distance > kBesideHead ? 0 : smoothStep(kShareFrom, kShareTo, rimDistance(found.point));
}

HeadSurface::Place HeadSurface::onMidline(const Vec3& p) const {
  Place best;
  double nearest = std::numeric_limits<double>::max();
  const auto& points = mesh().positions;
  const auto placeOf = [&](std::int32_t v) {
    return table_.placeOf(v % table_.size(), v / table_.size());
  };
  for (std::size_t k = 0; k + 1 < midline_.size(); ++k) {
    const std::int32_t a = midline_[k], b = midline_[k + 1];
    const Vec3 d = points[at(b)] - points[at(a)];
    const double s =
        std::clamp(d.dot(p - points[at(a)]) / std::max(d.squaredNorm(), 1e-18), 0.0, 1.0);
    const Vec3 q = points[at(a)] + s * d;
    if ((q - p).squaredNorm() >= nearest) continue;
    nearest = (q - p).squaredNorm();
    best.point = q;
    best.place = (1 - s) * placeOf(a) + s * placeOf(b);
    best.normal = (1 - s) * normals_[at(a)] + s * normals_[at(b)];
  }
  finish(best, p);
  return best;
}

HeadSurface::Place HeadSurface::closest(const Vec3& p) const {
  if (p.x() == 0) return onMidline(p);
  const SurfaceQuery::Hit hit = query_.closest(p);
  const Triangle& t = mesh().triangles[at(hit.triangle)];
  const auto corner = [&](std::size_t k) { return mesh().positions[at(t[k])]; };
  const Vec3 e = corner(1) - corner(0), f = corner(2) - corner(0), d = hit.point - corner(0);
  // Weights of the corners at the closest point.
  const double ee = e.dot(e), ef = e.dot(f), ff = f.dot(f), de = d.dot(e), df = d.dot(f);
  const double area = std::max(ee * ff - ef * ef, 1e-24);
  const double w1 = std::clamp((ff * de - ef * df) / area, 0.0, 1.0),
               w2 = std::clamp((ee * df - ef * de) / area, 0.0, 1.0 - w1);
  const std::array<double, 3> w{1 - w1 - w2, w1, w2};
  Place found;
  found.point = hit.point;
  for (std::size_t k = 0; k < 3; ++k) {
    found.place += w[k] * table_.placeOf(t[k] % table_.size(), t[k] / table_.size());
    found.normal += w[k] * normals_[at(t[k])];
  }
  finish(found, p);
  return found;
}

bool HeadSurface::covers(const Vec3& p, double margin) const {
  const Place found = closest(p);
  if (found.distance > kBesideHead) return false;
  return found.place.y() > 1e-6 || rimDistance(p) < margin;
}

double HeadSurface::wantedLength(const Place& found) const {
  return std::max(kSkullLength / table_.detail(found.place), kFinestLength);
}

}  // namespace pneuma::anatomy::internal
