#pragma once

#include "pneuma/anatomy/body.h"
#include "reproduce/reproduce.h"

namespace pneuma::reproduce::nedel2000 {

/// The experiments of Nedel and Thalmann 2000 (figures 6, 10-13, 18-20, section 6.3) on the body of
/// a person. `muscles` is a folder with measured muscles (muscles/*.ply) for figure 6; empty: the
/// shared one if it is there. This one keeps no checkpoints.
Outcome run(const Context& context, const anatomy::Body& measured, const anatomy::Person& person,
            const std::filesystem::path& muscles);

}  // namespace pneuma::reproduce::nedel2000
