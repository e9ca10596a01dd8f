#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "pneuma/io/mesh_file.h"

namespace pneuma::io {

/// What every mesh reader promises: either errors, or surfaces with triangles, finite positions and
/// indices in range.
inline void checkMeshPromises(std::string_view content, const std::string& ending) {
  const auto result = parseMeshes(content, "fuzz" + ending, ending);
  if (!result) {
    if (result.diagnostics().empty() || toString(result.diagnostics()).empty()) std::abort();
    return;
  }
  if (result->empty()) std::abort();
  for (const NamedMesh& m : *result) {
    if (m.mesh.triangles.empty()) std::abort();
    for (const Vec3& p : m.mesh.positions)
      if (!p.allFinite()) std::abort();
    for (const Triangle& t : m.mesh.triangles)
      for (const auto i : t)
        if (i < 0 || static_cast<std::size_t>(i) >= m.mesh.vertexCount()) std::abort();
  }
}

}  // namespace pneuma::io
