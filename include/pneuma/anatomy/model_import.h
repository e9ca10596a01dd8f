#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/compile.h"

/// Skeletons and muscles of other programs in: OpenSim 4 (.osim) and MuJoCo (MJCF).
namespace pneuma::anatomy {

/// A model as a compiled body: links at their pose with all coordinates zero, joints, inertias,
/// muscle lines and springs. Bones, person, lungs and skin are not in such files: they stay empty.
struct ImportedModel {
  CompiledBody body;
  std::vector<std::string> dropped;  ///< what the file has and we could not take, one line each
};

/// Reads a model from its text. Errors name file and line: broken XML, numbers that are none, a
/// joint or point on a body that is not there, bodies that form no tree.
///
/// Taken: Body; WeldJoint, PinJoint, SliderJoint, UniversalJoint, GimbalJoint, BallJoint,
/// FreeJoint, PlanarJoint, and CustomJoint whose axes follow one coordinate each with slope 1 or
/// -1; every muscle with its path points, peak force, fibre and tendon length and pennation;
/// PointToPointSpring; SpringGeneralizedForce.
/// Dropped and said: axes that follow a coordinate by a curve (held at zero), wrap objects, points
/// that come, go or move, constraints, other forces, contact and markers.
Result<ImportedModel> importOsim(std::string_view text, const std::string& file);

/// Taken: body with pos, quat, axisangle or euler (xyz); inertial; joint (hinge, slide, ball, free)
/// and freejoint; site; spatial tendon over sites, as muscle where an actuator `muscle` pulls it,
/// as spring where it has stiffness and two sites, else as a line that only guides. Dropped and
/// said: defaults for these, included files, masses of geoms, wraps and pulleys, equality
/// constraints, other actuators, several joints of a body at different places.
Result<ImportedModel> importMjcf(std::string_view text, const std::string& file);

/// By what the file holds. Throws InputError for one that is neither.
ImportedModel importModel(const std::filesystem::path& path);

}  // namespace pneuma::anatomy
