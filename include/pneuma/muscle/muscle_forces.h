#pragma once

#include "pneuma/muscle/muscle_model.h"
#include "pneuma/muscle/path_kinematics.h"

namespace pneuma::muscle {

/// Scratch and results of the muscles in one step; sized once.
struct MuscleWorkspace {
  explicit MuscleWorkspace(const MuscleModel& muscles, int dofCount);

  PathKinematics paths;  ///< lengths, rates, moment arms
  VecX force;            ///< tension of each muscle [N]
  VecX dLength;          ///< its derivatives, by muscle
  VecX dVelocity;
  VecX dActivation;
  VecX nextFibreLength;   ///< of elastic units at the end of the step [m]
  VecX generalizedForce;  ///< -P f
  VecX material, geometric;
};

/// Tensions and their derivatives from the lengths and rates in workspace.paths. `dt` is the step
/// of the elastic tendons [s].
void computeTensions(const MuscleModel& muscles, const MuscleState& state, double dt,
                     MuscleWorkspace& workspace);

/// The whole way: paths, rates, tensions, generalised force, and with loads.weights set the
/// stiffness and damping, material and geometric, for a linearly implicit step. Adds to `loads`;
/// results of single muscles stay in the workspace. Needs skeleton::computeKinematics before.
/// Allocates nothing.
void computeMuscleForces(const skeleton::Model& model, const MuscleModel& muscles,
                         const skeleton::Kinematics& kinematics, const VecX& v,
                         const MuscleState& state, double dt, MuscleWorkspace& workspace,
                         skeleton::Loads& loads);

/// Takes over what the last computeMuscleForces found for the end of the step (fibre lengths). Call
/// once per step, after the skeleton has moved.
void advance(const MuscleModel& muscles, const MuscleWorkspace& workspace, MuscleState& state);

/// Energy stored in springs, parallel elements and tendons [J]. What the contractile elements do is
/// work, not storage, and is not counted.
double storedEnergy(const MuscleModel& muscles, const MuscleState& state,
                    const PathKinematics& paths);

/// Throws SimulationError naming the first muscle whose length or force is not finite.
void checkFinite(const MuscleModel& muscles, const MuscleWorkspace& workspace, double time);

}  // namespace pneuma::muscle
