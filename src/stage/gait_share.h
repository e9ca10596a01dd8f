#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::stage::internal {

/// Takes out of moving points what repeats with every cycle of a gait, so that breath is left,
/// whose time is another.
///
/// With m(t) the mean over one cycle around t, in which a gait has no part, what repeats is the
/// mean of x(t) - m(t) over all frames of the same phase. Breath keeps its part of x - m, because
/// its phase differs from cycle to cycle and averages out. Frames within half a cycle of the ends
/// are not counted. Nothing changes when fewer than three cycles are left.
void removeGait(std::span<const double> times, double cycle,
                std::vector<std::vector<Vec3>>& frames);

/// Whether a loop of so many seconds holds whole cycles (within 3 % of one): breath and gait are
/// locked, and what the gait does belongs to the loop.
bool isLocked(double loopSeconds, double cycle);

}  // namespace pneuma::stage::internal
