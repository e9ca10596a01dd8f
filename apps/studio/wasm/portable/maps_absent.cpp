#include "pneuma/core/error.h"
#include "pneuma/stage/skin_maps.h"

/// Pictures are not painted in this build: assets of the page have a skin of one colour.
namespace pneuma::stage {

io::GltfMaterial paintedMaterial(const SkinMaps&, io::GltfMaterial, io::GltfScene&) {
  throw InputError("maps of the skin cannot be painted here");
}

}  // namespace pneuma::stage
