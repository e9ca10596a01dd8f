#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/render/image.h"

namespace pneuma::cli {

/// The body at the start and now, side by side: bones, and every muscle as a line in the colour of
/// its activation.
render::Image moveStill(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
                        const muscle::DrivenBody& body, const muscle::DrivenBodyState& start);

}  // namespace pneuma::cli
