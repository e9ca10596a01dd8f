#pragma once

#include "pneuma/body/living_model.h"
#include "tests/support/human_breath.h"

namespace pneuma::body {

inline constexpr double kStep = 0.004;  // [s]

/// The measured man, as he is: what is shown on him holds for everybody.
inline const LivingModel& measuredMan() {
  static const LivingModel model = makeLivingModel(test::humanBody());
  return model;
}

}  // namespace pneuma::body
