#pragma once

#include <string>

#include "pneuma/shape/breath_model.h"

namespace pneuma::shape {

/// The bytes that runtime/breath_shape.h plays: one person, every number that weights and vertices
/// need, displacements as 16 bits of their largest. Vertices that no component moves by more than
/// 1 micrometre at ten deviations are left out.
std::string bakePerson(const BreathModel& model, const PersonBreath& person);

}  // namespace pneuma::shape
