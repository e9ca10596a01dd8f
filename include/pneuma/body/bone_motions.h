#pragma once

#include <vector>

#include "pneuma/body/living_model.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::body {

/// Motion of each bone of the body from its place at rest; bones that no link carries go with the
/// root.
void boneMotions(const LivingModel& model, const skeleton::Kinematics& kinematics,
                 std::vector<Pose>& bones);

}  // namespace pneuma::body
