#pragma once

#include "pneuma/breath/cage_model.h"

/// The joints between ribs and spine as the cage's settings have them, for every tree that carries
/// a cage.
namespace pneuma::breath {

/// Unit axis at rest about which rib `level` (from 1) of `side` (0 left, 1 right) turns; a positive
/// turn raises its end.
Vec3 ribAxis(const TorsoAnatomy& anatomy, int level, int side);

/// What a rib resists that axis with: stiffness with age, friction.
skeleton::DofResistance ribResistance(const TorsoAnatomy& anatomy, const TorsoConfig& config);

/// Gives the ribs of a tree these axes and this resistance, in place of its articulation's own, and
/// lets the sternum hang freely on what the cage holds it by. Throws InputError for a rib that is
/// not on a hinge of its own.
void setCageJoints(const TorsoAnatomy& anatomy, const TorsoConfig& config, const BoneLinks& links,
                   skeleton::Model& tree);

}  // namespace pneuma::breath
