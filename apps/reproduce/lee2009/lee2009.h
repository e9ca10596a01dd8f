#pragma once

#include "reproduce/reproduce.h"

namespace pneuma::reproduce::lee2009 {

/// Runs the control experiments of [Lee09, Sec. 5] on the upper body: curls, coactivation, a load
/// that jumps, breathing ribs, the pectoral dance, sensitivity to muscle parameters, and principal
/// components of activations. `quick`: shorter motions, fewer trials, no film.
Outcome run(const Context& context, bool quick);

}  // namespace pneuma::reproduce::lee2009
