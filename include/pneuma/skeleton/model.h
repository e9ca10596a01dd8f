#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/spatial.h"
#include "pneuma/core/types.h"
#include "pneuma/skeleton/joint.h"

/// Articulated rigid bodies: a tree of links connected by joints, with reduced coordinates.
///
/// Conventions. A link's frame sits at the centre of the joint that carries it and coincides with
/// the joint frame in the neutral configuration (all angles and offsets zero, quaternions
/// identity). Spatial vectors have world axes, angular part first, and are taken about
/// Kinematics::origin. q is the configuration (quaternions inside), v the velocity; they differ in
/// size when there are balls. Derivatives "with respect to q" are along v, i.e. for a ball with
/// respect to a small rotation about the link's own axes.
namespace pneuma::skeleton {

/// Degrees of freedom [begin, end).
struct DofRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

/// An elementary motion, compiled. A hinge about a coordinate axis is cheaper than a general one.
enum class MotionCode : std::uint8_t { HingeX, HingeY, HingeZ, Hinge, Slide, Ball };
struct CompiledMotion {
  MotionCode code;
  int dof;       ///< first index in v
  int position;  ///< first index in q
  Vec3 axis;     ///< unit, in the joint frame
};

/// What a degree of freedom is driven by.
enum class DofRole : std::uint8_t {
  Driven,  ///< muscles or a prescribed motion
  Passive  ///< only springs and its neighbours (sternum, costal cartilages)
};

/// Resistance of one degree of freedom. Springs and limits act on hinges and slides only.
struct DofResistance {
  double damping = 0;    ///< [N m s/rad] or [N s/m], >= 0
  double armature = 0;   ///< added to the diagonal of the mass matrix [kg m^2] or [kg], >= 0
  double stiffness = 0;  ///< towards `rest` [N m/rad] or [N/m], >= 0
  double rest = 0;       ///< [rad] or [m]
  double lowerLimit = -std::numeric_limits<double>::infinity();
  double upperLimit = std::numeric_limits<double>::infinity();
  double limitStiffness = 0;  ///< beyond a limit [N m/rad] or [N/m], >= 0
  double limitDamping = 0;    ///< while beyond a limit [N m s/rad] or [N s/m], >= 0
};

/// A link as compiled.
struct Link {
  std::string name;
  int parent = -1;  ///< index of the parent link, -1: the world
  JointKind joint = JointKind::Fixed;
  int firstDof = 0;  ///< own degrees of freedom are [firstDof, firstDof + dofCount)
  int dofCount = 0;
  int firstPosition = 0;  ///< own entries of q
  int positionCount = 0;
  int firstMotion = 0;  ///< own entries of Model::motions
  int motionCount = 0;
  int subtreeEnd = 0;    ///< the links below this one are (index, subtreeEnd)
  Pose X_PJ;             ///< joint frame in the parent's frame
  Pose X_WL_rest;        ///< pose in the neutral configuration
  RigidInertia inertia;  ///< in the link's frame
};

/// The tree, compiled: constant while simulating. Links are numbered depth first with the deepest
/// branch first, so that the degrees of freedom between a link and the root form few contiguous
/// ranges. Built by ModelBuilder.
struct Model {
  std::vector<Link> links;
  std::vector<CompiledMotion> motions;
  std::vector<int> dofLink;         ///< link that a degree of freedom moves
  std::vector<int> dofParent;       ///< the degree of freedom next towards the root, or -1
  std::vector<int> dofMotionBegin;  ///< degrees of freedom of its motion: itself, or a ball's three
  std::vector<int> dofMotionEnd;
  std::vector<DofRole> dofRole;
  std::vector<DofResistance> dofResistance;
  std::vector<std::string> dofName;  ///< "<link>.<n>"
  VecX neutral;                      ///< the neutral configuration
  Vec3 gravity = {0, -kGravity, 0};
  bool hasArmature = false;

  int linkCount() const { return static_cast<int>(links.size()); }
  int dofCount() const { return static_cast<int>(dofLink.size()); }
  int positionCount() const { return static_cast<int>(neutral.size()); }

  /// Degrees of freedom that move a link, own ones included, root first.
  std::span<const DofRange> ancestorRanges(int link) const {
    return {ranges.data() + rangeBegin[link], ranges.data() + rangeBegin[link + 1]};
  }
  /// Index of a link, or -1.
  int findLink(std::string_view name) const;
  /// Index of a link; InputError with the nearest name when there is none.
  int linkIndex(std::string_view name) const;
  /// The lowest link that carries both, or -1 when only the world does.
  int commonAncestor(int linkA, int linkB) const;
  double totalMass() const;

  std::vector<int> rangeBegin;   ///< of each link in `ranges`, and the end
  std::vector<DofRange> ranges;  ///< see ancestorRanges
};

/// What changes, and what a checkpoint holds.
struct State {
  VecX q;           ///< configuration
  VecX v;           ///< velocity
  double time = 0;  ///< [s]
};

/// At rest in the neutral configuration, time 0.
State makeState(const Model& model);

/// Throws SimulationError with the time and the first offending link when q or v is not finite.
void checkFinite(const Model& model, const State& state);

}  // namespace pneuma::skeleton
