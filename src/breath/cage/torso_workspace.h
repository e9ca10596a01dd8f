#pragma once

#include <vector>

#include "breath/cage/particle_solver.h"
#include "breath/cage/rigid_tree.h"
#include "pneuma/breath/torso_step.h"

namespace pneuma::breath {

/// Scratch of a step.
struct TorsoWorkspace::Data {
  const TorsoModel* model = nullptr;
  double h = 0;

  // Points of bodies relative to their origin at rest.
  PointArray local;
  PointArray position, velocity, force;  // all points
  PointArray domeGradient, wallGradient, cageGradient;
  std::vector<std::int32_t> surfacePoints;  // used by any surface, without fixed ones

  internal::RigidPlacement placement;
  MatX rigidGains;
  internal::RigidInertia rigidInertia;
  VecX rigidForce, rigidGradient, rigidSolution;
  internal::ParticleSolver particles;
  std::vector<internal::ParticleSolver::Row> rows;

  std::vector<double> tensions, lengths;
  TorsoReading reading;

  void prepare(const TorsoModel& m);             // sizes, once per model
  void setStep(const TorsoModel& m, double dt);  // factors, once per step size
};

namespace internal {

/// Places all points and their velocities.
void placePoints(const TorsoModel& model, const TorsoState& state, TorsoWorkspace::Data& d);
/// Volumes, their gradients and the pressures.
void readVolumes(const TorsoModel& model, TorsoWorkspace::Data& d);
void addPressures(const TorsoModel& model, TorsoWorkspace::Data& d);
void addSprings(const TorsoModel& model, const MuscleDrive& drive, TorsoWorkspace::Data& d);
void addPins(const TorsoModel& model, TorsoWorkspace::Data& d);
/// Collects point forces (or gradients) of bodies into a generalised vector.
void collectRigid(const TorsoModel& model, const TorsoWorkspace::Data& d, PointArray& points,
                  VecX& out);

/// Forces of a state without inertia and without the loads that hold the rest state.
void computeForces(const TorsoModel& model, const TorsoState& state, const MuscleDrive& drive,
                   TorsoWorkspace::Data& d);
/// Sets the loads so that the rest state stays at rest.
void balanceRest(TorsoModel& model);

}  // namespace internal
}  // namespace pneuma::breath
