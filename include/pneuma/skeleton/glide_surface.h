#pragma once

#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skeleton {

/// The smooth surface that ribs span on one side of the body, for bones that slide over it.
///
/// Around a vertical axis inside the ribs a point has an angle theta from the back, a height y and
/// a radius r. Each centreline crosses every angle at one height and radius; between heights the
/// radius is interpolated, which gives a table R(theta, y). Its entries are the control points of a
/// uniform cubic B-spline, which evens out what lies between two ribs and has a gradient
/// everywhere. Outside the table its edge goes on.
///
///   f = r - R(theta, y),   distance = f / |grad f|       to first order, which is what a blade
///                                                        a centimetre away needs
class GlideSurface {
 public:
  /// `lines`: at least two centrelines of one side, left (x > 0) or right, from the spine to the
  /// front [m]. Throws InputError when they do not go around the body.
  explicit GlideSurface(const std::vector<std::vector<Vec3>>& lines);

  /// Signed distance [m], > 0 outside, and its gradient.
  double distance(const Vec3& point, Vec3& gradient) const;
  double distance(const Vec3& point) const {
    Vec3 unused;
    return distance(point, unused);
  }

 private:
  double side_ = 1;   // +1 left, -1 right
  double depth_ = 0;  // z of the axis
  double firstAngle_ = 0, angleStep_ = 0, firstHeight_ = 0, heightStep_ = 0;
  int angles_ = 0, heights_ = 0;
  std::vector<double> radius_;  // by angle, then height
};

}  // namespace pneuma::skeleton
