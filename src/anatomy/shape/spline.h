#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

/// Interpolating splines for centrelines and radii.
namespace pneuma::anatomy::internal {

/// A curve through points, C1 (Catmull-Rom tangents over chord-length knots). The parameter u runs
/// over the point index, 0 .. size - 1.
class CurveSpline {
 public:
  explicit CurveSpline(std::span<const Vec3> points);
  Eigen::Index size() const { return knots_.size(); }
  const VecX& knots() const { return knots_; }  ///< chord length up to each point [m]
  Vec3 position(double u) const;
  Vec3 tangent(double u) const;  ///< unit

 private:
  std::vector<Vec3> points_, slopes_;
  VecX knots_;
};

/// Value at index parameter u of a shape-preserving cubic through (knots, values): no overshoot
/// between samples (Fritsch-Carlson slopes).
double monotoneInterpolation(const VecX& knots, const VecX& values, double u);

/// The same with Catmull-Rom slopes: smoother, may overshoot.
double smoothInterpolation(const VecX& knots, const VecX& values, double u);

/// Points spread evenly by arc length along a polyline.
std::vector<Vec3> resampledPolyline(std::span<const Vec3> line, int count);
double polylineLength(std::span<const Vec3> line);
/// Point at arc length s from the start, clamped to the ends.
Vec3 pointAlong(std::span<const Vec3> line, double s);
/// Repeated binomial smoothing that keeps the ends.
void smoothPolyline(std::vector<Vec3>& line, int passes);
/// Distance of a point from a polyline.
double distanceToPolyline(const Vec3& p, std::span<const Vec3> line);

}  // namespace pneuma::anatomy::internal
