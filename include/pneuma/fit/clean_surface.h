#pragma once

#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::fit {

/// A character's body made ready to be measured. The character's own vertices stay as they are:
/// this is a copy.
struct CleanSurface {
  TriangleMesh mesh;               ///< one piece, facing outwards
  std::vector<std::string> notes;  ///< what was repaired or left out, for the report
};

/// Joins equal corners, keeps the largest piece, turns it outwards.
///
/// Throws InputError for a surface that is no body: too few triangles, numbers that are not finite,
/// two pieces of about the same size (two people), triangles that face both ways, or wide open.
CleanSurface cleanSurface(const TriangleMesh& mesh);

/// The same surface with every edge longer than `longest` cut in halves, in turns, so that points
/// lie everywhere. Old vertices keep their numbers.
TriangleMesh splitLongEdges(TriangleMesh mesh, double longest);

}  // namespace pneuma::fit
