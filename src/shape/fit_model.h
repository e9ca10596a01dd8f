#pragma once

#include "shape/training.h"

namespace pneuma::shape::internal {

/// What a model is made of.
struct ModelChoice {
  BreathInputs inputs = BreathInputs::KonnoMeadFlow;
  Eigen::Index scores = 0;      ///< of the person's shape at rest
  Eigen::Index components = 8;  ///< K of one person
};

/// Reduced-rank regression: least squares of all coordinates at once, then the modes that hold what
/// it predicts. Modes of the data, which the paper takes, spend their few numbers on what no input
/// predicts.
BreathModel fitModel(const PeopleFolder& people, const ShapeTemplate& shape,
                     const Training& training, const ModelChoice& choice);

}  // namespace pneuma::shape::internal
