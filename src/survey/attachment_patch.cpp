// The patch of a muscle on a bone and the points taken from it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/survey/measure_attachments.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

constexpr double kSampleArea = 4e-6;      // of the muscle's surface [m^2]
constexpr double kSmallestPatch = 12e-6;  // [m^2]
constexpr double kFarthest = 0.06;        // beyond this a muscle does not touch [m]
constexpr double kCentre = 0.004;         // the middle of a part is averaged over this radius [m]
constexpr double kEdgeShare = 0.1;

/// A piece of the muscle's surface, and later of the patch.
struct Sample {
  Vec3 position = Vec3::Zero();
  Vec3 normal = Vec3::Zero();
  double area = 0;
};

/// Centres of equal parts of every triangle, none larger than kSampleArea.
std::vector<Sample> sampleSurface(const TriangleMesh& mesh, const Box& box) {
  std::vector<Sample> samples;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[static_cast<std::size_t>(t[0])],
               &b = mesh.positions[static_cast<std::size_t>(t[1])],
               &c = mesh.positions[static_cast<std::size_t>(t[2])];
    Box own;
    own.add(a), own.add(b), own.add(c);
    if ((own.min.array() > box.max.array()).any() || (own.max.array() < box.min.array()).any())
      continue;
    const double area = triangleArea(a, b, c);
    const int n = std::max(1, static_cast<int>(std::ceil(std::sqrt(area / kSampleArea))));
    const Vec3 u = (b - a) / n, v = (c - a) / n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        const Vec3 corner = a + i * u + j * v;
        samples.push_back({corner + (u + v) / 3, Vec3::Zero(), area / (n * n)});
        if (i + j + 2 <= n)
          samples.push_back({corner + (u + v) * (2.0 / 3), Vec3::Zero(), area / (n * n)});
      }
  }
  return samples;
}

double totalArea(std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample& s : samples) sum += s.area;
  return sum;
}

Vec3 normalOf(const TriangleMesh& mesh, int triangle) {
  const Triangle& t = mesh.triangles[static_cast<std::size_t>(triangle)];
  const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
  return (at(1) - at(0)).cross(at(2) - at(0)).normalized();
}

/// The samples within reach, moved onto the bone.
std::vector<Sample> touching(const SurfaceQuery& bone, const TriangleMesh& muscle, double reach) {
  Box box = boundingBox(bone.mesh().positions);
  box.min.array() -= reach, box.max.array() += reach;
  std::vector<Sample> patch;
  for (const Sample& s : sampleSurface(muscle, box)) {
    const SurfaceQuery::Hit hit = bone.closest(s.position);
    if (hit.distance < reach)
      patch.push_back({hit.point, normalOf(bone.mesh(), hit.triangle), s.area});
  }
  return patch;
}

void sortAlong(std::vector<Sample>& samples, const Vec3& direction) {
  std::stable_sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) {
    return a.position.dot(direction) < b.position.dot(direction);
  });
}

/// The stretch of sorted samples between two fractions of their area; never empty.
std::vector<Sample> stretch(std::span<const Sample> sorted, double from, double to) {
  const double total = totalArea(sorted);
  std::vector<Sample> kept;
  double passed = 0;
  for (const Sample& s : sorted) {
    const double middle = (passed + 0.5 * s.area) / total;
    if (middle >= from && middle <= to) kept.push_back(s);
    passed += s.area;
  }
  if (kept.empty()) {
    const auto index =
        static_cast<std::size_t>(0.5 * (from + to) * static_cast<double>(sorted.size()));
    kept.push_back(sorted[std::min(index, sorted.size() - 1)]);
  }
  return kept;
}

SurfacePoint meanOf(std::span<const Sample> samples) {
  SurfacePoint mean;
  for (const Sample& s : samples)
    mean.position += s.area * s.position, mean.normal += s.area * s.normal;
  mean.position /= totalArea(samples);
  mean.normal.normalize();
  return mean;
}

/// The middle of a part: of the samples around the one nearest to the mean, because the mean itself
/// of a bent patch can lie on the other side of a thin bone.
SurfacePoint centreOf(std::span<const Sample> part) {
  const Vec3 mean = meanOf(part).position;
  const auto nearest =
      std::min_element(part.begin(), part.end(), [&](const Sample& a, const Sample& b) {
        return (a.position - mean).squaredNorm() < (b.position - mean).squaredNorm();
      });
  std::vector<Sample> around;
  for (const Sample& s : part)
    if ((s.position - nearest->position).norm() < kCentre && s.normal.dot(nearest->normal) > 0)
      around.push_back(s);
  return meanOf(around);
}

}  // namespace

std::vector<SurfacePoint> measurePatch(const SurfaceQuery& bone, const TriangleMesh& muscle,
                                       const PatchRule& rule) {
  std::vector<Sample> patch;
  for (double reach = rule.reach; totalArea(patch) < kSmallestPatch; reach *= 1.3) {
    if (reach > kFarthest) throw InputError("the muscle comes nowhere within 60 mm of the bone");
    patch = touching(bone, muscle, reach);
  }
  sortAlong(patch, rule.along);
  patch = stretch(patch, rule.from, rule.to);
  std::vector<SurfacePoint> points;
  for (int i = 0; i < rule.count; ++i) {
    std::vector<Sample> part = stretch(patch, static_cast<double>(i) / rule.count,
                                       static_cast<double>(i + 1) / rule.count);
    if (!rule.edge.isZero()) {
      sortAlong(part, rule.edge);
      part = stretch(part, 1 - kEdgeShare, 1);
    }
    points.push_back(centreOf(part));
  }
  return points;
}

SurfacePoint moveOnto(const SurfaceQuery& surface, const SurfacePoint& measured) {
  constexpr double kReach = 0.008;   // along the normal, either way [m]
  constexpr double kPrefer = 0.002;  // how much farther than the closest place [m]
  SurfaceQuery::Hit place = surface.closest(measured.position);
  if (!measured.normal.isZero())
    if (const auto hit = surface.firstHit(measured.position + kReach * measured.normal,
                                          -measured.normal, 2 * kReach))
      if ((hit->point - measured.position).norm() < place.distance + kPrefer) place = *hit;
  return {place.point, normalOf(surface.mesh(), place.triangle)};
}

}  // namespace pneuma::survey
