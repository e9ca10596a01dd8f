#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/spatial.h"

/// From description to arrays: a body under one articulation, by index, ready for the solvers.
namespace pneuma::anatomy {

/// One degree of freedom of a link's joint.
struct CompiledDof {
  std::string name;   ///< "elbow_l.flexion"
  std::string alias;  ///< the paper's spelling: "l_elbow_flexion"
  DofKind kind = DofKind::Rotation;
  Vec3 axis = Vec3::UnitX();  ///< unit, body frame at rest
  bool limited = false;
  double lower = 0, upper = 0;  ///< [rad] or [m]
  double stiffness = 0;         ///< towards rest [N m/rad] or [N/m]
  double damping = 0;           ///< [N m s/rad] or [N s/m]
};

/// A rigid body. Its frame sits at `center` with the axes of the body frame at rest.
struct CompiledLink {
  std::string name;
  int parent = -1;  ///< -1: the ground
  std::string jointName;
  JointType joint = JointType::Fixed;
  Vec3 center = Vec3::Zero();  ///< centre of the joint, body frame at rest [m]
  /// Sequence: one each, parent side first. Ball: three orthonormal axes (x, y, z of the body frame
  /// when none are described). Free: none.
  std::vector<CompiledDof> dofs;
  bool passive = false;
  LinkRegion region = LinkRegion::HeadNeckTrunk;
  RigidInertia inertia;    ///< body frame at rest
  std::vector<int> bones;  ///< indices in Body::bones

  int dofCount() const;
};

/// A point fixed in a link, stated in the body frame at rest.
struct CompiledPoint {
  int link = -1;
  int bone = -1;
  Vec3 position = Vec3::Zero();
};

/// A muscle line through points fixed to links.
struct CompiledMuscle {
  std::string name, set, muscle, group, belly;
  MuscleRegion region = MuscleRegion::Trunk;
  std::vector<CompiledPoint> points;  ///< origin first
  double pcsa = 0;                    ///< [m^2]; from the volume where the body states none
  double peakForce = 0;               ///< along the fibres [N]; 0: the line only guides
  double restLength = 0;              ///< of the path at rest [m]
  double slackLength = 0;             ///< [m]
  double fiberLength = 0;             ///< optimal [m]
  double pennation = 0;               ///< at the optimal fibre length [rad]
  double tendonLength = 0;            ///< what the fibres at rest leave of the path [m]
  double tendonOrigin = 0;            ///< [m]
  double tendonInsertion = 0;         ///< [m]
  double volume = 0;                  ///< [m^3], 0: unknown
  std::vector<double> profile;        ///< radii [m]
  Origin where;                       ///< where the body file describes it

  /// The anatomical muscle that this is a line of, with its side: "biceps_brachii_l".
  std::string sidedMuscle() const;
};

/// A spring and damper between two points fixed to links.
struct CompiledSpring {
  std::string name;
  CompiledPoint a, b;
  double restLength = 0;  ///< [m]
  double stiffness = 0;   ///< [N/m]
  double damping = 0;     ///< [N s/m]
};

/// A bone that slides over others, body frame at rest.
struct CompiledGlide {
  std::string name;
  int limb = -1;                           ///< link that hangs on the gliding bone
  Vec3 direction = -Vec3::UnitY();         ///< of the limb from its joint, unit
  double after = 0;                        ///< [rad]
  std::vector<RhythmPart> parts;           ///< by the names of freedoms
  std::vector<CompiledPoint> points;       ///< that keep their distance
  std::vector<std::vector<Vec3>> surface;  ///< centrelines of the bones slid over
  int on = -1;                             ///< link that carries the surface
};

/// A body under one articulation: names resolved, SI units, body frame at rest.
struct CompiledBody {
  std::string articulation;
  std::vector<Rhythm> rhythms;  ///< by the names of freedoms
  std::vector<CompiledGlide> glides;
  Person person;
  LungVolumes lungs;
  std::vector<CompiledLink> links;  ///< parents before children
  std::vector<CompiledMuscle> muscles;
  std::vector<CompiledSpring> springs;
  std::vector<int> boneLink;  ///< link of each bone of the body, -1: not in the articulation
  std::vector<std::string> boneNames;

  int findLink(const std::string& name) const;  ///< -1: none
  double mass() const;                          ///< of all links [kg]
  int dofCount() const;                         ///< of the joints; a moving root is not counted
};

/// Compiles an expanded (and fitted) body. Errors: unknown articulation, a muscle of its sets on a
/// bone that no link carries, a link without mass.
Result<CompiledBody> compileBody(const Body& body, const std::string& articulation);

/// What `pneuma body info` reports.
struct BodySummary {
  int bodies = 0;           ///< rigid bodies that can move
  int bones = 0;            ///< as the articulation's source counts them
  int anatomicalBones = 0;  ///< whole bones in the articulation; cartilages and sets not counted
  int joints = 0;
  int dofs = 0, dofsHeadNeckTrunk = 0, dofsArms = 0, dofsLegs = 0, dofsPassive = 0;
  int lines = 0;    ///< muscle lines
  int muscles = 0;  ///< lines (Lee's actuators), or anatomical muscles where lines carry bellies
  int musclesHeadNeck = 0, musclesTrunk = 0, musclesArms = 0, musclesLegs = 0;
  int parts = 0;  ///< fusiform parts
  int springs = 0;
  double mass = 0;  ///< of the articulation [kg]
};
BodySummary summarize(const Body& body, const CompiledBody& compiled);

}  // namespace pneuma::anatomy
