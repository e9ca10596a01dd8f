#include <cmath>

#include "pneuma/skeleton/link_element.h"
#include "skeleton/dynamics/link_frames.h"

namespace pneuma::skeleton {

namespace {

/// beta(x) = 1/x^2 - cot(x/2)/(2x) and its derivative by x^2, the coefficient of [theta]^2 in the
/// inverse of the left Jacobian of rotations, x = |theta|.
struct Beta {
  double value, slope;
};

Beta beta(double x) {
  const double s = x * x;
  if (x < 0.3)  // series: the closed form cancels
    return {1. / 12 + s * (1. / 720 + s * (1. / 30240 + s * (1. / 1209600 + s / 47900160))),
            1. / 720 + s * (2. / 30240 + s * (3. / 1209600 + s * 4 / 47900160))};
  const double half = std::sin(x / 2), cot = std::cos(x / 2) / half;
  const double dx = -2 / (s * x) + 1 / (4 * x * half * half) + cot / (2 * s);
  return {1 / s - cot / (2 * x), dx / (2 * x)};
}

Vec3 bushingTurn(const Mat3& R) {
  Quat q(R);
  if (q.w() < 0) q.coeffs() *= -1;
  const double s = q.vec().norm();
  return (s < 1e-9 ? 2.0 : 2 * std::atan2(s, q.w()) / s) * q.vec();
}

/// The moment -J^-T K theta and its derivative by a rotation of B, in the axes of A.
void evaluateRotation(const Vec3& theta, const Vec3& stiffness, Vec3& moment, Mat3& derivative) {
  const Mat3 K = stiffness.asDiagonal(), T = skew(theta);
  const Vec3 y = K * theta, ty = theta.cross(y);
  const auto [b, slope] = beta(theta.norm());
  moment = -(y + 0.5 * ty + b * theta.cross(ty));
  const Mat3 byTheta = K + 0.5 * (T * K - skew(y)) + b * (T * T * K - skew(ty) - T * skew(y)) +
                       (2 * slope) * theta.cross(ty) * theta.transpose();
  const Mat3 thetaByRotation = Mat3::Identity() - 0.5 * T + b * T * T;
  derivative = -byTheta * thetaByRotation;
}

struct Offsets {
  Mat3 R_WA;
  Vec3 origin;  // of B in the world
  Vec3 x, theta;
};

Offsets offsets(const Bushing& bushing, const Kinematics& k) {
  const Pose A = internal::linkPose(k, bushing.path.linkA) * bushing.frameA;
  const Pose B = internal::linkPose(k, bushing.path.linkB) * bushing.frameB;
  return {A.rotation, B.position,
          A.rotation.transpose() * (B.position - A.position) - bushing.restOffset,
          bushingTurn(A.rotation.transpose() * B.rotation)};
}

}  // namespace

Bushing makeBushing(const Model& model, int linkA, int linkB, const Pose& frame) {
  Bushing bushing;
  bushing.path = RelativePath(model, linkA, linkB);
  bushing.frameA = linkA < 0 ? frame : model.links[linkA].X_WL_rest.inverse() * frame;
  bushing.frameB = linkB < 0 ? frame : model.links[linkB].X_WL_rest.inverse() * frame;
  return bushing;
}

LinkWrench evaluate(const Bushing& bushing, const Kinematics& k) {
  const Offsets o = offsets(bushing, k);
  const Mat3& R = o.R_WA;
  const Vec3 r = o.origin - k.origin;
  const Vec6 V =
      internal::linkVelocity(k, bushing.path.linkB) - internal::linkVelocity(k, bushing.path.linkA);
  const Vec3 omega = V.head<3>(), u = V.tail<3>() + omega.cross(r);
  const Mat3 Dt = R * bushing.translationDamping.asDiagonal() * R.transpose();
  const Mat3 Dr = R * bushing.rotationDamping.asDiagonal() * R.transpose();

  const Vec3 f = -(R * bushing.translation.cwiseProduct(o.x)) - Dt * u;
  const Mat3 Kx = -(R * bushing.translation.asDiagonal() * R.transpose()) - Dt * skew(omega);
  LinkWrench e = internal::pointElement(r, f, Kx, -Dt);

  Vec3 moment;
  Mat3 derivative;
  evaluateRotation(o.theta, bushing.rotation, moment, derivative);
  e.wrench.head<3>() += R * moment - Dr * omega;
  e.position.topLeftCorner<3, 3>() += R * derivative * R.transpose();
  e.velocity.topLeftCorner<3, 3>() -= Dr;
  return e;
}

double energy(const Bushing& bushing, const Kinematics& k) {
  const Offsets o = offsets(bushing, k);
  return 0.5 *
         (bushing.translation.dot(o.x.cwiseAbs2()) + bushing.rotation.dot(o.theta.cwiseAbs2()));
}

}  // namespace pneuma::skeleton
