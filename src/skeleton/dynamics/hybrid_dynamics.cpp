#include "pneuma/skeleton/hybrid_dynamics.h"

#include "skeleton/dynamics/articulated_sweep.h"

namespace pneuma::skeleton {

void computeHybridDynamics(const Model& model, std::span<const std::uint8_t> prescribed,
                           Workspace& w, VecX& vDot, VecX& tau) {
  internal::accelerate(model, w, [&](int j) { return prescribed[j] ? vDot[j] : 0.0; });
  internal::computeInertialForces(model, w);
  internal::sweepToRoot(model, tau, w, [&](int j) { return !prescribed[j]; });
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 a = link.parent < 0 ? Vec6(Vec6::Zero()) : w.acceleration[link.parent];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j) {
      const double pull = w.U[j].dot(a);
      if (prescribed[j]) {
        tau[j] = w.u[j] + pull + model.dofResistance[j].armature * vDot[j];
        continue;
      }
      vDot[j] = w.u[j] - w.inverseD[j] * pull;
      a += vDot[j] * w.kinematics.axis[j];
    }
    w.acceleration[l] = a;
  }
}

}  // namespace pneuma::skeleton
