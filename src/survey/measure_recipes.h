#pragma once

#include <string>
#include <vector>

/// How each bone is measured: which meshes make it up and how many numbers describe it.
namespace pneuma::survey::internal {

/// A piece that is fitted on its own (a tooth row, a phalanx).
struct RecipePiece {
  std::vector<std::string> meshes;  ///< names in the folder (left side of a pair), joined
  int ellipsoids = 16;
  int cuts = 2;
  double spacing = 0.0015;   ///< of the fit's samples [m]
  double blend = 0.002;      ///< [m]
  int centreline = 0;        ///< points of the centreline to measure, 0: none
  bool filled = false;       ///< fill what the bone encloses (the cranial cavity)
  double thinnest = 0.0006;  ///< smallest radius of an ellipsoid [m]
  double plate = 0;          ///< > 0: plates are made at least this thick before fitting [m]
};

struct Recipe {
  std::string name;
  std::string group;
  bool paired = false;  ///< a left part with a right counterpart
  std::vector<RecipePiece> pieces;
};

const std::vector<Recipe>& boneRecipes();

}  // namespace pneuma::survey::internal
