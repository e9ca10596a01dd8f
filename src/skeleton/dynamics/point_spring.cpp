#include "pneuma/skeleton/link_element.h"
#include "skeleton/dynamics/link_frames.h"

namespace pneuma::skeleton {

PointSpring makePointSpring(const Model& model, int linkA, const Vec3& atA, int linkB,
                            const Vec3& atB, double stiffness, double damping) {
  PointSpring spring;
  spring.path = RelativePath(model, linkA, linkB);
  spring.pointA = linkA < 0 ? atA : model.links[linkA].X_WL_rest.inverse() * atA;
  spring.pointB = linkB < 0 ? atB : model.links[linkB].X_WL_rest.inverse() * atB;
  spring.stiffness = stiffness;
  spring.damping = damping;
  spring.restLength = (atB - atA).norm();
  return spring;
}

LinkWrench evaluate(const PointSpring& s, const Kinematics& k) {
  const Vec3 a = internal::linkPose(k, s.path.linkA) * s.pointA;
  const Vec3 b = internal::linkPose(k, s.path.linkB) * s.pointB;
  const Vec6 V = internal::linkVelocity(k, s.path.linkB) - internal::linkVelocity(k, s.path.linkA);
  const Vec3 x = b - a, r = b - k.origin, omega = V.head<3>();
  const Vec3 u = V.tail<3>() + omega.cross(r);  // relative velocity at b

  Vec3 f;
  Mat3 Kx, Kv;  // df/db and df/du
  const double l = x.norm();
  if (s.restLength == 0 || l == 0) {
    f = -s.stiffness * x - s.damping * u;
    Kx = -s.stiffness * Mat3::Identity() - s.damping * skew(omega);
    Kv = -s.damping * Mat3::Identity();
  } else {
    const Vec3 n = x / l;
    const double rate = n.dot(u), tension = s.stiffness * (l - s.restLength) + s.damping * rate;
    const Mat3 across = (Mat3::Identity() - n * n.transpose()) / l;  // dn/db
    const Vec3 dTension = s.stiffness * n + s.damping * (across * u - omega.cross(n));
    f = -tension * n;
    Kx = -n * dTension.transpose() - tension * across;
    Kv = -s.damping * n * n.transpose();
  }
  return internal::pointElement(r, f, Kx, Kv);
}

double energy(const PointSpring& s, const Kinematics& k) {
  const Vec3 x = internal::linkPose(k, s.path.linkB) * s.pointB -
                 internal::linkPose(k, s.path.linkA) * s.pointA;
  const double stretch = x.norm() - s.restLength;
  return 0.5 * s.stiffness * stretch * stretch;
}

}  // namespace pneuma::skeleton
