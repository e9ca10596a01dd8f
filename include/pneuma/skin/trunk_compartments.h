#pragma once

#include <array>
#include <span>
#include <vector>

#include "pneuma/anatomy/trunk.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Volumes of the trunk as optoelectronic plethysmography takes them from markers on the skin
/// (Aliverti 2001), in three compartments that move with it:
///
///   pulmonary rib cage   from the jugular notch to the level of the xiphoid
///   abdominal rib cage   from there to the costal margin
///   abdomen              from the margin to the iliac spines
///
/// Triangles of the skin at rest are told apart once; a volume is theirs, closed by fans over the
/// loops that border them, which neighbours share. Arms are left out where they meet the trunk.
class TrunkCompartments {
 public:
  static constexpr std::size_t kCount = 3;
  static constexpr std::array<const char*, kCount> kNames{"pulmonary_rib_cage",
                                                          "abdominal_rib_cage", "abdomen"};
  using Volumes = std::array<double, kCount>;  ///< [m^3]

  TrunkCompartments(const TriangleMesh& rest, const anatomy::TrunkAnatomy& trunk);

  Volumes volumes(std::span<const Vec3> positions) const;
  std::size_t triangleCount(std::size_t compartment) const {
    return parts_[compartment].triangles.size();
  }

 private:
  struct Loop {
    std::vector<std::array<std::int32_t, 2>> edges;  ///< directed, as the cap has them
  };
  struct Part {
    std::vector<Triangle> triangles;
    std::vector<Loop> loops;
  };
  std::array<Part, kCount> parts_;
};

}  // namespace pneuma::skin
