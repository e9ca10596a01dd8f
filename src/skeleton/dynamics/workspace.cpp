#include "pneuma/skeleton/workspace.h"

namespace pneuma::skeleton {

Workspace::Workspace(const Model& model)
    : kinematics(model),
      inertia(model.links.size()),
      composite(model.links.size()),
      acceleration(model.links.size(), Vec6::Zero()),
      force(model.links.size(), Vec6::Zero()),
      articulated(model.links.size(), Mat6::Zero()),
      inertiaRate(model.links.size(), Mat3::Zero()),
      momentum(model.links.size(), Vec3::Zero()),
      U(model.dofCount(), Vec6::Zero()),
      axisAcceleration(model.dofCount(), Vec6::Zero()),
      axisRateSum(model.dofCount(), Vec6::Zero()),
      inverseD(VecX::Zero(model.dofCount())),
      u(VecX::Zero(model.dofCount())),
      rowsA(AxisComponents::Zero(6, model.dofCount())),
      rowsB(AxisComponents::Zero(6, model.dofCount())) {}

void updateDynamics(const Model& model, const VecX& q, const VecX& v, Workspace& w) {
  computeKinematics(model, q, v, w.kinematics);
  for (int l = 0; l < model.linkCount(); ++l) {
    const RigidInertia& body = model.links[l].inertia;
    const Pose& X = w.kinematics.X_WL[l];
    const Vec3 c = X.rotation * body.center + (X.position - w.kinematics.origin);
    WorldInertia& I = w.inertia[l];
    const Mat3 RI = X.rotation * body.inertia;
    I.J.noalias() = RI * X.rotation.transpose();
    I.m = body.mass;
    I.h = body.mass * c;
    // Parallel axes: J += m (c.c 1 - c c^T).
    I.J.noalias() -= I.h * c.transpose();
    I.J.diagonal().array() += I.h.dot(c);
  }
}

}  // namespace pneuma::skeleton
