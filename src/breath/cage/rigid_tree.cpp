#include "breath/cage/rigid_tree.h"

#include <cmath>

namespace pneuma::breath::internal {
namespace {

Quat turned(const Quat& rotation, const Vec3& turn) {
  const double angle = turn.norm();
  if (angle == 0) return rotation;
  return (Quat(Eigen::AngleAxisd(angle, turn / angle)) * rotation).normalized();
}

void advanceFree(FreeBodyState& b, const Eigen::Ref<const VecX>& dv, double h) {
  b.velocity += dv.head<3>();
  b.spin += dv.tail<3>();
  b.position += h * b.velocity;
  b.rotation = turned(b.rotation, h * b.spin);
}

int bodyOfPoint(const TorsoModel& m, int point) {
  const int k = point - m.layout.bodyBegin();
  int body = 0;
  while (k >= m.bodyPointRange[static_cast<std::size_t>(body) + 1]) ++body;
  return body;
}

/// Velocity of a point at rest per generalised velocity, added to `j` (3 x n).
void addJacobian(const TorsoModel& m, int point, double weight, MatX& j) {
  const RigidIndex index(m);
  const PointLayout& layout = m.layout;
  if (point < layout.bodyBegin() || point >= layout.fixedBegin()) return;
  if (point >= layout.blendBegin()) {
    const BlendPoint& blend = m.blends[static_cast<std::size_t>(point - layout.blendBegin())];
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k)
      if (blend.weights[k] > 0) addJacobian(m, blend.points[k], weight * blend.weights[k], j);
    return;
  }
  const Vec3 p = m.rest[static_cast<std::size_t>(point)];
  const int body = bodyOfPoint(m, point);
  const int root = body == kSternum ? index.sternum() : index.spine();
  const int rootBody = body == kSternum ? kSternum : kSpine;
  j.middleCols<3>(root) += weight * Mat3::Identity();
  j.middleCols<3>(root + 3) -=
      weight * skew(p - m.parts[static_cast<std::size_t>(rootBody)].origin);
  if (body == kSternum || body == kSpine) return;
  const Mat3 turn = -skew(p - m.parts[static_cast<std::size_t>(body)].origin);
  if (index.perRib == 1) {
    j.col(index.rib(body)) += weight * turn * m.neckAxis[static_cast<std::size_t>(body - 1)];
  } else {
    j.middleCols<3>(index.rib(body)) += weight * turn;
  }
}

}  // namespace

void RigidPlacement::update(const TorsoModel& m, const TorsoState& s) {
  const auto put = [&](std::size_t b, const FreeBodyState& f) {
    rotation[b] = f.rotation.toRotationMatrix();
    origin[b] = f.position;
    velocity[b] = f.velocity;
    spin[b] = f.spin;
  };
  put(kSpine, s.spine);
  put(kSternum, s.sternum);
  const bool hinge = m.config.ribJoint == RibJoint::Neck;
  for (std::size_t r = 0; r < 2 * kRibCount; ++r) {
    const std::size_t b = r + 1;
    const Vec3 arm = rotation[kSpine] * (m.parts[b].origin - m.parts[kSpine].origin);
    const Mat3 relative = hinge
                              ? Eigen::AngleAxisd(s.ribs[r].angle, m.neckAxis[r]).toRotationMatrix()
                              : s.ribs[r].rotation.toRotationMatrix();
    axis[r] = rotation[kSpine] * m.neckAxis[r];
    rotation[b] = rotation[kSpine] * relative;
    origin[b] = s.spine.position + arm;
    velocity[b] = s.spine.velocity + s.spine.spin.cross(arm);
    spin[b] = s.spine.spin +
              (hinge ? Vec3(s.ribs[r].rate * axis[r]) : Vec3(rotation[kSpine] * s.ribs[r].spin));
  }
}

MatX computeRigidGains(const TorsoModel& m, double h) {
  const RigidIndex index(m);
  MatX gains = MatX::Zero(index.size(), index.size());
  MatX j(3, index.size());
  const auto add = [&](int a, int b, const Mat3& gain) {
    j.setZero();
    addJacobian(m, a, 1, j);
    addJacobian(m, b, -1, j);
    gains += j.transpose() * gain * j;
  };
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const int a = m.springs.a[i], b = m.springs.b[i];
    if (a < m.layout.bodyBegin() && b < m.layout.bodyBegin()) continue;
    const Vec3 n =
        (m.rest[static_cast<std::size_t>(b)] - m.rest[static_cast<std::size_t>(a)]).normalized();
    const double k = m.springs.active[i] + m.springs.passive[i];
    const double gain = h * m.springs.damping[i] + 0.5 * h * h * k;
    // Directions turn with the bodies: a part of the gain holds in every direction.
    add(a, b, gain * (0.8 * n * n.transpose() + 0.2 * Mat3::Identity()));
  }
  for (const Pin& p : m.pins)
    add(p.a, p.b, (h * p.damping + 0.5 * h * h * p.stiffness) * Mat3::Identity());
  for (int i = 6; i < index.sternum(); ++i) {
    const auto rib = static_cast<std::size_t>((i - 6) / index.perRib);
    gains(i, i) += h * m.config.jointFriction + 0.5 * h * h * m.jointStiffness[rib];
  }
  return gains;
}

void RigidInertia::factor(const TorsoModel& m, const RigidPlacement& p, const MatX& gains) {
  const RigidIndex index(m);
  matrix_ = gains;
  const auto worldInertia = [&](std::size_t b) -> Mat3 {
    return p.rotation[b] * m.parts[b].inertia * p.rotation[b].transpose();
  };
  double mass = m.parts[kSpine].mass;
  Mat3 turning = worldInertia(kSpine), mixed = Mat3::Zero();
  for (int body = 1; body < kSternum; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const RigidPart& part = m.parts[b];
    const Mat3 inertia = worldInertia(b);
    const Vec3 arm = p.rotation[b] * part.center;             // joint to centre of mass
    const Vec3 reach = p.origin[b] + arm - p.origin[kSpine];  // spine to centre of mass
    const Mat3 armCross = skew(arm), reachCross = skew(reach);
    // The spine carries the rib along; only the lower triangle of the matrix is used.
    mass += part.mass;
    mixed += part.mass * reachCross;
    turning += inertia - part.mass * reachCross * reachCross;
    const Mat3 own = inertia - part.mass * armCross * armCross;
    const Mat3 linear = part.mass * armCross;                          // rib x spine, linear
    const Mat3 angular = inertia - part.mass * armCross * reachCross;  // rib x spine, angular
    const int i = index.rib(body);
    if (index.perRib == 1) {
      const Vec3& axis = p.axis[b - 1];
      matrix_(i, i) += axis.dot(own * axis);
      matrix_.block<1, 3>(i, 0) += axis.transpose() * linear;
      matrix_.block<1, 3>(i, 3) += axis.transpose() * angular;
    } else {
      matrix_.block<3, 3>(i, i) += own;
      matrix_.block<3, 3>(i, 0) += linear;
      matrix_.block<3, 3>(i, 3) += angular;
    }
  }
  matrix_.block<3, 3>(0, 0) += mass * Mat3::Identity();
  matrix_.block<3, 3>(3, 0) += mixed;
  matrix_.block<3, 3>(3, 3) += turning;
  const int s = index.sternum();
  matrix_.block<3, 3>(s, s) += m.parts[kSternum].mass * Mat3::Identity();
  matrix_.block<3, 3>(s + 3, s + 3) += worldInertia(kSternum);
  factor_.compute(matrix_);
}

void addBias(const TorsoModel& m, const RigidPlacement& p, VecX& out) {
  const RigidIndex index(m);
  const Vec3& spin = p.spin[kSpine];
  for (int body = 0; body < kBodyCount; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const Mat3 inertia = p.rotation[b] * m.parts[b].inertia * p.rotation[b].transpose();
    const Vec3 gyro = p.spin[b].cross(inertia * p.spin[b]);
    if (body == kSpine || body == kSternum) {
      addWrench(index, p, body, Vec3::Zero(), -gyro, out);
      continue;
    }
    const Vec3 toJoint = p.origin[b] - p.origin[kSpine];
    const Vec3 arm = p.rotation[b] * m.parts[b].center;
    const Vec3 turning = spin.cross(p.spin[b] - spin);  // the relative spin rides on the spine
    const Vec3 acceleration = spin.cross(spin.cross(toJoint)) +
                              p.spin[b].cross(p.spin[b].cross(arm)) + turning.cross(arm);
    const Vec3 force = -m.parts[b].mass * acceleration;
    addWrench(index, p, body, force, arm.cross(force) - inertia * turning - gyro, out);
  }
}

void addWrench(const RigidIndex& index, const RigidPlacement& p, int body, const Vec3& force,
               const Vec3& torque, VecX& out) {
  if (body == kSternum || body == kSpine) {
    const int i = body == kSpine ? index.spine() : index.sternum();
    out.segment<3>(i) += force;
    out.segment<3>(i + 3) += torque;
    return;
  }
  const auto b = static_cast<std::size_t>(body);
  out.head<3>() += force;
  out.segment<3>(3) += torque + (p.origin[b] - p.origin[kSpine]).cross(force);
  if (index.perRib == 1) {
    out[index.rib(body)] += p.axis[b - 1].dot(torque);
  } else {
    out.segment<3>(index.rib(body)) += torque;
  }
}

void advance(const TorsoModel& m, const VecX& dv, double h, TorsoState& s) {
  const RigidIndex index(m);
  const Mat3 toSpine = s.spine.rotation.toRotationMatrix().transpose();
  for (int body = 1; body < kSternum; ++body) {
    RibState& rib = s.ribs[static_cast<std::size_t>(body - 1)];
    if (index.perRib == 1) {
      rib.rate += dv[index.rib(body)];
      rib.angle += h * rib.rate;
    } else {
      rib.spin += toSpine * dv.segment<3>(index.rib(body));
      rib.rotation = turned(rib.rotation, h * rib.spin);
    }
  }
  advanceFree(s.spine, dv.segment<6>(index.spine()), h);
  advanceFree(s.sternum, dv.segment<6>(index.sternum()), h);
}

}  // namespace pneuma::breath::internal
