#include "pneuma/shape/rotations.h"

#include <fmt/format.h>
#include <Eigen/SVD>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::shape {
namespace {

constexpr double kNearHalfTurn = 1e-6;  // sin(angle) below which the axis comes from R + R^T
constexpr double kHalfTurn = 1e-12;     // and below which both directions of it are right
constexpr double kSmallAngle = 1e-8;    // [rad]

/// The axis of a rotation near a half turn, from R = cos I + (1 - cos) u u^T + sin [u].
Vec3 axisNearHalfTurn(const Mat3& R, const Vec3& oddPart) {
  const Mat3 even = 0.5 * (R + R.transpose());
  const double cosine = std::min(1.0, 0.5 * (R.trace() - 1));
  const Mat3 outer = (even - cosine * Mat3::Identity()) / (1 - cosine);
  Eigen::Index largest = 0;
  outer.diagonal().maxCoeff(&largest);
  Vec3 axis = outer.col(largest).normalized();
  if (axis[largest] < 0) axis = -axis;
  const bool oneAxis = oddPart.norm() > kHalfTurn;
  return oneAxis && axis.dot(oddPart) < 0 ? Vec3(-axis) : axis;
}

}  // namespace

Vec3 logRotation(const Mat3& R) {
  const Vec3 odd =
      0.5 * Vec3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // sin(angle) u
  const double sine = odd.norm(), cosine = 0.5 * (R.trace() - 1);
  const double angle = std::atan2(sine, cosine);
  if (angle < kSmallAngle) return odd;
  if (sine < kNearHalfTurn && cosine < 0) return angle * axisNearHalfTurn(R, odd);
  return angle / sine * odd;
}

Mat3 expRotation(const Vec3& axisAngle) {
  const double angle = axisAngle.norm();
  if (angle < kSmallAngle) return Mat3::Identity() + skew(axisAngle);
  return Eigen::AngleAxisd(angle, axisAngle / angle).toRotationMatrix();
}

Mat3 nearestProperRotation(const Mat3& M) {
  const Eigen::JacobiSVD<Mat3> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign = Vec3::Ones();
  if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0) sign[2] = -1;
  return svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
}

Mat3 meanRotation(std::span<const Mat3> rotations) {
  if (rotations.empty()) throw InputError("rotations: there is no mean of none");
  Mat3 mean = rotations.front();
  for (int pass = 0; pass < 50; ++pass) {
    Vec3 sum = Vec3::Zero();
    for (const Mat3& R : rotations) sum += logRotation(mean.transpose() * R);
    sum /= static_cast<double>(rotations.size());
    mean = mean * expRotation(sum);
    if (sum.norm() < 1e-12) return mean;
  }
  throw InputError("rotations: so far apart that they have no mean (about a half turn)");
}

std::vector<Mat3> partRotations(const ShapeTemplate& shape, std::span<const Vec3> positions) {
  return partRotations(shape, shape.mesh.positions, positions);
}

std::vector<Mat3> partRotations(const ShapeTemplate& shape, std::span<const Vec3> from,
                                std::span<const Vec3> to) {
  for (const std::size_t count : {from.size(), to.size()})
    if (count != shape.vertexCount())
      throw InputError(
          fmt::format("shape: {} vertices; the template has {}", count, shape.vertexCount()));
  std::vector<Mat3> sums(shape.partNames.size(), Mat3::Zero());
  for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
    const Triangle& c = shape.mesh.triangles[t];
    // Three edges, so that no corner is special.
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = at(c[k]), j = at(c[(k + 1) % 3]);
      sums[at(shape.partOfTriangle[t])] += (to[j] - to[i]) * (from[j] - from[i]).transpose();
    }
  }
  std::vector<Mat3> rotations;
  for (std::size_t p = 0; p < sums.size(); ++p) {
    if (!sums[p].allFinite() || sums[p].norm() == 0)
      throw InputError(fmt::format("shape: part '{}' has no extent", shape.partNames[p]));
    rotations.push_back(nearestProperRotation(sums[p]));
  }
  return rotations;
}

}  // namespace pneuma::shape
