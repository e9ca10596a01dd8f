#include "anatomy/measure_plate.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "anatomy/fill_enclosed.h"

namespace pneuma::anatomy::internal {
namespace {

/// An inside node of the plate in the plate's own axes (along, across, normal) and its depth.
struct PlateSample {
  Vec3 local;
  double depth;
};

/// Value below which a share of the numbers lies.
double quantile(std::vector<double> values, double share) {
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

}  // namespace

ShapePart measurePlate(const DistanceVolume& volume, int rows, int columns, double thickness,
                       double thinnest) {
  const DistanceVolume depth = depthNearby(volume, thickness);
  std::vector<Vec3> points;
  std::vector<double> depths;
  Vec3 mean = Vec3::Zero();
  for (std::size_t i = 0; i < volume.values().size(); ++i)
    if (volume.at(i) < 0.25 * volume.cell() && depth.at(i) < 0.5 * thickness) {
      points.push_back(volume.position(i));
      depths.push_back(depth.at(i));
      mean += points.back();
    }
  ShapePart plate;
  plate.kind = ShapeKind::Plate;
  if (points.size() < 100) return plate;
  mean /= static_cast<double>(points.size());
  Mat3 covariance = Mat3::Zero();
  for (const Vec3& p : points) covariance += (p - mean) * (p - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(covariance);
  Mat3 axes;
  axes << eigen.eigenvectors().col(2), eigen.eigenvectors().col(1), eigen.eigenvectors().col(0);

  std::vector<PlateSample> samples;
  std::vector<double> along;
  for (std::size_t i = 0; i < points.size(); ++i) {
    samples.push_back({axes.transpose() * (points[i] - mean), depths[i]});
    along.push_back(samples.back().local.x());
  }
  const double low = quantile(along, 0.005), high = quantile(along, 0.995);
  const double step = (high - low) / (rows - 1);
  const auto middle = [&](double t, double w) {
    double sum = 1e-12, height = 0;
    for (const PlateSample& s : samples) {
      const double weight =
          std::exp(-(Vec2(s.local.x() - t, s.local.y() - w)).squaredNorm() / (2 * 0.005 * 0.005));
      sum += weight, height += weight * s.local.z();
    }
    return Vec3(mean + axes * Vec3(t, w, height / sum));
  };
  const auto grownEdge = [&](double t, double w, double sign) {
    double grown = w;
    for (int k = 1; k <= 9; ++k)
      if (volume.sample(middle(t, w + 0.002 * k * sign)) < 0) grown = w + 0.002 * k * sign;
    return grown;
  };
  plate.rows = rows;
  plate.columns = columns;
  for (int r = 0; r < rows; ++r) {
    const double t = low + step * r;
    std::vector<double> across;
    for (const PlateSample& s : samples)
      if (std::abs(s.local.x() - t) < 0.35 * step) across.push_back(s.local.y());
    double from = across.empty() ? 0 : quantile(across, 0.02);
    double to = across.empty() ? 0 : quantile(across, 0.98);
    // The plate runs on into the thick borders, so that it joins them.
    from = grownEdge(t, from, -1);
    to = grownEdge(t, to, 1);
    for (int c = 0; c < columns; ++c) {
      const double w = from + (to - from) * c / (columns - 1);
      // Weighted mean of the middle surface around (t, w).
      double sum = 1e-12, height = 0, half = 0;
      for (const PlateSample& s : samples) {
        const double d2 = (Vec2(s.local.x() - t, s.local.y() - w)).squaredNorm();
        const double weight = std::exp(-d2 / (2 * 0.005 * 0.005));
        sum += weight, height += weight * s.local.z(), half += weight * s.depth;
      }
      plate.grid.push_back(mean + axes * Vec3(t, w, height / sum));
      plate.thickness.push_back(std::max(2 * half / sum, thinnest));
    }
  }
  return plate;
}

}  // namespace pneuma::anatomy::internal
