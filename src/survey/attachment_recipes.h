#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/points.h"
#include "pneuma/survey/measure_attachments.h"

/// What to measure for the default muscles, as tables.
namespace pneuma::survey::internal {

/// Points of a muscle's patch. Several points get the endings _1, _2...; on a bone of the middle
/// all get _l.
struct PatchRecipe {
  std::string bone, point;
  std::string muscle;  ///< mesh of the left side, or of the middle
  PatchRule rule;
  std::string onto;  ///< one mesh of a bone that is a set; empty: all of the bone
  double lift = 0;   ///< off the bone, for muscles that pass over it [m]
};

/// A place near landmarks of the body, moved onto the bone.
struct PlaceRecipe {
  std::string bone, point;
  anatomy::PointRef near;  ///< lengths in metres
};

const std::vector<PatchRecipe>& patchRecipes();
/// Places near landmarks, and the edges of ribs for the intercostals, found on their centrelines.
std::vector<PlaceRecipe> placeRecipes(const anatomy::PointTable& points);

/// Where the outside of a rib is looked for: beside its centreline, away from the chest.
std::vector<Vec3> ribOutside(const anatomy::PointTable& points, int rib, int count,
                             double distance);

}  // namespace pneuma::survey::internal
