#pragma once

#include <map>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/fit/body_frame.h"

/// Own characters: from any surface of a person to a fitted body, and the breath back to it.
namespace pneuma::fit {

/// A place that was found on a character, or given for it.
struct Landmark {
  std::string name;           ///< "wrist_l", "crotch", "neck"...
  Vec3 place = Vec3::Zero();  ///< body frame [m]
};

/// A character as a person of ours: who it is, how it stands, and our one skin lying on it.
struct FittedFigure {
  anatomy::Person person;  ///< sex, height and mass found or given
  BodyFrame frame;         ///< from the character's file to the body
  /// Angles that take our person's rest pose to the character's [rad], by freedom
  /// ("shoulder_l.abduct").
  std::map<std::string, double> joints;
  std::vector<Landmark> landmarks;
  /// The one skin at its coarsest level, vertices on the character, in its pose; body frame [m].
  anatomy::SkinSurface skin;

  /// The skin's vertices in the file's own frame and units.
  std::vector<Vec3> skinInFile() const { return frame.toFile(skin.mesh.positions); }
};

}  // namespace pneuma::fit
