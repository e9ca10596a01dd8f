#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pneuma/breath/torso_anatomy.h"
#include "pneuma/breath/torso_config.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/pressure_body.h"

/// The breathing torso of [Zordan05]: spine, ribs and sternum as rigid bodies, spring-muscle
/// elements between points, a sealed gut under the diaphragm.
namespace pneuma::breath {

using flesh::PointArray;

// ---- bodies --------------------------------------------------------------------------------

inline constexpr int kSpine = 0;
inline constexpr int kSternum = 1 + 2 * kRibCount;
inline constexpr int kBodyCount = 2 + 2 * kRibCount;
/// Body of rib `level` (1 .. 10); side 0 left, 1 right.
constexpr int ribBody(int level, int side) {
  return 1 + 2 * (level - 1) + side;
}
std::string bodyName(int body);  ///< "spine", "rib_05_l", "sternum"

/// A rigid body. Its frame at rest is the world's axes at `origin`: the centre of mass of spine and
/// sternum, the head of a rib.
struct RigidPart {
  double mass = 0;                  ///< [kg]
  Vec3 origin = Vec3::Zero();       ///< at rest, in the world [m]
  Vec3 center = Vec3::Zero();       ///< of mass, from the origin [m]
  Mat3 inertia = Mat3::Identity();  ///< about the centre of mass [kg m^2]
};

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
/// Departure: with a prestrain the passive part has a rest length of its own, l0 / (1 + strain).
struct SpringSet {
  std::vector<std::int32_t> a, b;                ///< points
  std::vector<double> active, passive, damping;  ///< k_ac, k_pe [N/m], b [N s/m]
  std::vector<double> restLength, slackLength;   ///< l0 of the active and the passive part [m]
  std::vector<double> lowest;
  std::vector<std::int32_t> channels;
  std::vector<MuscleGroup> groups;

  std::size_t size() const { return a.size(); }
};

/// A zero-length two-sided spring in all directions.
struct Pin {
  std::int32_t a = 0, b = 0;
  double stiffness = 0, damping = 0;
};

/// A point that is a weighted mean of points of bodies (costal margin).
struct BlendPoint {
  static constexpr std::size_t kParts = 6;
  std::array<std::int32_t, kParts> points{};
  std::array<double, kParts> weights{};
};

/// Points in one numbering: particles, points of bodies (sorted by body), blends, fixed points.
struct PointLayout {
  int particles = 0, bodyPoints = 0, blends = 0, fixed = 0;
  int bodyBegin() const { return particles; }
  int blendBegin() const { return particles + bodyPoints; }
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

/// A compiled torso; constant while simulating.
struct TorsoModel {
  TorsoConfig config;
  TorsoAnatomy anatomy;
  std::array<RigidPart, kBodyCount> parts;
  std::array<Vec3, 2 * kRibCount> neckAxis;   ///< unit, at rest; a positive turn raises the rib
  std::array<Vec3, 2 * kRibCount> ribNormal;  ///< of the plane of each rib at rest
  std::array<double, 2 * kRibCount> jointStiffness{};  ///< about the neck axis [N m/rad]
  PointLayout layout;
  PointArray rest;                                   ///< all points at rest
  std::array<int, kBodyCount + 1> bodyPointRange{};  ///< into body points
  std::vector<double> particleMass;
  std::vector<BlendPoint> blends;
  SpringSet springs;
  std::vector<Pin> pins;
  std::vector<Triangle> dome, wall, cage;  ///< dome up, wall out, cage out; share the rim
  Vec3 volumeOrigin = Vec3::Zero();
  flesh::PressureLaw gut;
  PointArray restLoad;          ///< on particles: holds them in the rest state [N]
  VecX restRigidLoad;           ///< on the rigid part, generalised
  double restGut = 0;           ///< its volume in the rest state [m^3]
  double restLung = 0;          ///< cavity above the diaphragm [m^3]
  double lungCompliance = 0;    ///< [m^3/Pa], 0: no recoil
  double airwayResistance = 0;  ///< [Pa s/m^3]
  TorsoLandmarks landmarks;

  std::size_t springCount(MuscleGroup group) const;
};

/// Compiles a torso. Throws InputError for settings out of range.
TorsoModel makeTorsoModel(const TorsoAnatomy& anatomy, const TorsoConfig& config);

/// The closed surfaces of the model for the given positions of all points.
TriangleMesh lungSurface(const TorsoModel& model, const PointArray& points);
TriangleMesh gutSurface(const TorsoModel& model, const PointArray& points);

}  // namespace pneuma::breath
