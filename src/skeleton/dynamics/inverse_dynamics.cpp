#include "pneuma/skeleton/inverse_dynamics.h"

#include "skeleton/dynamics/passes.h"

namespace pneuma::skeleton {

namespace {

/// Sums the inertial forces towards the root and projects them on the axes.
void projectForces(const Model& model, Workspace& w, VecX& tau) {
  for (int l = model.linkCount() - 1; l >= 0; --l) {
    const Link& link = model.links[l];
    const Vec6& f = w.force[l];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      tau[j] = w.kinematics.axis[j].dot(f);
    if (link.parent >= 0) w.force[link.parent] += f;
  }
}

}  // namespace

void computeInverseDynamics(const Model& model, const VecX& vDot, Workspace& w, VecX& tau) {
  internal::accelerate(model, w, [&](int j) { return vDot[j]; });
  internal::computeInertialForces(model, w);
  projectForces(model, w, tau);
  if (model.hasArmature)
    for (int j = 0; j < model.dofCount(); ++j) tau[j] += model.dofResistance[j].armature * vDot[j];
}

void computeBiasForce(const Model& model, Workspace& w, VecX& c) {
  internal::accelerateWithoutJoints(model, w);
  internal::computeInertialForces(model, w);
  projectForces(model, w, c);
}

VecX inverseDynamics(const Model& model, const State& state, const VecX& vDot) {
  Workspace w(model);
  updateDynamics(model, state, w);
  VecX tau(model.dofCount());
  computeInverseDynamics(model, vDot, w, tau);
  return tau;
}

}  // namespace pneuma::skeleton
