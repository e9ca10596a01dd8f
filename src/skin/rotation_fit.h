#pragma once

#include "pneuma/core/types.h"

namespace pneuma::skin::internal {

/// The rotation R that comes nearest to a matrix A: the largest trace of R^T A, as in a rigid fit
/// of points with A = sum w u p^T. Newton steps on the rotation group from `start`:
///
///   B = R^T A,  (tr(B) I - sym B) omega = axial(B - B^T),  R <- R exp(omega)
///
/// Exact for A symmetric and `start` the identity: omega is zero. Steps are limited to one radian,
/// and singular ones are left out, so that a degenerate A gives a rotation near `start`.
Mat3 nearestRotation(const Mat3& A, const Mat3& start);

}  // namespace pneuma::skin::internal
