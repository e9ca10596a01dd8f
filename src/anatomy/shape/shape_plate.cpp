// Plates: a curved patch through a grid of points, with a thickness that varies over it.
#include <algorithm>
#include <cmath>

#include "anatomy/shape/closest_point.h"
#include "anatomy/shape/shape_field.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kSteps = 3;  ///< subdivisions of a grid cell in each direction

struct PatchPoint {
  Vec3 position;
  double half;  ///< half the thickness
};

/// Catmull-Rom through a, b, c, d between b and c.
Vec4 catmullRom(const Vec4& a, const Vec4& b, const Vec4& c, const Vec4& d, double s) {
  const Vec4 m0 = 0.5 * (c - a), m1 = 0.5 * (d - b);
  const double s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * b + (s3 - 2 * s2 + s) * m0 + (3 * s2 - 2 * s3) * c +
         (s3 - s2) * m1;
}

class PlateField final : public PartField {
 public:
  explicit PlateField(const ShapePart& part) : rows_(part.rows), columns_(part.columns) {
    for (std::size_t i = 0; i < part.grid.size(); ++i)
      nodes_.emplace_back(part.grid[i].x(), part.grid[i].y(), part.grid[i].z(),
                          0.5 * part.thickness[i]);
    for (int r = 0; r + 1 < rows_; ++r)
      for (int c = 0; c + 1 < columns_; ++c) addCell(r, c);
  }

  double distance(const Vec3& p) const override {
    // The cell with the nearest centre first: its result rules out most others.
    std::size_t first = 0;
    double gap = 1e300;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const double g = (p - cells_[c].center).squaredNorm();
      if (g < gap) gap = g, first = c;
    }
    double best = 1e300;
    for (std::size_t i = cells_[first].begin; i < cells_[first].end; ++i)
      best = std::min(best, facet(p, i));
    for (const Cell& cell : cells_) {
      if ((p - cell.center).norm() - cell.radius >= best) continue;
      for (std::size_t i = cell.begin; i < cell.end; ++i) best = std::min(best, facet(p, i));
    }
    return best;
  }

  Box bounds() const override {
    Box box;
    for (const PatchPoint& q : points_) {
      box.add(q.position - Vec3::Constant(q.half));
      box.add(q.position + Vec3::Constant(q.half));
    }
    return box;
  }

 private:
  struct Cell {
    std::size_t begin, end;  // facets
    Vec3 center;
    double radius;
  };

  double facet(const Vec3& p, std::size_t i) const {
    const PatchPoint &a = points_[3 * i], &b = points_[3 * i + 1], &c = points_[3 * i + 2];
    const Vec3 w = closestBarycentric(p, a.position, b.position, c.position);
    const Vec3 q = w[0] * a.position + w[1] * b.position + w[2] * c.position;
    return (p - q).norm() - (w[0] * a.half + w[1] * b.half + w[2] * c.half);
  }

  /// Grid node with the ends continued straight.
  Vec4 node(int r, int c) const {
    const auto at = [&](int i, int j) {
      return nodes_[static_cast<std::size_t>(i * columns_ + j)];
    };
    const auto alongRow = [&](int i) -> Vec4 {
      if (c < 0) return 2 * at(i, 0) - at(i, 1);
      if (c >= columns_) return 2 * at(i, columns_ - 1) - at(i, columns_ - 2);
      return at(i, c);
    };
    if (r < 0) return 2 * alongRow(0) - alongRow(1);
    if (r >= rows_) return 2 * alongRow(rows_ - 1) - alongRow(rows_ - 2);
    return alongRow(r);
  }

  PatchPoint patch(int r, int c, double s, double t) const {
    Vec4 line[4];
    for (int k = 0; k < 4; ++k)
      line[k] = catmullRom(node(r - 1 + k, c - 1), node(r - 1 + k, c), node(r - 1 + k, c + 1),
                           node(r - 1 + k, c + 2), t);
    const Vec4 q = catmullRom(line[0], line[1], line[2], line[3], s);
    return {q.head<3>(), std::max(q[3], 1e-4)};
  }

  void addCell(int r, int c) {
    Cell cell{points_.size() / 3, 0, Vec3::Zero(), 0};
    const auto at = [&](int i, int j) {
      return patch(r, c, static_cast<double>(i) / kSteps, static_cast<double>(j) / kSteps);
    };
    for (int i = 0; i < kSteps; ++i)
      for (int j = 0; j < kSteps; ++j) {
        points_.insert(points_.end(), {at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        points_.insert(points_.end(), {at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    cell.end = points_.size() / 3;
    cell.center = at(kSteps / 2, kSteps / 2).position;
    for (std::size_t i = 3 * cell.begin; i < 3 * cell.end; ++i)
      cell.radius =
          std::max(cell.radius, (points_[i].position - cell.center).norm() + points_[i].half);
    cells_.push_back(cell);
  }

  int rows_, columns_;
  std::vector<Vec4> nodes_;  ///< x, y, z, half thickness
  std::vector<PatchPoint> points_;
  std::vector<Cell> cells_;
};

}  // namespace

std::unique_ptr<PartField> makePlateField(const ShapePart& part) {
  return std::make_unique<PlateField>(part);
}

}  // namespace pneuma::anatomy::internal
