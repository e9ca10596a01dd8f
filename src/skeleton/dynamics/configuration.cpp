#include "pneuma/skeleton/configuration.h"

#include <cmath>

namespace pneuma::skeleton {

namespace {

Quat quaternionAt(const VecX& q, int position) {
  return {q[position], q[position + 1], q[position + 2], q[position + 3]};
}

void storeQuaternion(const Quat& r, int position, VecX& q) {
  q[position] = r.w();
  q[position + 1] = r.x();
  q[position + 2] = r.y();
  q[position + 3] = r.z();
}

/// exp of half a rotation vector; the series keeps full precision for small angles.
Quat quaternionOf(const Vec3& rotation) {
  const double angle = rotation.norm();
  const double scale = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  Quat r;
  r.w() = std::cos(angle / 2);
  r.vec() = scale * rotation;
  return r;
}

Vec3 rotationVectorOf(const Quat& r) {
  const double sign = r.w() < 0 ? -1 : 1;
  const double s = r.vec().norm();
  const double angle = 2 * std::atan2(s, sign * r.w());
  const double scale = s < 1e-8 ? 2.0 : angle / s;
  return sign * scale * r.vec();
}

}  // namespace

void integrateConfiguration(const Model& model, const VecX& step, VecX& q) {
  for (const CompiledMotion& m : model.motions) {
    if (m.code != MotionCode::Ball) {
      q[m.position] += step[m.dof];
      continue;
    }
    const Quat moved = quaternionAt(q, m.position) * quaternionOf(step.segment<3>(m.dof));
    storeQuaternion(moved.normalized(), m.position, q);
  }
}

void configurationDifference(const Model& model, const VecX& from, const VecX& to, VecX& step) {
  for (const CompiledMotion& m : model.motions) {
    if (m.code != MotionCode::Ball)
      step[m.dof] = to[m.position] - from[m.position];
    else
      step.segment<3>(m.dof) = rotationVectorOf(quaternionAt(from, m.position).conjugate() *
                                                quaternionAt(to, m.position));
  }
}

VecX configurationDifference(const Model& model, const VecX& from, const VecX& to) {
  VecX step(model.dofCount());
  configurationDifference(model, from, to, step);
  return step;
}

}  // namespace pneuma::skeleton
