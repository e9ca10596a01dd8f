#pragma once

#include <vector>

#include "shape/training.h"

namespace pneuma::shape::internal {

/// Errors of the model, of its variants and of baselines on the people who were held out; empty
/// when there are none.
std::vector<ErrorLine> evaluate(const PeopleFolder& people, const ShapeTemplate& shape,
                                const GradientMap& map, const Training& training,
                                const BreathModel& model, bool paper, Progress& progress);

}  // namespace pneuma::shape::internal
