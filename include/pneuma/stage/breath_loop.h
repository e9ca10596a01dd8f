#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/stage/loop.h"

/// Breath as a layer over any motion: a few morph targets with speaking names, whose weights an
/// engine plays, scales, holds or leaves out.
namespace pneuma::stage {

/// Which target moves a piece of skin first.
enum class BreathRegion : std::uint8_t { Chest, Belly, Shoulders, Between };

/// Region of a part of the skin by its name (anatomy::SkinPart): chest; belly: abdomen, pelvis and
/// legs; shoulders: neck, head and arms; the back lies between chest and belly and is shared out by
/// its nearness to both. Throws InputError for an unknown name.
BreathRegion breathRegion(std::string_view skinPart);

/// A breathing skin in the rest pose of the body.
struct BreathRecording {
  std::span<const double> times;              ///< [s], rising
  std::span<const double> lungVolumes;        ///< [m^3], one per frame
  std::span<const std::vector<Vec3>> frames;  ///< skin vertices [m], one list per frame
  std::span<const Triangle> triangles;
  std::span<const BreathRegion> regions;  ///< one per vertex
  /// Skin and lung volume at the end of a quiet breath out; empty: found in the recording.
  std::span<const Vec3> base{};
  double baseVolume = 0;  ///< [m^3], with `base`
  /// How much of the trunk's skin the cage moves rather than the belly, 0 .. 1 per vertex, where
  /// that is known (skin::BreathLayer::chestShare); empty: the regions decide.
  std::span<const double> chestShare{};
};

/// How many targets, and how closely they follow.
struct BreathLoopConfig {
  double tolerance = 2e-4;      ///< largest distance of a vertex in a frame [m], > 0
  int mostTargets = 5;          ///< at most so many even above the tolerance, >= 2
  double framesPerSecond = 30;  ///< of the loop, > 0
  /// What to show; absent: all whole breaths (cutWholeBreaths).
  std::optional<LoopCut> cut;
};

/// A loop of whole breaths: skin = base + sum_k weight_k target_k.
struct BreathLoop {
  std::vector<Vec3> base;  ///< skin at the end of a breath out, where all weights are 0 [m]
  /// "breath_chest", "breath_belly"; where needed "breath_exhale" (below the end of a quiet breath
  /// out), "breath_shoulders", "breath_detail_1"...
  std::vector<io::MorphTarget> targets;
  std::vector<double> times;        ///< of the keys [s], from 0; the last key closes the loop
  std::vector<double> weights;      ///< keys x targets, in [0, 1]; the greatest of each is 1
  std::vector<double> lungVolumes;  ///< one per key [m^3]
  Loop loop;

  double largestError = 0;  ///< of any vertex in any recorded frame of the cut [m]
  double meanError = 0;     ///< root mean square over the vertices that move [m]
  double seamBefore = 0;    ///< largest distance between last and first frame of the cut [m]
  double seamAfter = 0;     ///< and between last and first key [m]

  std::size_t targetCount() const { return targets.size(); }
  /// The skin with these weights [m].
  std::vector<Vec3> shape(std::span<const double> weightsOfTargets) const;
};

/// Finds the targets of a recording and closes it to a loop.
///
/// With d_f = x_f - base the displacement in frame f, targets T_k and weights w_fk minimise
///
///   mean_f |d_f(v) - sum_k w_fk T_k(v)|^2 + lambda sum_k p_k(v) |T_k(v)|^2
///
/// in turns: T vertex by vertex (a K x K system), w frame by frame. p_k = (1 - m_k) / (m_k + 0.02)
/// less the least of them holds a target outside its region back (m_k: membership, spread over the
/// back and smoothed at the borders), with lambda = 0.05 beside a mean w^2 of about a third: chest
/// and belly that rise together are told apart by place, otherwise by time. A weaker hold lets
/// targets grow to twice the movement and cancel each other.
///
/// Weights begin as the share of the region's own greatest displacement. Further targets join while
/// a vertex is further off than the tolerance: `breath_exhale` when the volume falls by more than a
/// tenth of the inhaled below that of a given base; `breath_shoulders`; then the strongest
/// component of what is left, which leaves the others as they are.
///
/// No weight of the layer is negative, because Blender and other programs cut weights off at 0 and
/// 1. Without a given base, chest and belly need not be least at the same moment: the base becomes
/// the shape where each target is at its least. A given base stays as it is, and the weights are
/// found by non-negative least squares (coordinate descent).
///
/// Deterministic, same bits for any thread count. Throws InputError for lists of unequal length,
/// numbers that are not finite, or a recording without a whole breath.
BreathLoop makeBreathLoop(const BreathRecording& recording, const BreathLoopConfig& config = {});

}  // namespace pneuma::stage
