#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/skin/joint_groups.h"

namespace pneuma::skin {

/// How far each joint group carries each vertex: what a game's armature needs, and what the weights
/// driver uses.
struct SkinWeights {
  static constexpr std::size_t kMost = 4;  ///< influences of a vertex
  struct Vertex {
    std::array<std::int32_t, kMost> group{};
    std::array<double, kMost> weight{};  ///< descending, sum 1
  };
  std::vector<Vertex> vertices;
  /// Of all that a vertex has outside the trunk, the largest, scaled to the sum of all of it: the
  /// rest, up to 1, is the trunk's. Where a fifth group outweighs a fourth `vertices` take a step
  /// (an arm comes in with 12 % beside a nipple, past four vertebrae); these go on smoothly. Empty:
  /// as `vertices` have it.
  std::vector<Vertex> limbs;

  /// Sum of a vertex's weights over the groups marked in `chosen`.
  double share(std::size_t vertex, const std::vector<bool>& chosen) const;
  /// `limbs` of a vertex; `trunk` marks the trunk's groups.
  Vertex outside(std::size_t vertex, const std::vector<bool>& trunk) const;
};

/// Where the weights come from: for each vertex the group of the nearest bone that can carry it,
/// and the distance to that bone [m].
struct WeightSources {
  std::vector<std::int32_t> group;
  std::vector<double> distance;
};

/// The nearest bone under each vertex, by samples of the bones' surfaces. The part of the body that
/// a vertex belongs to says which bones can carry it, so that a hand beside a thigh or an arm
/// beside the chest never takes hold of it.
WeightSources findWeightSources(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                                const JointGroups& groups, const std::vector<BoneSample>& samples);

/// Heat that flows from the bones into the skin and along it, in equilibrium [Baran07]:
///
///   -lap w_j + H (w_j - p_j) = 0     H = c / (d + d0)^2     p_j = 1 where j is the source, else 0
///
///   w_j  weight of group j [-]       d   distance to the nearest bone [m]
///   lap  Laplacian of the surface (cotangent formula), so that the result does not depend on the
///        resolution of the mesh; negative cotangents count as zero, so that 0 <= w_j <= 1
///
/// One passes into the next over about (d + d0) / sqrt(c): wide where flesh is thick. The sum over
/// j is 1 by construction. The four largest are kept and scaled to sum 1, and those outside the
/// trunk (`limbs`). A mesh that is its own
/// mirror image gets mirrored weights (vertices and groups ending in _l and _r are paired).
///
/// Departure: d0 is added to the distance. The original passes abruptly where skin lies on the
/// bone, as at the knee (skin_weights_test, PassesOverWidelyEvenWhereTheBoneIsNear).
struct WeightConfig {
  double conductance = 1;  ///< c [-], > 0
  double softness = 0.02;  ///< d0 [m], > 0
};
SkinWeights diffuseWeights(const TriangleMesh& mesh, const WeightSources& sources,
                           const JointGroups& groups, const WeightConfig& config = {});

/// Both steps for a body fitted to the person whose skin `surface` is.
SkinWeights makeSkinWeights(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                            const JointGroups& groups, const anatomy::GeometryCache& cache,
                            const WeightConfig& config = {});

/// For each vertex its mirror image at x = 0, itself in the mid-plane, or -1 where there is none
/// within 1e-9 m.
std::vector<std::int32_t> mirrorVertices(const std::vector<Vec3>& positions);

}  // namespace pneuma::skin
