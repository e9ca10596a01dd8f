#include "survey/measure_plate.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "survey/fill_enclosed.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

using pneuma::internal::quantile;

/// The thin middle of a bone: its inside nodes in the plate's own axes (along, across, normal).
class PlateSamples {
 public:
  /// Weighted mean of the samples around a place.
  struct Mean {
    Vec3 position;  ///< on the middle surface
    double half;    ///< thickness [m]
  };

  PlateSamples(const DistanceVolume& volume, double thickness) {
    const DistanceVolume depth = depthNearby(volume, thickness);
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < volume.values().size(); ++i)
      if (volume.at(i) < 0.25 * volume.cell() && depth.at(i) < 0.5 * thickness) {
        points.push_back(volume.position(i));
        samples_.push_back({Vec3::Zero(), depth.at(i)});
        origin_ += points.back();
      }
    if (points.empty()) return;
    origin_ /= static_cast<double>(points.size());
    Mat3 covariance = Mat3::Zero();
    for (const Vec3& p : points) covariance += (p - origin_) * (p - origin_).transpose();
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(covariance);
    axes_ << eigen.eigenvectors().col(2), eigen.eigenvectors().col(1), eigen.eigenvectors().col(0);
    for (std::size_t i = 0; i < points.size(); ++i)
      samples_[i].local = axes_.transpose() * (points[i] - origin_);
  }

  std::size_t size() const { return samples_.size(); }

  Mean meanAround(double along, double across) const {
    constexpr double kReach = 0.005;  // standard deviation of the weights [m]
    double sum = 1e-12, height = 0, half = 0;
    for (const Sample& s : samples_) {
      const double d2 = Vec2(s.local.x() - along, s.local.y() - across).squaredNorm();
      const double weight = std::exp(-d2 / (2 * kReach * kReach));
      sum += weight, height += weight * s.local.z(), half += weight * s.depth;
    }
    return {origin_ + axes_ * Vec3(along, across, height / sum), half / sum};
  }

  /// Places of all samples along the plate.
  std::vector<double> along() const {
    std::vector<double> all;
    for (const Sample& s : samples_) all.push_back(s.local.x());
    return all;
  }
  /// Places across it of the samples within `reach` of a place along it.
  std::vector<double> across(double along, double reach) const {
    std::vector<double> all;
    for (const Sample& s : samples_)
      if (std::abs(s.local.x() - along) < reach) all.push_back(s.local.y());
    return all;
  }

 private:
  struct Sample {
    Vec3 local;
    double depth;
  };
  Vec3 origin_ = Vec3::Zero();
  Mat3 axes_ = Mat3::Identity();
  std::vector<Sample> samples_;
};

/// The plate runs on into the thick borders, so that it joins them: the farthest of nine steps to
/// that side which is still inside.
double grownEdge(const DistanceVolume& volume, const PlateSamples& samples, double along,
                 double across, double side) {
  double grown = across;
  for (int k = 1; k <= 9; ++k) {
    const double w = across + 0.002 * k * side;
    if (volume.sample(samples.meanAround(along, w).position) < 0) grown = w;
  }
  return grown;
}

}  // namespace

ShapePart measurePlate(const DistanceVolume& volume, int rows, int columns, double thickness,
                       double thinnest) {
  ShapePart plate;
  plate.kind = ShapeKind::Plate;
  const PlateSamples samples(volume, thickness);
  if (samples.size() < 100) return plate;
  plate.rows = rows;
  plate.columns = columns;
  const std::vector<double> along = samples.along();
  const double low = quantile(along, 0.005), high = quantile(along, 0.995);
  const double step = (high - low) / (rows - 1);
  for (int r = 0; r < rows; ++r) {
    const double t = low + step * r;
    const std::vector<double> across = samples.across(t, 0.35 * step);
    const double from =
        grownEdge(volume, samples, t, across.empty() ? 0 : quantile(across, 0.02), -1);
    const double to = grownEdge(volume, samples, t, across.empty() ? 0 : quantile(across, 0.98), 1);
    for (int c = 0; c < columns; ++c) {
      const double w = from + (to - from) * c / (columns - 1);
      const PlateSamples::Mean middle = samples.meanAround(t, w);
      plate.grid.push_back(middle.position);
      plate.thickness.push_back(std::max(2 * middle.half, thinnest));
    }
  }
  return plate;
}

}  // namespace pneuma::survey::internal
