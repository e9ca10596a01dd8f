#include "pneuma/flesh/belly_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::flesh {
namespace {

void checkSize(int slices, int around) {
  if (slices < 1 || around < 3 || slices > 10000 || around > 10000)
    throw InputError(Diagnostic{.field = "resolution",
                                .message = fmt::format("{} slices of {} points", slices, around),
                                .expected = "at least 1 slice and 3 points around"});
}

/// Centre of the cross-section of a mesh with a plane: mean of the cut segments, weighted by
/// length.
std::optional<Vec3> sectionCentre(const TriangleMesh& mesh, const Vec3& point, const Vec3& normal) {
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (const Triangle& t : mesh.triangles) {
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = normal.dot(mesh.positions[t[k]] - point);
    Vec3 cut[2];
    int cuts = 0;
    for (int k = 0; k < 3 && cuts < 2; ++k) {
      const int n = (k + 1) % 3;
      if ((d[k] < 0) == (d[n] < 0)) continue;
      const double s = d[k] / (d[k] - d[n]);
      cut[cuts++] = (1 - s) * mesh.positions[t[k]] + s * mesh.positions[t[n]];
    }
    if (cuts < 2) continue;
    const double weight = (cut[1] - cut[0]).norm();
    sum += weight * 0.5 * (cut[0] + cut[1]);
    total += weight;
  }
  if (!(total > 0)) return std::nullopt;
  return Vec3(sum / total);
}

/// The muscle's extent along its line: extreme vertices along the first and the last direction.
struct Extent {
  Vec3 start, end;
};

Extent findExtent(const TriangleMesh& mesh, const ActionLine& line) {
  const Vec3 forward = (line.pointAt(line.length()) - line.pointAt(0)).normalized();
  Extent extent{mesh.positions.front(), mesh.positions.front()};
  for (const Vec3& p : mesh.positions) {
    if (forward.dot(p) < forward.dot(extent.start)) extent.start = p;
    if (forward.dot(p) > forward.dot(extent.end)) extent.end = p;
  }
  return extent;
}

/// Arc length at which a line comes nearest to a point, to a thousandth of its length.
double nearestArc(const ActionLine& line, const Vec3& point) {
  constexpr int kPlaces = 1000;
  double best = 0, least = (line.pointAt(0) - point).squaredNorm();
  for (int i = 1; i <= kPlaces; ++i) {
    const double s = line.length() * i / kPlaces;
    const double d = (line.pointAt(s) - point).squaredNorm();
    if (d < least) least = d, best = s;
  }
  return best;
}

/// Rays of one slice; -1 where a ray found nothing.
std::vector<double> castSlice(const SurfaceQuery& query, const Pose& frame, int around,
                              double reach) {
  std::vector<double> radii;
  for (int a = 0; a < around; ++a) {
    const double angle = 2 * kPi * a / around;
    const Vec3 direction = frame.rotation * Vec3(std::cos(angle), std::sin(angle), 0);
    const auto hit = query.lastHit(frame.position, direction, reach);
    radii.push_back(hit ? hit->distance : -1);
  }
  return radii;
}

/// Missing radii take the mean of the nearest known ones on either side. Returns how many were
/// missing.
int fillMisses(std::vector<double>& radii) {
  const auto n = static_cast<int>(radii.size());
  const std::vector<double> known = radii;
  if (std::all_of(known.begin(), known.end(), [](double r) { return r < 0; })) {
    std::fill(radii.begin(), radii.end(), 0.0);
    return n;
  }
  int misses = 0;
  for (int a = 0; a < n; ++a) {
    if (known[static_cast<std::size_t>(a)] >= 0) continue;
    ++misses;
    int before = a, after = a;
    do before = (before + n - 1) % n;
    while (known[static_cast<std::size_t>(before)] < 0);
    do after = (after + 1) % n;
    while (known[static_cast<std::size_t>(after)] < 0);
    radii[static_cast<std::size_t>(a)] =
        0.5 * (known[static_cast<std::size_t>(before)] + known[static_cast<std::size_t>(after)]);
  }
  return misses;
}

ResamplingLoss measureLoss(const TriangleMesh& muscle, const SurfaceQuery& original,
                           const BellyGrid& grid) {
  const TriangleMesh resampled = bellyMesh(grid);
  const SurfaceQuery query(resampled);
  ResamplingLoss loss;
  loss.volumeRatio = enclosedVolume(resampled) / enclosedVolume(muscle);
  for (const Vec3& p : muscle.positions) {
    const double d = query.closest(p).distance;
    loss.hausdorff = std::max(loss.hausdorff, d);
    loss.meanDistance += d / static_cast<double>(muscle.positions.size());
  }
  for (const Vec3& p : resampled.positions)
    loss.hausdorff = std::max(loss.hausdorff, original.closest(p).distance);
  return loss;
}

}  // namespace

std::vector<Triangle> bellyTriangles(int slices, int around) {
  checkSize(slices, around);
  const BellyGrid grid{slices, around, {}};
  std::vector<Triangle> triangles;
  for (int a = 0; a < around; ++a) {
    const int b = (a + 1) % around;
    triangles.push_back({grid.startPole(), grid.index(0, b), grid.index(0, a)});
    for (int s = 0; s + 1 < slices; ++s) {
      triangles.push_back({grid.index(s, a), grid.index(s, b), grid.index(s + 1, a)});
      triangles.push_back({grid.index(s, b), grid.index(s + 1, b), grid.index(s + 1, a)});
    }
    triangles.push_back({grid.index(slices - 1, a), grid.index(slices - 1, b), grid.endPole()});
  }
  return triangles;
}

TriangleMesh bellyMesh(const BellyGrid& grid) {
  return {grid.points, bellyTriangles(grid.slices, grid.around)};
}

ResampledBelly resampleBelly(const TriangleMesh& muscle, const ActionLine& line, int slices,
                             int around) {
  checkSize(slices, around);
  if (!analyzeTopology(muscle).watertight())
    throw InputError("a muscle must be a closed surface to be resampled");
  const SurfaceQuery query(muscle);
  const Extent extent = findExtent(muscle, line);
  const double reach = boundingBox(muscle.positions).size().norm();

  // Slices stand evenly between the extremities, across the part of the line that comes nearest to
  // them.
  const double from = nearestArc(line, extent.start), to = nearestArc(line, extent.end);
  const ActionLine covered(std::vector<Vec3>(line.points().begin(), line.points().end()), from,
                           line.length() - std::max(from, to));
  std::vector<Pose> frames;
  covered.bellyFrames(slices + 2, Vec3::UnitZ(), frames);

  ResampledBelly result;
  result.grid = {slices, around, {}};
  result.grid.points.push_back(extent.start);
  int misses = 0;
  for (int s = 0; s < slices; ++s) {
    Pose frame = frames[static_cast<std::size_t>(s + 1)];
    if (!query.inside(frame.position)) {
      const auto centre = sectionCentre(muscle, frame.position, frame.rotation.col(2));
      if (centre) frame.position = *centre;
    }
    std::vector<double> radii = castSlice(query, frame, around, reach);
    misses += fillMisses(radii);
    for (int a = 0; a < around; ++a) {
      const double angle = 2 * kPi * a / around;
      result.grid.points.push_back(frame * Vec3(radii[static_cast<std::size_t>(a)] *
                                                Vec3(std::cos(angle), std::sin(angle), 0)));
    }
  }
  result.grid.points.push_back(extent.end);
  result.loss = measureLoss(muscle, query, result.grid);
  result.loss.misses = misses;
  return result;
}

BellyGrid makeFusiform(const ActionLine& line, double maxRadius, double exponent, int slices,
                       int around) {
  checkSize(slices, around);
  std::vector<Pose> frames;
  line.bellyFrames(slices + 2, Vec3::UnitZ(), frames);
  BellyGrid grid{slices, around, {frames.front().position}};
  for (int s = 0; s < slices; ++s) {
    const double t = static_cast<double>(s + 1) / (slices + 1);
    const double radius = maxRadius * std::pow(std::sin(kPi * t), exponent);
    for (int a = 0; a < around; ++a) {
      const double angle = 2 * kPi * a / around;
      grid.points.push_back(frames[static_cast<std::size_t>(s + 1)] *
                            Vec3(radius * std::cos(angle), radius * std::sin(angle), 0));
    }
  }
  grid.points.push_back(frames.back().position);
  return grid;
}

BellyGrid refineBelly(const BellyGrid& grid, int factor) {
  checkSize(grid.slices, grid.around);
  if (factor <= 1) return grid;
  const auto point = [&](int row, int a) -> const Vec3& {
    if (row <= 0) return grid.points.front();
    if (row > grid.slices) return grid.points.back();
    return grid
        .points[static_cast<std::size_t>(grid.index(row - 1, (a + grid.around) % grid.around))];
  };
  const auto between = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double t) {
    return Vec3(b +
                0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
  };
  // Around each ring first, then along the line; beyond an extremity lies the opposite side.
  const auto onRing = [&](int row, int fine) {
    const int a = fine / factor;
    const double t = static_cast<double>(fine % factor) / factor;
    return between(point(row, a - 1), point(row, a), point(row, a + 1), point(row, a + 2), t);
  };
  const int around = factor * grid.around, opposite = around / 2;
  const auto beyond = [&](int row, int fine) {
    if (row < 0) return onRing(1, (fine + opposite) % around);
    if (row > grid.slices + 1) return onRing(grid.slices, (fine + opposite) % around);
    return onRing(row, fine);
  };
  BellyGrid fine{factor * (grid.slices + 1) - 1, around, {grid.points.front()}};
  for (int s = 1; s <= fine.slices; ++s) {
    const int row = s / factor;
    const double t = static_cast<double>(s % factor) / factor;
    for (int a = 0; a < around; ++a)
      fine.points.push_back(
          between(beyond(row - 1, a), beyond(row, a), beyond(row + 1, a), beyond(row + 2, a), t));
  }
  fine.points.push_back(grid.points.back());
  return fine;
}

}  // namespace pneuma::flesh
