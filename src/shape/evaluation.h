#pragma once

#include "shape/training.h"

namespace pneuma::shape::internal {

/// Fills `errors` and `trials` of what was learned: of the model, of its variants and of baselines
/// on the people who were held out; left empty when there are none.
void evaluate(const PeopleFolder& people, const ShapeTemplate& shape, const GradientMap& map,
              const Training& training, bool paper, Progress& progress, Learned& learned);

}  // namespace pneuma::shape::internal
