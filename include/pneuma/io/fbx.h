#pragma once

#include <filesystem>

#include "pneuma/io/mesh_file.h"

namespace pneuma::io {

/// Whether this build reads FBX: it does when assimp (libassimp-dev) was there.
bool readsFbx();

/// The surfaces of an FBX file, placed by their nodes, polygons kept (NamedMesh::fans), corners of
/// equal place in one mesh joined. Through assimp, the one reader of ours that is somebody else's:
/// a damaged file gives its words. Errors: no assimp in this build, unreadable, no polygons,
/// numbers that are not finite.
Result<NamedMeshes> readFbx(const std::filesystem::path& path);

}  // namespace pneuma::io
