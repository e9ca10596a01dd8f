#pragma once

#include <functional>

#include "io/gltf_buffer.h"
#include "pneuma/io/gltf_writer.h"

namespace pneuma::io::internal {

/// Called with the name of what was just added to the buffer, to count its bytes.
using CountPart = std::function<void(const std::string& name)>;

/// The "meshes" of a file: those of the scene in order, then the levels of detail of each.
GltfBuffer::Json writeMeshes(const GltfScene& scene, GltfBuffer& buffer, const CountPart& count);

/// Index in the file of level k + 1 of a mesh.
std::size_t levelMesh(const GltfScene& scene, int mesh, std::size_t k);

}  // namespace pneuma::io::internal
