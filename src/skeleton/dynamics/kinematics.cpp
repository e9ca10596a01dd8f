#include "pneuma/skeleton/kinematics.h"

#include <cmath>

namespace pneuma::skeleton {

namespace {

/// R <- R * rotation by `angle` about coordinate axis `a` (the two others turn).
inline void turnColumns(Mat3& R, int a, double angle) {
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  const double s = std::sin(angle), k = std::cos(angle);
  const Vec3 x = R.col(b), y = R.col(c);
  R.col(b) = k * x + s * y;
  R.col(c) = k * y - s * x;
}

/// R <- R * rotation by `angle` about the unit vector `axis` (Rodrigues).
inline void turnAbout(Mat3& R, const Vec3& axis, double angle) {
  const double s = std::sin(angle), k = std::cos(angle);
  const Vec3 sa = s * axis, ka = (1 - k) * axis;
  Mat3 T = ka * axis.transpose();
  T.diagonal().array() += k;
  T(0, 1) -= sa.z(), T(1, 0) += sa.z();
  T(0, 2) += sa.y(), T(2, 0) -= sa.y();
  T(1, 2) -= sa.x(), T(2, 1) += sa.x();
  R = Mat3(R * T);
}

struct Placement {
  const Model& model;
  const VecX& q;
  Kinematics& k;

  void storeAxis(int dof, const Vec3& angular, const Vec3& linear) {
    Vec6& S = k.axis[dof];
    S.head<3>() = angular;
    S.tail<3>() = linear;
  }

  void hinge(const CompiledMotion& m, Pose& X) {
    const int coordinate = static_cast<int>(m.code);  // 0, 1, 2 for the coordinate axes
    const Vec3 axis =
        m.code == MotionCode::Hinge ? Vec3(X.rotation * m.axis) : Vec3(X.rotation.col(coordinate));
    storeAxis(m.dof, axis, (X.position - k.origin).cross(axis));
    if (m.code == MotionCode::Hinge)
      turnAbout(X.rotation, m.axis, q[m.position]);
    else
      turnColumns(X.rotation, coordinate, q[m.position]);
  }

  void slide(const CompiledMotion& m, Pose& X) {
    const Vec3 axis = X.rotation * m.axis;
    storeAxis(m.dof, Vec3::Zero(), axis);
    X.position += q[m.position] * axis;
  }

  void ball(const CompiledMotion& m, Pose& X) {
    const int p = m.position;
    X.rotation *= Quat(q[p], q[p + 1], q[p + 2], q[p + 3]).toRotationMatrix();
    const Vec3 r = X.position - k.origin;
    for (int c = 0; c < 3; ++c) {
      const Vec3 axis = X.rotation.col(c);
      storeAxis(m.dof + c, axis, r.cross(axis));
    }
  }

  void place(int index) {
    const Link& link = model.links[index];
    Pose& X = k.X_WL[index];
    if (link.parent < 0) {
      X = link.X_PJ;
    } else {
      const Pose& P = k.X_WL[link.parent];
      X.rotation.noalias() = P.rotation * link.X_PJ.rotation;
      X.position.noalias() = P.rotation * link.X_PJ.position;
      X.position += P.position;
    }
    const CompiledMotion* m = model.motions.data() + link.firstMotion;
    for (const CompiledMotion* end = m + link.motionCount; m != end; ++m) {
      if (m->code <= MotionCode::Hinge)
        hinge(*m, X);
      else if (m->code == MotionCode::Slide)
        slide(*m, X);
      else
        ball(*m, X);
    }
  }
};

/// The first moving link's joint, so that the origin follows a free body.
Vec3 chooseOrigin(const Model& model, const VecX& q) {
  for (const Link& link : model.links) {
    if (link.dofCount == 0) continue;
    if (link.joint != JointKind::Free || link.parent >= 0) return link.X_WL_rest.position;
    return link.X_PJ * Vec3(q.segment<3>(link.firstPosition));
  }
  return Vec3::Zero();
}

void transposeAxes(Kinematics& k) {
  const Eigen::Index n = k.axisComponents.cols();
  for (int c = 0; c < 6; ++c) {
    double* row = k.axisComponents.data() + c * n;
    for (Eigen::Index j = 0; j < n; ++j) row[j] = k.axis[j][c];
  }
}

/// Velocity of the link after its joint, and the product terms on the way.
void addJointVelocity(const Model& model, const Link& link, const VecX& v, Kinematics& k, Vec6& V,
                      Vec6& bias) {
  const CompiledMotion* m = model.motions.data() + link.firstMotion;
  for (const CompiledMotion* end = m + link.motionCount; m != end; ++m) {
    const int dofs = m->code == MotionCode::Ball ? 3 : 1;
    const Vec6 before = V;
    for (int j = m->dof; j < m->dof + dofs; ++j) {
      k.axisRate[j] = crossMotion(before, k.axis[j]);
      V += v[j] * k.axis[j];
      bias += v[j] * k.axisRate[j];
    }
  }
}

}  // namespace

Kinematics::Kinematics(const Model& model)
    : X_WL(model.links.size()),
      velocity(model.links.size(), Vec6::Zero()),
      biasAcceleration(model.links.size(), Vec6::Zero()),
      axis(model.dofCount(), Vec6::Zero()),
      axisRate(model.dofCount(), Vec6::Zero()),
      axisComponents(AxisComponents::Zero(6, model.dofCount())),
      jointVelocity(VecX::Zero(model.dofCount())) {}

void computePoses(const Model& model, const VecX& q, Kinematics& k) {
  k.origin = chooseOrigin(model, q);
  Placement placement{model, q, k};
  for (int l = 0; l < model.linkCount(); ++l) placement.place(l);
  transposeAxes(k);
}

void computeKinematics(const Model& model, const VecX& q, const VecX& v, Kinematics& k) {
  computePoses(model, q, k);
  k.jointVelocity = v;
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 V = Vec6::Zero(), bias = Vec6::Zero();
    if (link.parent >= 0) {
      V = k.velocity[link.parent];
      bias = k.biasAcceleration[link.parent];
    }
    addJointVelocity(model, link, v, k, V, bias);
    k.velocity[l] = V;
    k.biasAcceleration[l] = bias;
  }
}

}  // namespace pneuma::skeleton
