#pragma once

#include <memory>

#include "pneuma/anatomy/body.h"
#include "pneuma/stage/population.h"
#include "pneuma/stage/pose_study.h"
#include "reproduce/reproduce.h"

namespace pneuma::reproduce::tsoli2014 {

/// What the reproduction is made from.
struct Options {
  stage::PopulationRequest population;
  std::filesystem::path people;  ///< made there if missing or unfinished; empty: with the results
  std::filesystem::path characters;               ///< bodies to register, or empty
  std::vector<std::filesystem::path> recordings;  ///< to act
  stage::PoseRequest poses;
  bool film = true;
};

/// "Breathing Life into Shape" on simulated people: its figures of bodies, registration, components
/// of breath and pose, type and volume, any shape and pose, breath acting; and what the paper does
/// not have: errors on people, styles and poses that were not learned from, beside baselines.
Outcome run(const Context& context, std::shared_ptr<const anatomy::Body> measured,
            const Options& options);

}  // namespace pneuma::reproduce::tsoli2014
