#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/core/progress.h"
#include "pneuma/survey/measure_pack.h"

namespace pneuma::survey {

/// What is taken over from a folder of real meshes.
struct ImportConfig {
  bool muscles = true;
  double smallestMuscle = 1e-6;  ///< muscles below are left out [m^3]
};

/// What an import did.
struct ImportReport {
  int bones = 0, muscles = 0;
  int repaired = 0;                  ///< meshes that needed cleaning
  std::vector<std::string> skipped;  ///< what was left out, and why
};

/// Writes a body whose bones and muscles are the meshes of a folder: `out`/body.toml with
/// `[[bone]]` entries that name their surfaces in `out`/bones, and one line muscle for each muscle
/// mesh in `out`/muscles, from end to end along the middle of the solid, tied to the bones its ends
/// are nearest to, with volume and mean cross-section as PCSA.
///
/// Bones that the default body holds as one (skull, hand, foot pieces) are joined by the same table
/// that measuring uses. Cleaning: double points joined, crumbs below 0.2 % of the volume and inner
/// shells dropped, inverted meshes turned. Open or non-manifold meshes are reported and left out.
/// Nothing appears in `out` unless everything could be written.
ImportReport importBody(const AnatomyPack& pack, const std::filesystem::path& out,
                        const ImportConfig& config, Progress& progress);

/// Cleans one mesh as above; returns whether anything changed.
bool cleanMesh(TriangleMesh& mesh);

}  // namespace pneuma::survey
