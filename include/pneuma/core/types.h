#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/StdVector>

/// Vector, matrix and pose types shared by all modules. Everything is double, SI units.
///
/// World axes: +Y up, +Z to the front (anterior), +X to the body's left; origin on the floor
/// between the feet.
namespace pneuma {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using VecX = Eigen::VectorXd;
using Mat3 = Eigen::Matrix3d;
using MatX = Eigen::MatrixXd;
using Quat = Eigen::Quaterniond;

/// A rigid pose X_AB: takes the coordinates of a point in frame B to its coordinates in frame A.
struct Pose {
  Mat3 rotation = Mat3::Identity();  ///< R_AB
  Vec3 position = Vec3::Zero();      ///< p_AB_A, origin of B seen from A [m]

  Vec3 operator*(const Vec3& p) const { return rotation * p + position; }
  Pose operator*(const Pose& other) const {
    return {rotation * other.rotation, rotation * other.position + position};
  }
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
};

/// Cross-product matrix: skew(a) * b == a.cross(b).
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kGravity = 9.80665;  ///< standard gravity [m/s^2]
inline constexpr double degreesToRadians(double degrees) {
  return degrees * (kPi / 180.0);
}
inline constexpr double radiansToDegrees(double radians) {
  return radians * (180.0 / kPi);
}

}  // namespace pneuma
