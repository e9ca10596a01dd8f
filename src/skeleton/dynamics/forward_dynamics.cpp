#include "pneuma/skeleton/forward_dynamics.h"

#include "skeleton/dynamics/articulated_sweep.h"

namespace pneuma::skeleton {

void computeForwardDynamics(const Model& model, const VecX& tau, Workspace& w, VecX& vDot) {
  internal::accelerateWithoutJoints(model, w);
  internal::computeInertialForces(model, w);
  internal::sweepToRoot(model, tau, w, [](int) { return true; });
  // Away from the root; `acceleration` now holds what comes on top of the bias.
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 a = link.parent < 0 ? Vec6(Vec6::Zero()) : w.acceleration[link.parent];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j) {
      vDot[j] = w.u[j] - w.inverseD[j] * w.U[j].dot(a);
      a += vDot[j] * w.kinematics.axis[j];
    }
    w.acceleration[l] = a;
  }
}

VecX forwardDynamics(const Model& model, const State& state, const VecX& tau) {
  Workspace w(model);
  updateDynamics(model, state, w);
  VecX vDot(model.dofCount());
  computeForwardDynamics(model, tau, w, vDot);
  return vDot;
}

}  // namespace pneuma::skeleton
