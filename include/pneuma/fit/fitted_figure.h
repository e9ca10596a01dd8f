#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/fit/body_frame.h"
#include "pneuma/fit/figure_template.h"
#include "pneuma/fit/part_maps.h"
#include "pneuma/shape/registration.h"

/// Own characters: from any surface of a person to a fitted body, and the breath back to it.
namespace pneuma::fit {

/// A place that was found on a character, or given for it.
struct Landmark {
  std::string name;           ///< "wrist_l", "crotch", "neck"...
  Vec3 place = Vec3::Zero();  ///< body frame [m]
};

/// How well a figure fits.
struct FitReport {
  std::string unit;   ///< of the file, as found
  double height = 0;  ///< of the character [m]
  double volume = 0;  ///< within its skin [m^3]
  bool sexGiven = false;
  double sexConfidence = 1;       ///< of the sex found, 0.5 (a guess) to 1
  double asymmetry = 0;           ///< of its five ends (FiveEnds)
  bool symmetric = false;         ///< its skin is its own mirror image: so are its joints, then
  shape::SurfaceDistances start;  ///< of the posed template, trunk [m]
  shape::SurfaceDistances trunk;  ///< of the registered skin's trunk from the character [m]
  shape::SurfaceDistances skin;   ///< of the registered skin outside hands and head's pockets [m]
  shape::SurfaceDistances character;  ///< of the character from the registered skin, likewise [m]
  std::vector<std::string> notes;     ///< repairs, guesses
  std::vector<std::string> warnings;  ///< what a person could not have
};

/// A character as a person of ours: who it is, how it stands, and our one skin lying on it.
struct FittedFigure {
  anatomy::Person person;                        ///< sex, height and mass found or given
  BodyFrame frame;                               ///< from the character's file to the body
  FoundJoints pose;                              ///< the character's joints; body frame [m]
  std::array<bool, kNamedPairs.size()> given{};  ///< which of kNamedPairs were given, not found
  std::shared_ptr<const FigureTemplate> figure;  ///< our person, of that sex, height and mass
  PartMaps posed;                   ///< its parts in the character's pose and proportions
  std::vector<Vec3> start;          ///< its skin so posed, before registration [m]
  FigureJoints restJoints;          ///< the same bones' in our rest pose [m]
  std::vector<Landmark> landmarks;  ///< where they were found
  /// The one skin at its coarsest level, vertices on the character, in its pose; body frame [m].
  anatomy::SkinSurface skin;
  /// The same skin with the character's shape in our rest pose, arms hanging [m].
  std::vector<Vec3> restSkin;
  /// Turn of each vertex from our rest pose to the character's.
  std::vector<Mat3> turns;
  FitReport report;

  /// The skin's vertices in the file's own frame and units.
  std::vector<Vec3> skinInFile() const { return frame.toFile(skin.mesh.positions); }
};

}  // namespace pneuma::fit
