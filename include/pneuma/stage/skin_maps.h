#pragma once

#include <filesystem>
#include <memory>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/render/image.h"
#include "pneuma/stage/complexion.h"

/// The skin's colour and relief as pictures over its texture atlas, for other programs.
namespace pneuma::stage {

/// What a skin of few triangles is painted with.
struct SkinMaps {
  render::Image color;  ///< sRGB, without light
  render::Image
      normal;  ///< in the tangent space of the coarse mesh: x along u, y up in the picture
};

/// Settings of the maps.
struct SkinMapConfig {
  int size = 1024;  ///< pixels of a side, 16 to 8192
};

/// Paints the atlas: every texel knows its place on the body of reference, whose colour it takes
/// (complexionAt), and the direction that the finer skin faces there,
///
///   n = R^T (n_fine - s_t t - s_b b)     R = (t, b, n) of the mesh that will be shown,
///
/// s: slopes of pores and fine lines (poreHeight), so that forms which only the finer mesh has
/// still catch the light. Levels of one skin share their charts, so both are read at one place of
/// the picture. Seams are padded.
///
/// `shown` is the topology of the mesh that will carry the maps; a level of it or of a finer one is
/// `fine`, whose first vertices are the shown mesh's. Throws InputError for another topology or
/// size.
SkinMaps makeSkinMaps(const anatomy::SkinTopology& shown, const anatomy::SkinSurface& fine,
                      const Complexion& complexion, const SkinMapConfig& config = {});

/// Adds both maps to a scene and gives a skin's material that wears them.
io::GltfMaterial paintedMaterial(const SkinMaps& maps, io::GltfMaterial material,
                                 io::GltfScene& scene);

/// Writes a person's skin as OBJ, with `<stem>.mtl`, `<stem>_color.png` and `<stem>_normal.png`
/// beside it. Gives the number of triangles.
std::size_t writeSkinObj(const std::filesystem::path& path, const anatomy::Body& measured,
                         const anatomy::Person& person, const SkinMapConfig& config = {});

}  // namespace pneuma::stage
