#pragma once

#include "pneuma/breath/torso_model.h"

namespace pneuma::breath::internal {

/// Weighs spine with head, sternum and ribs, and finds the axes and stiffness of the rib joints.
void addParts(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoModel& model);

}  // namespace pneuma::breath::internal
