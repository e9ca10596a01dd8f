#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/gltf_document.h"

/// Views compressed by EXT_meshopt_compression (and its KHR successor of the same layout).
namespace pneuma::io::internal {

/// What the extension says about a view.
struct MeshoptView {
  std::size_t buffer = 0, offset = 0, length = 0;  ///< the compressed bytes
  std::size_t stride = 0, count = 0;               ///< of the elements they hold
  std::string mode, filter;
};

bool isMeshoptName(std::string_view extension);
/// A buffer without bytes, which decoders fill.
bool isMeshoptFallback(const GltfDocument::Json& buffer);
/// The extension of view `index`, checked: stride and mode are usable. Nothing without it.
std::optional<MeshoptView> meshoptView(const GltfDocument::Json& view, std::size_t index);
/// The view's elements, count x stride bytes. Throws GltfProblem for damaged data.
std::string decodedMeshopt(const MeshoptView& view, std::string_view bytes, std::size_t index);

}  // namespace pneuma::io::internal
