#pragma once

#include <vector>

#include "pneuma/anatomy/bone_shape.h"

namespace pneuma::anatomy {

/// Places near a bone's surface, each drawn onto it along the field's slope, a few millimetres at
/// most; what lies farther off comes nearer. No mesh is made.
std::vector<Vec3> drawnOntoBone(const BoneShape& shape, std::vector<Vec3> places);

}  // namespace pneuma::anatomy
