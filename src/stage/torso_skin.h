#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/breath/trunk_skin.h"

namespace pneuma::stage::internal {

/// The person's skin, bound to the trunk and the shoulders. Legs stand still, the pelvis follows by
/// half, everything above wholly; the steps between parts are spread over the surface.
breath::TrunkSkin makeTorsoSkin(const breath::BreathSimulation& simulation,
                                const anatomy::Body& body);

}  // namespace pneuma::stage::internal
