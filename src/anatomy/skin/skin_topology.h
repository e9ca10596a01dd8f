#pragma once

#include "anatomy/skin/skin_carry.h"

/// What all people share: the subject's mesh at each level, labels and atlas.
namespace pneuma::anatomy::internal {

/// Labels each vertex by the nearest piece of the measured envelope and its place.
std::vector<SkinPart> skinLabels(const SymmetricMesh& subject, const SkinEnvelope& envelope);

/// The subject's mesh, subdivided `level` times. Finer vertices lie on the edges of the coarsest
/// level, not on the skin: only their order and their places on the subject are used.
SymmetricMesh templateAtLevel(const SymmetricMesh& coarsest, int level);

/// The topology at a level; its labels and atlas are kept in `cache`.
SkinTopology topologyAtLevel(const SymmetricMesh& coarsest, const SkinEnvelope& envelope, int level,
                             const GeometryCache& cache);

}  // namespace pneuma::anatomy::internal
