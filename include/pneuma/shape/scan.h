#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/shape/registration.h"
#include "pneuma/shape/shape_template.h"

/// What a body scanner would have seen of a skin: the test of a registration, for the truth is
/// known.
namespace pneuma::shape {

struct ScanConfig {
  double noise = 0.5e-3;                             ///< along the normal, deviation [m]
  int holes = 12;                                    ///< torn at random places
  double smallestHole = 0.015, largestHole = 0.035;  ///< radius [m]
  double shift = 0.008, turn = 0.02;                 ///< where the person stands, most [m], [rad]
  double armTurn = 0.03;                             ///< of each arm at the shoulder, most [rad]
  int painted = 0;                                   ///< points painted on the trunk
  double paintNoise = 0.5e-3;                        ///< of finding them, in each direction [m]
  std::uint64_t seed = 1;
};

struct Scan {
  TriangleMesh mesh;          ///< open, other triangles than the skin's
  std::vector<Anchor> paint;  ///< vertices of the skin and where they were seen
  Pose X_SW;                  ///< from the skin's place to the scan's
};

/// A scan of `skin`: four triangles for each of the skin's whose corners slide anywhere near on the
/// surface, noise, holes; what no camera of a ring around the person sees (armpits, crotch) is
/// missing; arms hang a little otherwise; the whole is turned and shifted. Of the truth only arms
/// change. The same for the same seed.
Scan simulateScan(const ShapeTemplate& shape, std::span<const Vec3> skin, const ScanConfig& config);

}  // namespace pneuma::shape
