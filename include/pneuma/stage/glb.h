#pragma once

#include <filesystem>
#include <string>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/stage/cast.h"
#include "pneuma/stage/frame_track.h"
#include "pneuma/stage/licence.h"

namespace pneuma::stage {

/// Names in a file.
struct GlbOptions {
  std::string animation = "motion";
  std::string root;        ///< node above all others; empty: none
  std::string linkPrefix;  ///< before the names of links, where bones have the same ones
  std::string copyright = kBodyLicence;  ///< `asset.copyright`
};

/// A cast in the frames of a clip as a glTF scene.
///
/// Each link is a node in the tree of the layout, at its own frame, with its rigid parts below; a
/// soft part is a mesh with a few morph targets (io::compressFrames) below its carrier; the lines
/// of a line part are one such mesh, their names in its extras. A clip of one frame gives a scene
/// at rest.
io::GltfScene castScene(const Cast& cast, const Clip& clip, const GlbOptions& options = {});

/// The same as a file, complete or not at all.
void writeGlb(const std::filesystem::path& path, const Cast& cast, const Clip& clip,
              const GlbOptions& options = {});

}  // namespace pneuma::stage
