#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::shape {

/// Which half of the torso a triangle belongs to.
enum class TorsoHalf : std::uint8_t { None, Chest, Belly };

/// The topology that all people share, and what is known of its places.
///
/// [Tsoli14, Sec. 3.1] cuts the torso in two of about equal volume: chest and stomach. Here by a
/// level plane; the torso's volume below height y is the flux of (x, 0, z) / 2 through its skin
/// below y, to which level cuts add nothing.
struct ShapeTemplate {
  TriangleMesh mesh;                   ///< vhat of [Tsoli14, Eq. 1]
  std::vector<std::int32_t> mirror;    ///< of each vertex
  std::vector<std::string> partNames;  ///< parts that turn as one: "chest", "upper_arm_l"
  std::vector<int> partOfTriangle;     ///< l[t]
  std::vector<bool> trunkVertex;       ///< chest, abdomen, back, pelvis: where errors are counted
  std::vector<bool> fixedVertex;       ///< legs and feet: breath does not move them
  std::vector<TorsoHalf> halfOfTriangle;
  double cutHeight = 0;  ///< between chest and belly [m]

  std::size_t vertexCount() const { return mesh.vertexCount(); }
  std::size_t triangleCount() const { return mesh.triangleCount(); }
};

/// Whether errors are counted on a part of that name.
bool isTrunkPart(std::string_view name);

/// `vertexParts` as anatomy::name(SkinPart) spells them. Throws InputError for an unknown part, a
/// count that does not fit, or a body without legs to stand on.
ShapeTemplate makeShapeTemplate(TriangleMesh mesh, const std::vector<std::string>& vertexParts,
                                std::vector<std::int32_t> mirror);

/// Volumes that the torso's halves have gained between two shapes of one person [m^3].
///
///   V_half = sum over its triangles of dbar_t . (a_t + a'_t) / 2
///
/// dbar_t mean displacement of the corners, a_t and a'_t area vectors before and after. The sum
/// over a closed surface differs from the exact change of volume in the third order only.
struct HalfVolumes {
  double chest = 0, belly = 0, other = 0;
  double torso() const { return chest + belly; }
  double all() const { return chest + belly + other; }
};
HalfVolumes gainedVolumes(const ShapeTemplate& shape, std::span<const Vec3> before,
                          std::span<const Vec3> after);

/// Area of the torso's skin [m^2]: how far skin must move for a volume.
double torsoArea(const ShapeTemplate& shape, std::span<const Vec3> positions);

}  // namespace pneuma::shape
