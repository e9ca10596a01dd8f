#pragma once

#include "anatomy/skin/skin_charts.h"

namespace pneuma::anatomy::internal {

/// Names of the charts: middle ones, left ones, right ones.
std::vector<std::string> atlasChartNames();

/// The atlas of the coarsest level.
SkinAtlas makeAtlas(const SymmetricMesh& subject, const std::vector<SkinPart>& parts);

/// The atlas of the next finer level: middles of edges in the texture as on the surface, so charts
/// keep their outlines and nothing can overlap that did not before.
SkinAtlas subdivided(const SkinAtlas& coarse, std::size_t coarseVertices,
                     std::span<const Triangle> coarseTriangles);

}  // namespace pneuma::anatomy::internal
