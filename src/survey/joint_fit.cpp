#include "survey/joint_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/spatial.h"

namespace pneuma::survey::internal {

namespace {

/// Least cosine between the normal of a piece and the opposite of the other surface's normal.
constexpr double kOpposed = 0.3;

Axis leastSquaresAxis(const std::vector<SurfaceSample>& samples) {
  const Vec3 middle = meanPosition(samples);
  Mat6 m = Mat6::Zero();
  for (const SurfaceSample& s : samples) {
    Vec6 row;
    row << (s.position - middle).cross(s.normal), s.normal;
    m += s.area * row * row.transpose();
  }
  // c = -Mcc^-1 Mca a leaves a quadratic form of a alone.
  const Mat3 caToC = -m.block<3, 3>(3, 3).ldlt().solve(Mat3(m.block<3, 3>(3, 0)));
  const Mat3 reduced = m.block<3, 3>(0, 0) + m.block<3, 3>(0, 3) * caToC;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(0.5 * (reduced + reduced.transpose()));
  Axis axis;
  axis.direction = solver.eigenvectors().col(0);
  axis.point = middle + axis.direction.cross(caToC * axis.direction);
  return axis;
}

/// Sine of the angle between a normal and the plane through its place and the axis.
double missedBy(const Axis& axis, const SurfaceSample& s) {
  const Vec3 tangent = axis.direction.cross(s.position - axis.point);
  const double arm = tangent.norm();
  return arm > 1e-9 ? std::abs(tangent.dot(s.normal)) / arm : 0.0;
}

double rmsAngle(const Axis& axis, const std::vector<SurfaceSample>& samples) {
  double sum = 0, area = 0;
  for (const SurfaceSample& s : samples) {
    sum += s.area * missedBy(axis, s) * missedBy(axis, s);
    area += s.area;
  }
  return std::sqrt(sum / area);
}

}  // namespace

std::vector<SurfaceSample> surfaceSamples(const TriangleMesh& mesh, double spacing) {
  std::vector<SurfaceSample> samples;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vec3 u = mesh.positions[static_cast<std::size_t>(t[1])] - a;
    const Vec3 v = mesh.positions[static_cast<std::size_t>(t[2])] - a;
    const Vec3 cross = u.cross(v);
    const double area = 0.5 * cross.norm();
    if (area <= 0) continue;
    const double longest = std::max({u.norm(), v.norm(), (u - v).norm()});
    const int n = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, 64);
    // n^2 equal parts: upright ones at (i, j), between them those on their heads.
    const auto add = [&](double i, double j) {
      samples.push_back({a + (i / n) * u + (j / n) * v, cross / (2 * area), area / (n * n)});
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        add(i + 1.0 / 3, j + 1.0 / 3);
        if (i + j + 1 < n) add(i + 2.0 / 3, j + 2.0 / 3);
      }
  }
  return samples;
}

double gapBetween(const std::vector<SurfaceSample>& samples, const SurfaceQuery& other) {
  double gap = 1e300;
  for (const SurfaceSample& s : samples) gap = std::min(gap, other.closest(s.position).distance);
  return gap;
}

std::vector<SurfaceSample> facingSamples(const std::vector<SurfaceSample>& samples,
                                         const SurfaceQuery& other, double reach) {
  const std::vector<Vec3> normals = triangleNormals(other.mesh());
  std::vector<SurfaceSample> facing;
  for (const SurfaceSample& s : samples) {
    const SurfaceQuery::Hit hit = other.closest(s.position);
    if (hit.distance <= reach &&
        s.normal.dot(normals[static_cast<std::size_t>(hit.triangle)]) < -kOpposed)
      facing.push_back(s);
  }
  return facing;
}

Vec3 meanPosition(const std::vector<SurfaceSample>& samples) {
  Vec3 sum = Vec3::Zero();
  double area = 0;
  for (const SurfaceSample& s : samples) {
    sum += s.area * s.position;
    area += s.area;
  }
  if (area <= 0)
    throw InputError(Diagnostic{.message = "the two surfaces of a joint do not face each other"});
  return sum / area;
}

Contact findContact(const SurfaceQuery& a, const SurfaceQuery& b,
                    const std::function<bool(const Vec3&)>& within, double slack) {
  const auto samplesOf = [&](const SurfaceQuery& q) {
    std::vector<SurfaceSample> samples = surfaceSamples(q.mesh());
    if (within) std::erase_if(samples, [&](const SurfaceSample& s) { return !within(s.position); });
    return samples;
  };
  const std::vector<SurfaceSample> of = samplesOf(a), on = samplesOf(b);
  const double gap = gapBetween(of, b);
  std::vector<SurfaceSample> ofA, onB;
  for (int widened = 0; widened < 6 && (ofA.empty() || onB.empty()); ++widened, slack *= 1.5) {
    ofA = facingSamples(of, b, gap + slack);
    onB = facingSamples(on, a, gap + slack);
  }
  return {0.5 * (meanPosition(ofA) + meanPosition(onB)), gap};
}

Axis fitRevolution(std::vector<SurfaceSample> samples) {
  Axis axis = leastSquaresAxis(samples);
  for (int pass = 0; pass < 5; ++pass) {
    const double allowed = 2.5 * rmsAngle(axis, samples);
    std::erase_if(samples, [&](const SurfaceSample& s) { return missedBy(axis, s) > allowed; });
    axis = leastSquaresAxis(samples);
  }
  axis.rms = rmsAngle(axis, samples);
  return axis;
}

}  // namespace pneuma::survey::internal
