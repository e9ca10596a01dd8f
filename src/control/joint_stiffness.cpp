#include "pneuma/control/joint_stiffness.h"

#include "pneuma/core/check.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::control {
namespace {

constexpr double kCrossBridges = 23.4, kTendon = 35;  // see JointStiffness

/// Torque of all muscles about a joint with the body at rest in a configuration.
double torqueAt(muscle::DrivenBody& body, int dof, const VecX& q) {
  body.state().skeleton.q = q;
  body.refresh();
  return body.muscleResults().generalizedForce[dof];
}

}  // namespace

JointStiffness measureStiffness(muscle::DrivenBody& body, const anatomy::CompiledBody& compiled,
                                int dof) {
  constexpr double kTurn = 1e-4;  // of the difference [rad]
  const skeleton::State before = body.state().skeleton;
  VecX step = VecX::Zero(body.model().dofCount()), low = before.q, high = before.q;
  step[dof] = kTurn;
  skeleton::integrateConfiguration(body.model(), step, high);
  step[dof] = -kTurn;
  skeleton::integrateConfiguration(body.model(), step, low);
  body.state().skeleton.v.setZero();
  const double slow = -(torqueAt(body, dof, high) - torqueAt(body, dof, low)) / (2 * kTurn);

  JointStiffness out;
  torqueAt(body, dof, before.q);
  const muscle::MuscleWorkspace& m = body.muscleResults();
  const muscle::PathSet& paths = body.muscles().paths;
  const VecX& activation = body.state().muscles.activation;
  PNEUMA_CHECK(compiled.muscles.size() == static_cast<std::size_t>(paths.muscleCount()));
  for (int i = 0; i < paths.muscleCount(); ++i) {
    const double p = muscle::momentArms(paths, m.paths, i, body.model().dofCount())[dof];
    if (p == 0) continue;
    out.elements += p * p * m.dLength[i];
    const anatomy::CompiledMuscle& c = compiled.muscles[static_cast<std::size_t>(i)];
    const double active = activation[i] * m.dActivation[i];
    if (!(active > 0) || !(c.fiberLength > 0)) continue;
    const double fibres = kCrossBridges * active / c.fiberLength;
    const double tendon = c.tendonLength > 0 ? kTendon * c.peakForce / c.tendonLength : 0;
    out.shortRange += p * p * (tendon > 0 ? fibres * tendon / (fibres + tendon) : fibres);
  }
  out.turning = slow - out.elements;
  body.state().skeleton = before;
  body.refresh();
  return out;
}

}  // namespace pneuma::control
