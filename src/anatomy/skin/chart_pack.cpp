#include "anatomy/skin/chart_pack.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "anatomy/skin/symmetric_mesh.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kRows = 256, kColumns = kRows / 2;  ///< of the half square
constexpr int kGap = 1;                           ///< free cells around a chart: 4 texels of 1024
constexpr int kBisections = 12;

/// Cells of a grid, one byte each.
struct Mask {
  int columns = 0, rows = 0;
  std::vector<char> cells;
  Mask(int c, int r) : columns(c), rows(r), cells(static_cast<std::size_t>(c * r), 0) {}
  char& operator()(int c, int r) { return cells[static_cast<std::size_t>(r * columns + c)]; }
  char operator()(int c, int r) const { return cells[static_cast<std::size_t>(r * columns + c)]; }
};

struct Bounds {
  Vec2 min = Vec2::Constant(1e300), max = Vec2::Constant(-1e300);
};

Bounds boundsOf(const FlatChart& chart) {
  Bounds b;
  for (const Vec2& p : chart.points) b.min = b.min.cwiseMin(p), b.max = b.max.cwiseMax(p);
  if (chart.atWall) b.min.x() = 0;
  return b;
}

/// The cells a chart touches, and a gap around them. Its lower left corner lies kGap cells inside.
Mask maskOf(const FlatChart& chart, const Bounds& b, double scale) {
  const Vec2 size = scale * kRows * (b.max - b.min);
  Mask mask(static_cast<int>(size.x()) + 2 + 2 * kGap, static_cast<int>(size.y()) + 2 + 2 * kGap);
  const auto mark = [&](const Vec2& p) {
    const Vec2 q = scale * kRows * (p - b.min);
    const int c = static_cast<int>(q.x()), r = static_cast<int>(q.y());
    for (int i = 0; i <= 2 * kGap; ++i)
      for (int j = 0; j <= 2 * kGap; ++j) mask(c + i, r + j) = 1;
  };
  for (const Triangle& t : chart.triangles) {
    const Vec2 &a = chart.points[at(t[0])], &ab = chart.points[at(t[1])] - a,
               ac = chart.points[at(t[2])] - a;
    // Samples denser than the cells; what slips between is covered by the gap.
    const double longest = std::max({ab.norm(), ac.norm(), (ab - ac).norm()});
    const int n = 1 + static_cast<int>(std::ceil(2 * scale * kRows * longest));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) mark(a + (i * ab + j * ac) / n);
  }
  return mask;
}

bool fits(const Mask& sheet, const Mask& mask, int column, int row) {
  for (int r = 0; r < mask.rows; ++r)
    for (int c = 0; c < mask.columns; ++c)
      if (mask(c, r) && column + c >= 0 && sheet(column + c, row + r)) return false;
  return true;
}

/// All charts at that scale, or nothing when they do not fit.
std::optional<ChartLayout> place(const std::vector<FlatChart>& charts,
                                 const std::vector<std::size_t>& order, double scale) {
  Mask sheet(kColumns, kRows);
  ChartLayout layout{scale, std::vector<Vec2>(charts.size())};
  for (const std::size_t k : order) {
    const FlatChart& chart = charts[k];
    const Bounds b = boundsOf(chart);
    const Mask mask = maskOf(chart, b, scale);
    // At the wall the gap on the left falls outside.
    const int first = chart.atWall ? -kGap : 0;
    const int lastColumn = chart.atWall ? first : kColumns - mask.columns;
    bool placed = false;
    for (int r = 0; r + mask.rows <= kRows && !placed; ++r)
      for (int c = first; c <= lastColumn && !placed; ++c) {
        if (c + mask.columns > kColumns || !fits(sheet, mask, c, r)) continue;
        for (int j = 0; j < mask.rows; ++j)
          for (int i = 0; i < mask.columns; ++i)
            if (mask(i, j) && c + i >= 0) sheet(c + i, r + j) = 1;
        layout.offset[k] = Vec2(c + kGap, r + kGap) / kRows - scale * b.min;
        placed = true;
      }
    if (!placed) return std::nullopt;
  }
  return layout;
}

double areaOf(const FlatChart& chart) {
  const Bounds b = boundsOf(chart);
  return (b.max - b.min).prod();
}

}  // namespace

ChartLayout packed(const std::vector<FlatChart>& charts) {
  std::vector<std::size_t> order(charts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Those at the wall have the least choice.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (charts[a].atWall != charts[b].atWall) return charts[a].atWall;
    return areaOf(charts[a]) > areaOf(charts[b]);
  });
  double total = 0;
  for (const FlatChart& chart : charts) total += areaOf(chart);
  double low = 0, high = std::sqrt(0.5 / total) * 1.3;
  ChartLayout best;
  for (int k = 0; k < kBisections; ++k) {
    const double scale = 0.5 * (low + high);
    if (std::optional<ChartLayout> layout = place(charts, order, scale)) {
      best = std::move(*layout);
      low = scale;
    } else {
      high = scale;
    }
  }
  return best;
}

}  // namespace pneuma::anatomy::internal
