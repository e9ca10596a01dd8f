#pragma once

#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/action_line.h"

namespace pneuma::flesh {

/// A muscle surface as a regular grid: `slices` rings of `around` points across the action line,
/// and one point at either extremity. [Nedel00, Sec. 4.2 and Fig. 6]
///
/// Order of points: start extremity, then slice by slice (counter-clockwise seen against the line's
/// direction), then end extremity.
struct BellyGrid {
  int slices = 0;
  int around = 0;
  std::vector<Vec3> points;  ///< [m]

  int pointCount() const { return slices * around + 2; }
  int index(int slice, int a) const { return 1 + slice * around + a; }
  int startPole() const { return 0; }
  int endPole() const { return 1 + slices * around; }
};

/// Triangles of the grid as a closed surface, the same for every grid of this size.
std::vector<Triangle> bellyTriangles(int slices, int around);
TriangleMesh bellyMesh(const BellyGrid& grid);

/// What a resampling lost.
struct ResamplingLoss {
  double volumeRatio = 1;   ///< grid over original [-]
  double hausdorff = 0;     ///< largest distance between the two surfaces, both ways [m]
  double meanDistance = 0;  ///< of the original's vertices from the grid's surface [m]
  int misses = 0;           ///< rays that left the muscle sideways and took the neighbours' radius
};

/// A muscle as a grid, and what the grid lost of it.
struct ResampledBelly {
  BellyGrid grid;
  ResamplingLoss loss;
};

/// Resamples a closed muscle surface by star-shaped rays from its action line (outermost hit).
/// Where the line runs outside the muscle, the rays start from the centre of its cross-section
/// instead. Throws InputError for an open mesh or fewer than 1 slice or 3 points around.
ResampledBelly resampleBelly(const TriangleMesh& muscle, const ActionLine& line, int slices,
                             int around);

/// The same surface with `factor` times as many slices and points around, smooth through the given
/// ones (Catmull-Rom along both directions); for pictures.
BellyGrid refineBelly(const BellyGrid& grid, int factor);

/// A fusiform muscle around a line: radius at t in [0, 1] of the belly is maxRadius * sin(pi
/// t)^exponent.
BellyGrid makeFusiform(const ActionLine& line, double maxRadius, double exponent, int slices,
                       int around);

}  // namespace pneuma::flesh
