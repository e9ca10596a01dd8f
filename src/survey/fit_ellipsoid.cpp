#include "survey/fit_ellipsoid.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

constexpr int kMixtureIterations = 12;
constexpr double kStrongestBend = 900;  ///< [1/m]

struct Normal {
  double weight = 0;
  Vec3 mean = Vec3::Zero();
  Mat3 covariance = Mat3::Identity();
};

/// Points far from one another, the first nearest to the mean.
std::vector<Vec3> farthestPoints(std::span<const Vec3> points, int count) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  std::vector<double> gap(points.size(), 1e300);
  std::vector<Vec3> seeds;
  Vec3 next = *std::min_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    return (a - mean).squaredNorm() < (b - mean).squaredNorm();
  });
  for (int n = 0; n < count; ++n) {
    seeds.push_back(next);
    std::size_t far = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      gap[i] = std::min(gap[i], (points[i] - next).squaredNorm());
      if (gap[i] > gap[far]) far = i;
    }
    next = points[far];
  }
  return seeds;
}

ShapePart ellipsoidOf(const Normal& n, double spacing) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(n.covariance);
  ShapePart part;
  part.kind = ShapeKind::Ellipsoid;
  part.center = n.mean;
  // Longest axis first; the bend acts along the thinnest, local z.
  for (int k = 0; k < 3; ++k) {
    part.radii[k] =
        std::max(std::sqrt(5 * std::max(eigen.eigenvalues()[2 - k], 0.0)), 0.4 * spacing);
    part.rotation.col(k) = eigen.eigenvectors().col(2 - k);
  }
  if (part.rotation.determinant() < 0) part.rotation.col(2) = -part.rotation.col(2);
  return part;
}

}  // namespace

ShapePart movedEllipsoid(const ShapePart& part, const EllipsoidDelta& delta, double thinnest,
                         double reach) {
  ShapePart m = part;
  Vec3 move = delta.head<3>();
  if (move.norm() > reach) move *= reach / move.norm();
  m.center += move;
  for (int k = 0; k < 3; ++k) {
    const double change = std::clamp(delta[3 + k] / part.radii[k], -0.33, 0.33);
    m.radii[k] = std::max(part.radii[k] * std::exp(change), thinnest);
  }
  Vec3 turn = delta.segment<3>(6) / part.radii.maxCoeff();
  if (turn.norm() > 0.5) turn *= 0.5 / turn.norm();
  if (turn.norm() > 0)
    m.rotation =
        part.rotation * Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  const double rx = m.radii.x(), ry = m.radii.y();
  const Vec3 perRise(2 / (rx * rx), 2 / (ry * ry), 1 / (rx * ry));
  for (int k = 0; k < 3; ++k) {
    // A rise of half the radius keeps the ellipsoid a simple arch.
    const double most = std::min(kStrongestBend, 0.5 * perRise[k] * std::min(rx, k == 0 ? rx : ry));
    m.bend[k] = std::clamp(part.bend[k] + delta[9 + k] * perRise[k], -most, most);
  }
  return m;
}

std::vector<std::unique_ptr<PartField>> shiftedFields(const ShapePart& part) {
  std::vector<std::unique_ptr<PartField>> fields;
  for (int k = 0; k < kEllipsoidParameters; ++k) {
    EllipsoidDelta delta = EllipsoidDelta::Zero();
    delta[k] = kEllipsoidStep;
    fields.push_back(makePartField(movedEllipsoid(part, delta, 0, 1)));
  }
  return fields;
}

std::vector<ShapePart> mixtureEllipsoids(std::span<const Vec3> points,
                                         std::span<const double> weights, int count,
                                         double spacing) {
  std::vector<ShapePart> parts;
  if (points.empty() || count < 1) return parts;
  const double floor = spacing * spacing / 12;
  std::vector<Normal> mixture;
  const double spread = std::cbrt(static_cast<double>(points.size()) / count) * spacing;
  for (const Vec3& seed : farthestPoints(points, count))
    mixture.push_back({1.0 / count, seed, Mat3::Identity() * spread * spread * 0.2});

  std::vector<double> share(static_cast<std::size_t>(count));
  for (int it = 0; it < (count > 1 ? kMixtureIterations : 1); ++it) {
    std::vector<Normal> sums(mixture.size(), {0, Vec3::Zero(), Mat3::Zero()});
    std::vector<Mat3> inverse;
    std::vector<double> factor;
    for (const Normal& n : mixture) {
      inverse.push_back(n.covariance.inverse());
      factor.push_back(n.weight / std::sqrt(std::max(n.covariance.determinant(), 1e-40)));
    }
    double all = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double total = 1e-300;
      for (std::size_t m = 0; m < mixture.size(); ++m) {
        const Vec3 d = points[i] - mixture[m].mean;
        share[m] = factor[m] * std::exp(-0.5 * d.dot(inverse[m] * d));
        total += share[m];
      }
      for (std::size_t m = 0; m < mixture.size(); ++m) {
        const double w = count > 1 ? weights[i] * share[m] / total : weights[i];
        if (w < 1e-12) continue;
        sums[m].weight += w;
        sums[m].mean += w * points[i];
        sums[m].covariance += w * points[i] * points[i].transpose();
      }
      all += weights[i];
    }
    for (std::size_t m = 0; m < mixture.size(); ++m) {
      if (sums[m].weight < 1e-9 * all) continue;
      mixture[m].mean = sums[m].mean / sums[m].weight;
      mixture[m].covariance = sums[m].covariance / sums[m].weight -
                              mixture[m].mean * mixture[m].mean.transpose() +
                              floor * Mat3::Identity();
      mixture[m].weight = sums[m].weight / all;
    }
  }
  for (const Normal& n : mixture) parts.push_back(ellipsoidOf(n, spacing));
  return parts;
}

}  // namespace pneuma::survey::internal
