#include "pneuma/fit/soft_tissue.h"

#include <algorithm>

#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::fit {
namespace {

std::vector<double> distances(std::span<const Vec3> skin, TriangleMesh bones) {
  const SurfaceQuery query(std::move(bones));
  std::vector<double> found(skin.size());
  parallelFor(skin.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) found[v] = query.closest(skin[v]).distance;
  });
  return found;
}

/// Of rising values.
double hundredth(std::span<const double> sorted, double percent) {
  return sorted[static_cast<std::size_t>(percent / 100 * static_cast<double>(sorted.size() - 1))];
}

std::vector<double> sortedOf(const std::vector<double>& all,
                             const std::vector<anatomy::SkinPart>& parts, anatomy::SkinPart part) {
  std::vector<double> own;
  for (std::size_t v = 0; v < all.size(); ++v)
    if (parts[v] == part) own.push_back(all[v]);
  std::ranges::sort(own);
  return own;
}

}  // namespace

SoftTissue softTissue(const FittedFigure& fitted, const CarriedAnatomy& inside,
                      const anatomy::GeometryCache& cache) {
  TriangleMesh carried, ours;
  for (const anatomy::Shape& s : fitted.figure->body->shapes) {
    if (!inside.find(s.bone)) continue;
    append(ours, cache.boneMesh(s.shape, anatomy::kLightBone));
    append(carried, carriedMesh(inside, s, cache));
  }
  SoftTissue result;
  result.thickness = distances(fitted.skin.mesh.positions, std::move(carried));
  const std::vector<double> usual = distances(fitted.figure->skin.mesh.positions, std::move(ours));
  for (int i = 0; i < anatomy::kSkinParts; ++i) {
    const auto part = static_cast<anatomy::SkinPart>(i);
    const std::vector<double> own = sortedOf(result.thickness, fitted.skin.parts, part);
    const std::vector<double> person = sortedOf(usual, fitted.figure->skin.parts, part);
    if (own.empty() || person.empty()) continue;
    result.parts.push_back(
        {part, hundredth(own, 5), hundredth(own, 50), hundredth(own, 95), hundredth(person, 50)});
  }
  return result;
}

}  // namespace pneuma::fit
