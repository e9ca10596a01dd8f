#pragma once

#include "pneuma/io/gltf_writer.h"

namespace pneuma::io::internal {

/// Throws InputError with everything that would make a file no viewer could show.
void checkScene(const GltfScene& scene);

}  // namespace pneuma::io::internal
