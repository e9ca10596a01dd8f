#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/torso_anatomy.h"
#include "pneuma/flesh/sealed_link_system.h"

namespace pneuma::breath {

/// The pectorals and shoulders of ShoulderLayer (trapezius and deltoid; left, then right) for a
/// body whose bones feel them: planned on the links of `tree`, which give their mass away. `body`
/// is fitted to its person, `linkOf` says which link carries a bone (-1: none). Throws InputError
/// when a bone under them is missing.
std::vector<flesh::SealedBodyPlan> planShoulderBodies(
    const anatomy::Body& body, const TorsoAnatomy& anatomy,
    const std::function<int(const std::string&)>& linkOf, skeleton::Model& tree);

}  // namespace pneuma::breath
