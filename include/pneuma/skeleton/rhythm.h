#pragma once

#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// Where freedom "joint.name" stands in q; -1: no such freedom.
int positionOf(const anatomy::CompiledBody& body, const Model& model, const std::string& freedom);

/// Completes a pose by the body's rhythms: joints that people move together. For each rhythm whose
/// leading freedom is stated and none of whose others is,
///
///   beyond    = max(0, leader - after)
///   follower += part * beyond          within the follower's range
///   leader   -= what the followers took, when the rhythm is shared
///
/// So a raised arm takes collar bone and shoulder blade along, and the arm as a whole turns by the
/// angle asked for. [Inman et al. 1944, J. Bone Joint Surg. 26:1]
/// `stated` tells for each entry of q whether the pose names it.
void followRhythms(const anatomy::CompiledBody& body, const Model& model,
                   const std::vector<bool>& stated, VecX& q);

}  // namespace pneuma::skeleton
