#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pneuma/breath/lung.h"
#include "pneuma/breath/torso_anatomy.h"
#include "pneuma/breath/torso_config.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/pressure_body.h"
#include "pneuma/skeleton/model.h"

/// The soft part of the breathing trunk [Zordan05]: spring-muscle elements between points of bones,
/// a diaphragm, an abdominal wall, a sealed gut and lungs. Bound to bones, it works on every tree
/// of links that carries them.
namespace pneuma::breath {

using flesh::PointArray;

// ---- muscle elements -----------------------------------------------------------------------

/// What a spring of the torso stands for; each group has its gains.
enum class MuscleGroup : std::uint8_t {
  ExternalIntercostal,
  InternalIntercostal,
  Diaphragm,
  Rectus,
  Transverse,  ///< transversus and obliques
  Scalene,
  Levator,  ///< levatores costarum
  Cartilage,
  Liner  ///< peritoneum and fascia between the strands
};
inline constexpr int kGroupCount = 9;
std::string_view toString(MuscleGroup group);
/// Whether it is part of the wall of the belly or of the dome, whose tone goes with posture.
inline bool hasTone(MuscleGroup group) {
  return group == MuscleGroup::Rectus || group == MuscleGroup::Transverse ||
         group == MuscleGroup::Diaphragm || group == MuscleGroup::Liner;
}

/// Control channels: each spring listens to one pair (alpha, r) of Eq. 2.
namespace channel {
inline constexpr int kPassive = 0;
inline constexpr int kExternal = 1;              // + space - 1, spaces 1 .. 9
inline constexpr int kInternal = kExternal + 9;  // alike
inline constexpr int kDiaphragm = kInternal + 9;
inline constexpr int kRectus = kDiaphragm + 1;
inline constexpr int kTransverse = kRectus + 1;
inline constexpr int kScalene = kTransverse + 1;
inline constexpr int kLevator = kScalene + 1;  // + rib - 2, ribs 2 .. 10
inline constexpr int kCount = kLevator + 9;
}  // namespace channel

/// Spring-muscle elements, an array per property.
///
///   F = min(-alpha k_ac (l - r l0) - k_pe (l - l0) - b dl/dt, 0)     [Zordan05, Eq. 2]
///
/// stored as tension -F. `lowest` is 0 for muscles and minus infinity for two-sided springs.
/// Departures: the minimum is that of the springs alone, b dl/dt acts both ways
/// (TorsoConfig::oneSidedDamping; ShakenBody in verify_living). With a prestrain the passive part
/// has a rest length of its own, l0 / (1 + strain). A muscle with a strength is told a force, not a
/// length: its command a = 1 - r is an activation, and it pulls with
///
///   T = a strength max(0, 1 - ((l - optimum) / reach)^2)
///
/// (TorsoConfig::forceLength; stretch beyond the optimum does not weaken the belly's wall). One
/// told a length, as Eq. 2 has it, breathes the more the further a load has stretched it.
struct SpringSet {
  std::vector<std::int32_t> a, b;                ///< points
  std::vector<double> active, passive, damping;  ///< k_ac, k_pe [N/m], b [N s/m]
  std::vector<double> restLength, slackLength;   ///< l0 of the active and the passive part [m]
  std::vector<double> lowest;
  std::vector<double> strength;        ///< greatest active tension [N], infinite: none stated
  std::vector<double> optimum, reach;  ///< where a strength is pulled with, and none so far off [m]
  std::vector<std::int32_t> channels;
  std::vector<MuscleGroup> groups;

  std::size_t size() const { return a.size(); }
  /// Active tension for the inputs of Eq. 2 at a length [N], and the most it can be there.
  double activeTension(std::size_t i, double alpha, double ratio, double length) const;
  double greatestTension(std::size_t i, double length) const;
  /// k_pe at a tone of wall and dome, which is 1 upright.
  double passiveAt(std::size_t i, double tone) const {
    return hasTone(groups[i]) ? tone * passive[i] : passive[i];
  }
};

/// A zero-length two-sided spring in all directions.
struct Pin {
  std::int32_t a = 0, b = 0;
  double stiffness = 0, damping = 0;
};

/// A point that is a weighted mean of points of bones (costal margin).
struct BlendPoint {
  static constexpr std::size_t kParts = 6;
  std::array<std::int32_t, kParts> points{};
  std::array<double, kParts> weights{};
};

/// Points in one numbering: particles, points of bones (sorted by link), blends, points fixed in
/// the world.
struct PointLayout {
  int particles = 0, bonePoints = 0, blends = 0, fixed = 0;
  int boneBegin() const { return particles; }
  int blendBegin() const { return particles + bonePoints; }
  int fixedBegin() const { return blendBegin() + blends; }
  int total() const { return fixedBegin() + fixed; }
};

// ---- measures ------------------------------------------------------------------------------

/// Points that measures look at.
struct TorsoLandmarks {
  std::int32_t sternumMid = 0, xiphoid = 0, domeApex = 0, belly = 0;
  std::array<std::vector<std::int32_t>, 3> girths;  ///< rib 4, rib 8, abdomen: closed loops
  std::vector<std::int32_t> rim;                    ///< around the costal margin
  std::vector<std::int32_t> dome;                   ///< nodes of the two cupolae
};

/// Whom a particle follows when the whole body moves: a link of the chest and one of the pelvis, by
/// a weight. Loads of what is not modelled act in these frames, with their reaction on these links.
struct CarrierPair {
  int chest = -1, pelvis = -1;      ///< links
  std::vector<double> chestWeight;  ///< of each particle, 0 .. 1
};

/// A compiled cage on one tree of links; constant while simulating.
struct CageModel {
  TorsoConfig config;
  TorsoAnatomy anatomy;
  PointLayout layout;
  PointArray rest;                  ///< all points at rest
  PointArray local;                 ///< bone points in their links' frames
  std::vector<int> linkPointRange;  ///< of each link into the bone points, and the end
  std::vector<double> particleMass;
  std::vector<BlendPoint> blends;
  SpringSet springs;
  std::vector<Pin> pins;
  std::vector<Triangle> dome, wall, cage;  ///< dome up, wall out, cage out; share the rim
  /// Between gut and lungs, facing these: the dome where it is free, and the inside of the ribs
  /// where it lies on them (TorsoConfig::apposition). Pressures act on partition, wall and cage.
  std::vector<Triangle> partition;
  /// What lies between dome and partition at rest [m^3], lining that counts as the lungs', so that
  /// gut and lungs have the volumes of dome, wall and cage then.
  double lining = 0;
  CarrierPair carriers;
  std::vector<int> cageLinks;  ///< of ribs, sternum and cartilages; their joints hold restLinkLoad
  std::array<int, 2 * kRibCount> ribLink{};   ///< of rib n (from 1), side s: 2 (n - 1) + s
  std::array<Vec3, 2 * kRibCount> ribNormal;  ///< of the plane of each rib at rest
  flesh::PressureLaw gut;
  PointArray restLoad;    ///< on particles, in the carriers' frames: holds the rest state [N]
  VecX restLinkLoad;      ///< on the joints between links, generalised: alike
  PointArray toneLoad;    ///< part of restLoad that holds the wall's tone, and goes with it
  VecX toneLinkLoad;      ///< alike
  double restGut = 0;     ///< its volume in the rest state [m^3]
  double restLung = 0;    ///< cavity above the diaphragm [m^3]
  double gutDensity = 0;  ///< whose weight presses on wall and dome [kg/m^3]
  Lungs lungs;
  TorsoLandmarks landmarks;

  std::size_t springCount(MuscleGroup group) const;
};

/// Index of the link that carries a bone, or -1.
using BoneLinks = std::function<int(const std::string& bone)>;

/// Compiles a cage onto a tree in its neutral configuration, which holds the bones where `anatomy`
/// has them. Throws InputError for settings out of range or a bone that no link carries.
CageModel makeCage(const TorsoAnatomy& anatomy, const TorsoConfig& config,
                   const skeleton::Model& tree, const BoneLinks& links);

/// The closed surfaces for the given positions of all points.
TriangleMesh lungSurface(const CageModel& model, const PointArray& points);
TriangleMesh gutSurface(const CageModel& model, const PointArray& points);

}  // namespace pneuma::breath
