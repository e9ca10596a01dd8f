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

/// The same where nothing weighs, at rest there.
inline LivingModel weightless(LivingModel m) {
  m.tree.gravity.setZero();
  m.cage = breath::makeCage(m.cage.anatomy, m.options.cage, m.tree, [&](const std::string& bone) {
    for (std::size_t i = 0; i < m.compiled.boneNames.size(); ++i)
      if (m.compiled.boneNames[i] == bone) return m.boneLink[i];
    return -1;
  });
  return m;
}

}  // namespace pneuma::body
