#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"

/// OpenSim 4 models (.osim, XML) out.
namespace pneuma::anatomy {

/// What an export to OpenSim holds.
struct OsimOptions {
  bool muscles = true;  ///< write muscles (Millard2012EquilibriumMuscle)
  bool springs = true;  ///< write springs (PointToPointSpring) and joint resistance
};

/// A model for another program, and what it could not carry.
struct OsimModel {
  std::string text;
  std::vector<std::string> dropped;  ///< one line each, for people
};

/// The body as an OpenSim 4 model (document version 40000): the same links, joints, inertias,
/// muscle paths and springs, +Y up, numbers with all their digits.
///
/// A link is a Body whose frame sits at its joint, with the axes of the body frame at rest. Joints:
///
///   Sequence  CustomJoint, slides first and then up to three hinges, body-fixed one after another;
///             a sequence of another shape becomes several, over massless bodies
///             `<link>_between<n>`
///   Ball      BallJoint, whose coordinates are body-fixed x, y and z angles
///   Free      FreeJoint: the same angles, then the position
///   Fixed     WeldJoint
///
/// A muscle is a Millard2012EquilibriumMuscle with our peak force, optimal fibre length, pennation
/// and tendon slack length, and a rigid tendon; its curves are OpenSim's defaults. A line that only
/// guides is a PathSpring without stiffness. Stiffness and damping of a freedom are a
/// SpringGeneralizedForce. Dropped: damping of springs between points, rhythms, limits of balls.
OsimModel toOsim(const CompiledBody& body, const OsimOptions& options = {});

}  // namespace pneuma::anatomy
