#pragma once

#include "pneuma/fit/inside.h"

namespace pneuma::fit::internal {

/// The change that brings the vault and the back of a carried skull to where they lie as deep under
/// the character's skin as our person's do under ours, in the least squares, and nowhere out of it.
/// Left and right alike. Face and base do not count: pockets of eyes and mouth reach in.
HeadChange headWithin(const FigureTemplate& figure, const CarriedAnatomy& inside,
                      const TriangleMesh& surface, const anatomy::GeometryCache& cache);

}  // namespace pneuma::fit::internal
