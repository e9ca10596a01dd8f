#pragma once

#include <string>
#include <vector>

#include "pneuma/fit/fitted_figure.h"
#include "pneuma/fit/volume_map.h"

/// The anatomy carried into a character: bones stay bones.
namespace pneuma::fit {

/// A bone of our person where the character has it.
struct CarriedBone {
  std::string name;
  AffineMap map;          ///< from our person at rest to the character in its pose; body frame
  double length = 1;      ///< of the bone against our person's
  double distortion = 0;  ///< how far the map of space would have bent it, rms [m]
};

/// What became of the inside.
struct CarriedAnatomy {
  std::vector<CarriedBone> bones;  ///< in the body's order
  FigureJoints joints;             ///< centres in the character's pose [m]
  double cageVolume = 0;           ///< of the rib cage's hull against our person's, ratio

  const AffineMap* find(const std::string& bone) const;
};

/// Bones of `figure` carried by the map of space that takes its posed skin to the registered one:
///
/// - the cage (ribs, cartilages, sternum, thoracic vertebrae) and the pelvis (hip bones, sacrum)
///   each as one piece, by the affine map that comes nearest, so that joints within stay closed;
/// - long bones by the similarity through their two joint centres, which neighbours share;
/// - each other bone by the similarity that comes nearest.
///
/// `posed` are the parts that gave the registration its start (FittedFigure::posedParts).
CarriedAnatomy carryBones(const FigureTemplate& figure, const FittedFigure& fitted);

}  // namespace pneuma::fit
