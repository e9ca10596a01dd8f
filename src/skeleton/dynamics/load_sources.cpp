#include "pneuma/skeleton/step.h"

namespace pneuma::skeleton {

void JointResistanceSource::addLoads(const Model& model, const State& state, const Kinematics&,
                                     Loads& loads) {
  addJointResistance(model, state, loads);
}

double JointResistanceSource::energy(const Model& model, const State& state,
                                     const Kinematics&) const {
  return jointResistanceEnergy(model, state.q);
}

void LinkElementSource::addLoads(const Model& model, const State&, const Kinematics& k,
                                 Loads& loads) {
  addLinkElements(model, k, elements_, loads);
}

void LinkElementSource::addCoupling(Coupling& coupling) const {
  for (const PointSpring& s : elements_.springs) coupling.couple(s.path.ranges);
  for (const Bushing& b : elements_.bushings) coupling.couple(b.path.ranges);
}

double LinkElementSource::energy(const Model&, const State&, const Kinematics& k) const {
  return skeleton::energy(elements_, k);
}

void ConstantForceSource::addLoads(const Model&, const State&, const Kinematics&, Loads& loads) {
  loads.force += force;
}

}  // namespace pneuma::skeleton
