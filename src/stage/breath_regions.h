#pragma once

#include <array>
#include <span>
#include <vector>

#include "pneuma/stage/breath_loop.h"

namespace pneuma::stage::internal {

/// How much a vertex belongs to chest, belly and shoulders; the three add up to 1.
using Membership = std::array<double, 3>;

/// Memberships from labels: what lies between takes that of its surroundings (the harmonic mean of
/// its neighbours), then all borders are softened over a few triangles, so that a target ends
/// without an edge. `chestShare`, unless empty, divides the trunk instead.
std::vector<Membership> memberships(std::span<const BreathRegion> regions,
                                    std::span<const Triangle> triangles,
                                    std::span<const double> chestShare);

}  // namespace pneuma::stage::internal
