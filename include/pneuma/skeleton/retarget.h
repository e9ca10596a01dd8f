#pragma once

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "pneuma/io/bvh.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/pose_fit.h"

/// Playing a recorded motion on the figure.
namespace pneuma::skeleton {

/// Places of a body that a clip may know, with the link of the figure at whose joint they are.
/// Side roles end in _l and _r: hip_l, knee_l, ankle_l, toe_l, shoulder_l, elbow_l,
/// wrist_l, hand_l; the middle has pelvis, chest, head.
struct ClipRole {
  std::string name;
  std::vector<std::string> links;  ///< of the body: the first that its articulation has
  std::vector<std::string> known;  ///< names that clips use for it (CMU's first)
  bool required = true;
  bool tip = false;        ///< the link's centre of mass instead of its joint
  bool placed = true;      ///< its position counts; else its orientation only
  double orientation = 0;  ///< weight of its orientation [m/rad]
};
const std::vector<ClipRole>& clipRoles();

/// Which joint of a clip plays which role: the names known above, or a table of the user's own.
class ClipJointMap {
 public:
  ClipJointMap() = default;
  /// Reads lines `role = joint name` (# begins a comment). Errors name file, line, nearest role.
  static ClipJointMap read(const std::filesystem::path& file);
  void set(const std::string& role, const std::string& joint) { own_[role] = joint; }
  /// Joint of each role in a clip, -1: none. Throws InputError naming every required role that is
  /// missing.
  std::vector<int> resolve(const io::Bvh& clip) const;

 private:
  std::map<std::string, std::string> own_;
};

/// Which part of a clip is played, and how closely.
struct RetargetConfig {
  int restFrame = 0;   ///< frame with the clip's rest pose (arms out); -1: all angles zero
  int firstFrame = 1;  ///< where the motion begins
  double seconds = std::numeric_limits<double>::infinity();  ///< how much of it is played
  double framesPerSecond = 0;  ///< of the result; 0: all frames of the clip
  double resting = 0.006;      ///< pull of what the clip leaves open to the neutral pose [m/rad]
  // What a recording does not say rightly, see Retargeter.
  bool levelFloor = true;  ///< a floor that slopes is made level
  bool levelGaze = true;   ///< the usual gaze of an upright body is level and steady
  bool turnPalms = true;   ///< the usual turn of a forearm is that of a hanging arm
  bool lockFeet = true;    ///< soles that stand stand still, on the floor
};

/// A part of a sole while it stands.
struct SoleContact {
  int foot = 0;               ///< 0 left, 1 right
  bool heel = false;          ///< else the ball
  double begin = 0, end = 0;  ///< [s]
  Vec3 place = Vec3::Zero();  ///< on the floor [m]
};

/// How well one role is met over a clip.
struct RoleResidual {
  std::string role, clipJoint, link;
  double mean = 0, largest = 0;  ///< distance from the scaled clip's joint [m]
  double meanUniform = 0;        ///< the same against the clip scaled by one number [m]
};

/// How often a degree of freedom stands at its limit.
struct LimitUse {
  std::string dof;
  double part = 0;  ///< of the frames in which it stands at its limit [-]
};

/// A clip as the figure plays it, and how well.
struct RetargetedMotion {
  std::vector<double> times;  ///< [s]
  std::vector<VecX> q;        ///< configuration of each frame
  std::vector<RoleResidual> roles;
  std::vector<LimitUse> limits;  ///< freedoms that met a limit, most often first
  double scale = 0;              ///< metres per unit of the clip
  double meanResidual = 0;       ///< of all placed roles and frames [m]
  double largestResidual = 0;    ///< [m]
  double meanResidualUniform = 0;
  std::vector<SoleContact> contacts;  ///< of heels and balls
  double floorSlope = 0;              ///< that was made level [rad]
  double gazeTurn = 0;                ///< by which the gaze was lowered [rad]
  std::array<double, 2> palmTurn{};   ///< by which the forearms were pronated, left and right [rad]
};

/// Plays a clip on a body: the figure or the whole one.
///
/// The clip's own skeleton is first scaled to the figure: every limb segment to the length that the
/// figure's has, trunk, hips, shoulders and head to its heights, widths and depths in the rest
/// pose; all joint rotations of the clip are kept, and the path of the root is scaled with the
/// legs. Then, frame by frame, PoseFit finds the joint angles within their ranges that bring the
/// figure's joint centres to those of the scaled clip, with the orientations of trunk, head, hands
/// and feet relative to the rest pose as a weak guide. Vertebrae share their bend by the body's
/// sums, and shoulder blades stay on the ribs (glide.h).
///
/// Some things a recording does not say, or says wrongly, and they are set by what people do:
/// - Its floor slopes by a degree or so: it is made level by where feet stand (clip_floor.h).
/// - How markers sat on the head is not recorded, and the rest frame leans it by some 14 degrees:
///   the median gaze of the frames in which the pelvis is upright is made level, and the nod of a
///   walk held within some degrees of it.
/// - Nor how far a forearm is turned: the median pronation is brought to where palms face the
///   thighs, 60 to 100 degrees. All changes over time stay.
/// - Soles slide and float by centimetres: a second fit moves heels and balls to where they stand
///   (foot_lock.h), and the rest of the leg follows; ankles and toes then lie off the clip.
///
/// Reading: [Nedel00, Sec. 6.3] only says that motion files move the skeleton. Angles are not
/// copied because the figure's joints (two freedoms in the elbow, no torsion in the lumbar spine)
/// are not those of a clip.
class Retargeter {
 public:
  /// `model` is made from `body` with a free root and its ranges. Throws InputError for a clip
  /// whose joints cannot be told or whose rest frame does not exist.
  Retargeter(const anatomy::CompiledBody& body, const Model& model, const io::Bvh& clip,
             const ClipJointMap& map = {}, const RetargetConfig& config = {});

  RetargetedMotion run();

  /// The clip with the figure's proportions, in metres.
  const io::Bvh& scaledClip() const { return scaled_; }

 private:
  struct Soles;
  void fitRest();
  void levelFloor();
  void flattenFeet();
  void levelGaze();
  void steadyGaze();
  void turnPalms();
  VecX fitAnew(std::size_t frame);
  std::vector<std::size_t> sampleFrames(std::size_t most) const;
  std::vector<Pose> clipPoses(std::size_t frame) const;
  Vec3 localPoint(std::size_t role) const;
  Vec3 figurePoint(std::size_t role) const;
  void setTargets(const std::vector<Pose>& clip);
  void fitFrames(RetargetedMotion& motion);
  void lockFeet(RetargetedMotion& motion);
  void measure(RetargetedMotion& motion);

  const anatomy::CompiledBody& body_;
  const Model& model_;
  const io::Bvh& clip_;
  RetargetConfig config_;
  io::Bvh scaled_;
  double legScale_ = 1;
  std::vector<int> joint_;               // of each role in the clip
  std::vector<int> link_;                // of each role in the model
  Mat3 facing_;                          // turns the clip's rest pose to face +Z
  Pose floor_;                           // from the clip's world to one with a level floor at 0
  std::vector<Mat3> orientationOffset_;  // R_JL in the rest pose, by role
  std::vector<Glide> glides_;
  PoseFit fit_;
  VecX rest_;
  std::vector<PointTarget> points_;
  std::vector<std::size_t> pointRole_;
  std::vector<OrientationTarget> orientations_;
  std::vector<std::size_t> frameOf_;  // frame of the clip that each frame of the result shows
  double gazeTurn_ = 0;
  std::vector<double> nod_;  // by which the head is lowered beside it, by frame of the clip [rad]
  std::array<double, 2> palmTurn_{};
};

}  // namespace pneuma::skeleton
