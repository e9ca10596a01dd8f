#include "pneuma/skeleton/energy.h"

namespace pneuma::skeleton {

Vec3 centerOfMass(const Model&, const Workspace& w) {
  Vec3 h = Vec3::Zero();
  double mass = 0;
  for (const WorldInertia& I : w.inertia) h += I.h, mass += I.m;
  return w.kinematics.origin + h / mass;
}

double kineticEnergy(const Model& model, const VecX& v, const Workspace& w) {
  double energy = 0;
  for (int l = 0; l < model.linkCount(); ++l) {
    const Vec6& V = w.kinematics.velocity[l];
    energy += 0.5 * V.dot(w.inertia[l] * V);
  }
  if (model.hasArmature)
    for (int j = 0; j < model.dofCount(); ++j)
      energy += 0.5 * model.dofResistance[j].armature * v[j] * v[j];
  return energy;
}

double gravityEnergy(const Model& model, const Workspace& w) {
  return -model.totalMass() * model.gravity.dot(centerOfMass(model, w));
}

Vec6 momentum(const Model& model, const Workspace& w) {
  Vec6 sum = Vec6::Zero();
  for (int l = 0; l < model.linkCount(); ++l) sum += w.inertia[l] * w.kinematics.velocity[l];
  // From the kinematics' origin to the world's.
  sum.head<3>() += w.kinematics.origin.cross(Vec3(sum.tail<3>()));
  return sum;
}

}  // namespace pneuma::skeleton
