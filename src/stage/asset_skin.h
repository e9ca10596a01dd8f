#pragma once

#include "pneuma/stage/asset.h"

namespace pneuma::stage::internal {

/// The skin as a mesh of render vertices, with tangents, breath targets and levels of detail.
io::GltfMesh skinMesh(const AssetInput& input, const AssetConfig& config);

}  // namespace pneuma::stage::internal
