#pragma once

#include <memory>

#include "pneuma/anatomy/body.h"
#include "pneuma/stage/population.h"
#include "reproduce/reproduce.h"

namespace pneuma::reproduce::tsoli2014 {

/// "Breathing Life into Shape" on simulated people: components of breath (Fig. 8), weights over
/// volume and type (Figs 11, 12), synthesised breath (Fig. 13), and what the paper does not have:
/// errors on people and styles that were not learned from, beside baselines, and components against
/// error. The population lies in `people` (made there if it is missing or unfinished); empty: in
/// the folder of the results.
Outcome run(const Context& context, std::shared_ptr<const anatomy::Body> measured,
            const stage::PopulationRequest& request, const std::filesystem::path& people);

}  // namespace pneuma::reproduce::tsoli2014
