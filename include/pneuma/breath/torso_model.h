#pragma once

#include <array>
#include <string>

#include "pneuma/breath/cage_model.h"

/// The breathing torso of [Zordan05] by itself: spine, ribs and sternum as a tree of links, and the
/// cage on them.
namespace pneuma::breath {

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

/// A compiled torso; constant while simulating.
struct TorsoModel : CageModel {
  std::array<RigidPart, kBodyCount> parts;
  std::array<Vec3, 2 * kRibCount> neckAxis;  ///< unit, at rest; a positive turn raises the rib
  std::array<double, 2 * kRibCount> jointStiffness{};  ///< about the neck axis [N m/rad]
  skeleton::Model tree;                                ///< a link per body, by the body's name
  std::array<int, kBodyCount> link{};                  ///< of each body in the tree
};

/// Compiles a torso. Throws InputError for settings out of range.
TorsoModel makeTorsoModel(const TorsoAnatomy& anatomy, const TorsoConfig& config);

}  // namespace pneuma::breath
