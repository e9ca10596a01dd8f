#pragma once

#include <string>
#include <vector>

#include "pneuma/flesh/grid_muscle.h"

/// Ready models: what the command line, the reproduction, tests and benchmarks share.
namespace pneuma::flesh {

/// Matrix around the fibres of a muscle: soft along them (the passive curve of the fibres carries
/// that load), stiffer across, nearly incompressible.
GridMaterial muscleMaterial();

/// A passive brick that hangs from its first plane, axis 1 downwards.
struct BrickSetup {
  GridSize grid{11, 7, 7};
  Vec3 extent{0.12, 0.06, 0.06};  ///< along the parametric axes [m]
  GridMaterial material = makeIsotropic(1060, 4e3, 40, 1e5);
  double sideForce = 0;  ///< horizontal force spread over the lowest plane [N]
};
GridModel makeHangingBrick(const BrickSetup& setup);

/// A sudden move of the plane the last tendons are attached to.
struct PlaneMove {
  double time = 0;         ///< [s]
  double fraction = 0;     ///< of the muscle's rest length, outwards
  double duration = 0.05;  ///< [s], > 0; smooth in between
};

/// A muscle between two planes (or, with attachBones, between two bones).
struct MuscleSetup {
  std::string shape = "fusiform";  ///< fusiform, biceps or brick
  GridSize grid{21, 5, 5};
  GridMaterial material = muscleMaterial();
  GridMuscleConfig muscle;
  std::vector<ExcitationStep> excitation;
  double initialActivation = 0;
  std::vector<PlaneMove> moves;
  Vec3 gravity = Vec3(0, -kGravity, 0);
};

/// Rest shape by name; an unknown name throws InputError with the nearest one.
GridShape makeMuscleShape(const MuscleSetup& setup);
const std::vector<std::string>& muscleShapeNames();
/// Length of the muscle at rest along its axis [m].
double restLength(const GridShape& shape);
/// Unit vector from the middle of the first plane to the middle of the last one.
Vec3 muscleAxis(const GridShape& shape);

/// Fibres, and tendons at both ends to planes; the last plane follows the moves.
GridModel makeMuscleBetweenPlanes(const MuscleSetup& setup);
GridModel makeMuscleBetweenPlanes(const MuscleSetup& setup, const GridShape& shape);
/// Position of the moving plane relative to rest [m].
double planeOffset(const std::vector<PlaneMove>& moves, double restLength, double time);

/// Where the biceps of the left arm pulls, in the body frame at rest [m].
struct ArmMeasurements {
  Vec3 elbow, elbowAxis;  ///< the axis points to the side; flexion turns against it
  Vec3 bicepsOrigin, bicepsInsertion;
};

/// An elbow that bends and stretches again: a smooth rise from `from` to `to` between start and
/// start + duration, and back after `hold`.
struct ElbowCurl {
  double from = 0;        ///< flexion from the rest pose [rad]
  double to = 2.0;        ///< [rad]
  double start = 0.5;     ///< [s]
  double duration = 1.5;  ///< [s]
  double hold = 0.7;      ///< [s]
};
double elbowAngle(const ElbowCurl& curl, double time);
/// Pose of the forearm relative to its rest pose.
Pose forearmPose(double flexion, const ArmMeasurements& arm);

/// The biceps between scapula (anchor 0, fixed) and radius (anchor 1), which turns with the elbow:
/// one-way coupling.
GridModel makeBicepsOnArm(const MuscleSetup& setup, const ElbowCurl& curl,
                          const ArmMeasurements& arm);

}  // namespace pneuma::flesh
