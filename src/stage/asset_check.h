#pragma once

#include "pneuma/stage/asset.h"

namespace pneuma::stage::internal {

/// Throws InputError with everything that does not fit together.
void checkAsset(const AssetInput& input, const AssetConfig& config);

/// Whether any of the poses differs from rest by more than can be seen.
bool moves(const std::vector<Pose>& poses, const Pose& rest, bool turns);

}  // namespace pneuma::stage::internal
