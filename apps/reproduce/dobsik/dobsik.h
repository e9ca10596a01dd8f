#pragma once

#include "reproduce/reproduce.h"

namespace pneuma::reproduce::dobsik {

/// The experiments of Dobsik and Frydrych (figures 1, 3, 4, energy, integrators). `quick`: coarser
/// grids, one resolution for the integrators, no film.
Outcome run(const Context& context, bool quick);

}  // namespace pneuma::reproduce::dobsik
