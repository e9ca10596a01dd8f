#include "skin/rotation_fit.h"

#include <Eigen/LU>

namespace pneuma::skin::internal {

Mat3 nearestRotation(const Mat3& A, const Mat3& start) {
  constexpr int kSteps = 12;
  constexpr double kSmall = 1e-13, kLargest = 1;  // of a step [rad]
  Mat3 R = start;
  for (int i = 0; i < kSteps; ++i) {
    const Mat3 B = R.transpose() * A;
    const Vec3 axial(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1));
    if (axial.isZero(0)) break;
    Mat3 K = -0.5 * (B + B.transpose());
    K.diagonal().array() += B.trace();
    const double det = K.determinant();
    const double size = K.norm();
    // Beyond a quarter turn the trace curves the other way; follow the slope alone there.
    Vec3 step = det > 1e-9 * size * size * size ? Vec3(K.inverse() * axial) : Vec3(axial / size);
    const double angle = step.norm();
    if (!(angle > kSmall)) break;
    if (angle > kLargest) step *= kLargest / angle;
    R = R * Eigen::AngleAxisd(step.norm(), step.normalized()).toRotationMatrix();
  }
  return R;
}

}  // namespace pneuma::skin::internal
