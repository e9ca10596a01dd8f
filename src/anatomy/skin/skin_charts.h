#pragma once

#include <array>

#include "anatomy/skin/symmetric_mesh.h"
#include "pneuma/anatomy/skin_surface.h"

/// The left half of the skin cut into pieces that lie flat: which triangle belongs to which chart,
/// and where charts are cut open, so that each is a disc.
namespace pneuma::anatomy::internal {

/// Charts of one half. The first three continue across the mid-plane.
enum class SkinChart : std::uint8_t {
  Head,  ///< with the neck; open along the back of the head
  TrunkFront,
  TrunkBack,
  Arm,  ///< from the shoulder to the wrist, open on its inner side
  Palm,
  HandBack,
  Leg,  ///< to the ankle, open on its inner side
  Foot,
  Sole
};
inline constexpr int kSkinCharts = 9;
inline constexpr int kMiddleCharts = 3;
std::string_view name(SkinChart chart);

struct ChartSet {
  std::vector<SkinChart> chart;      ///< of each left triangle
  std::vector<Triangle> triangles;   ///< each left triangle in chart vertices
  std::vector<std::int32_t> vertex;  ///< the vertex of each chart vertex
  /// Chart vertices on which a middle chart and its image meet.
  std::vector<char> onMirror;
};

ChartSet cutIntoCharts(const SymmetricMesh& subject, const std::vector<SkinPart>& parts);

}  // namespace pneuma::anatomy::internal
