#include "stage/torso_skin.h"

#include <algorithm>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kTriangles = 80000;
constexpr int kSmoothing = 60;  // passes, a hand's breadth around hip and waist

/// How far each part of the skin follows the points around it.
double mobilityOf(anatomy::SkinPart part) {
  switch (part) {
    case anatomy::SkinPart::Thigh:
    case anatomy::SkinPart::Shank:
    case anatomy::SkinPart::Foot:
      return 0;
    case anatomy::SkinPart::Pelvis:
      return 0.5;
    default:
      return 1;
  }
}

/// Spreads the steps between parts over the surface.
void smooth(std::vector<double>& values, const TriangleMesh& mesh, int passes) {
  std::vector<double> sum(values.size());
  std::vector<int> count(values.size());
  for (int k = 0; k < passes; ++k) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(count.begin(), count.end(), 0);
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        sum[static_cast<std::size_t>(t[i])] += values[static_cast<std::size_t>(t[(i + 1) % 3])];
        ++count[static_cast<std::size_t>(t[i])];
      }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (count[i] > 0) values[i] = 0.5 * values[i] + 0.5 * sum[i] / count[i];
  }
}

}  // namespace

breath::TrunkSkin makeTorsoSkin(const breath::BreathSimulation& run, const anatomy::Body& body) {
  anatomy::SkinSurface skin =
      anatomy::makeSkinSurface(anatomy::skinModelOf(body), body, run.settings().person,
                               {.triangles = kTriangles}, anatomy::GeometryCache());
  std::vector<double> mobility;
  for (const anatomy::SkinPart part : skin.parts) mobility.push_back(mobilityOf(part));
  smooth(mobility, skin.mesh, kSmoothing);
  return {run.model(), *run.layer(), std::move(skin.mesh), mobility};
}

}  // namespace pneuma::stage::internal
