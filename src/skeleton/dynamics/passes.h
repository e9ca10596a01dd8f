#pragma once

#include "pneuma/skeleton/workspace.h"

/// Sweeps over the tree that several algorithms share.
namespace pneuma::skeleton::internal {

/// Gravity acts like an upward acceleration of the whole world.
inline Vec6 worldAcceleration(const Model& model) {
  return spatial(Vec3::Zero(), -model.gravity);
}

/// Link accelerations for given joint accelerations vDot(j). Bias accelerations are cumulative from
/// the root, so only the joint part has to be summed along the way.
template <class JointAcceleration>
void accelerate(const Model& model, Workspace& w, JointAcceleration&& vDot) {
  const Vec6 world = worldAcceleration(model);
  const Kinematics& k = w.kinematics;
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 a = k.biasAcceleration[l];
    if (link.parent >= 0)
      a += w.acceleration[link.parent] - k.biasAcceleration[link.parent];
    else
      a += world;
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j) a += vDot(j) * k.axis[j];
    w.acceleration[l] = a;
  }
}

/// The same for zero joint accelerations.
inline void accelerateWithoutJoints(const Model& model, Workspace& w) {
  const Vec6 world = worldAcceleration(model);
  for (int l = 0; l < model.linkCount(); ++l)
    w.acceleration[l] = w.kinematics.biasAcceleration[l] + world;
}

/// force = I a + V x* I V for each link alone.
inline void computeInertialForces(const Model& model, Workspace& w) {
  for (int l = 0; l < model.linkCount(); ++l) {
    const WorldInertia& I = w.inertia[l];
    const Vec6& V = w.kinematics.velocity[l];
    w.force[l] = I * w.acceleration[l] + crossForce(V, I * V);
  }
}

}  // namespace pneuma::skeleton::internal
