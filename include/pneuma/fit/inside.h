#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/fitted_shapes.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/taper.h"
#include "pneuma/fit/carried_hand.h"
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
  /// Pelvis, cage and head of a body with equal sides, nearest to what was carried; our rest pose
  /// and the character's share them.
  anatomy::TrunkRow pelvis, cage, head;
  double arm = 1, leg = 1;  ///< girth of long bones against our person's, at most 1
  /// Sections drawn in before the maps of the bones, so that they lie within the skin (slimBones).
  anatomy::PartTapers tapers;
  /// Hands whose fingers the character shows, left and right (fitHands); others go as one piece.
  std::array<std::optional<CarriedHand>, 2> hands;

  const AffineMap* find(const std::string& bone) const;
  const anatomy::Taper& taperOf(const std::string& bone) const;
};

/// Bones of `figure` carried by the map of space that takes its posed skin to the registered one:
///
/// - the cage (ribs, cartilages, sternum, thoracic vertebrae) and the pelvis (hip bones, sacrum)
///   each as one piece, so that joints within stay closed, left and right alike: the pelvis by the
///   map of its axes that comes nearest; the cage lies where that puts it, but is as large as
///   stature and the length of the trunk say, and only in part as the skin over it;
/// - long bones from one joint centre to the next, which neighbours share; across they keep our
///   person's girth, or are slimmer where the limb is: long legs have long bones, not thick ones;
///   about their line they turn with the flesh around them;
/// - neck, loins and shoulder girdle by the map that passes from pelvis to cage and head
///   (anatomy::FittedMap), so that the spine is one;
/// - each other bone by the similarity that comes nearest.
///
/// `wider` makes the cage wider than it would be: what it loses elsewhere; `head` is what then
/// becomes of skull and jaw (fitBones).
struct HeadChange {
  double size = 1;
  Vec3 shift = Vec3::Zero();  ///< x' = size x + shift, in the character's pose [m]
};
CarriedAnatomy carryBones(const FigureTemplate& figure, const FittedFigure& fitted,
                          double wider = 1, const HeadChange& head = {});
/// The same of bones that are carried already.
void changeHead(const HeadChange& head, CarriedAnatomy& inside);

/// Turns the bones of the hands about the line from wrist to fingers to where our hand lies nearest
/// to the character's `surface`: an arm that is brought from one pose to another by the shortest
/// way does not say which way its palm looks.
void turnHands(const FigureTemplate& figure, const FittedFigure& fitted, CarriedAnatomy& inside,
               const TriangleMesh& surface);

/// Brings the bones of the hands into the character's palms and fingers, joint by joint, where its
/// skin shows five fingers; a mitten's or a hand's of four keeps its one piece. Each piece lies
/// along the middle of its finger, as long as that is and no thicker, and is drawn in where it
/// would come through (slimBones).
void fitHands(const FigureTemplate& figure, const FittedFigure& fitted, CarriedAnatomy& inside,
              const TriangleMesh& surface, const anatomy::GeometryCache& cache);

/// A bone of our person as the character has it; empty for one that was not carried.
TriangleMesh carriedMesh(const CarriedAnatomy& inside, const anatomy::Shape& bone,
                         const anatomy::GeometryCache& cache);

/// What a body file keeps of a fit (anatomy::withFit): the trunk, the joint centres in our rest
/// pose, and the skin. Bones are as long as between the carried joints, the mean of both sides, and
/// lie in the limbs of the rest skin. The lowest point of the skin stands on the floor.
anatomy::FittedShapes fittedShapesOf(const FittedFigure& fitted, const CarriedAnatomy& inside,
                                     std::string character);

}  // namespace pneuma::fit
