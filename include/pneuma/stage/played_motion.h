#pragma once

#include <limits>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/core/field_table.h"
#include "pneuma/skeleton/retarget.h"

namespace pneuma::stage {

/// Where a motion comes from: a clip, key poses, single joints or a posture; one of the four.
struct MotionSource {
  std::string clip;                 ///< BVH file
  std::string jointTable;           ///< file of lines 'role = joint' for a clip with own names
  std::vector<std::string> joints;  ///< "l_elbow_flexion=90"
  std::string poses;                ///< CSV of key poses
  std::string posture;              ///< of the body, by name, held
  int restFrame = 0;                ///< of the clip; -1: all angles zero
  int firstFrame = 1;               ///< of the clip, >= 0
  double seconds = std::numeric_limits<double>::infinity();  ///< of the clip
  bool rhythm = true;  ///< joints that people move together follow each other
  bool loop = false;   ///< the clip as a gait that goes on

  bool asked() const {
    return !clip.empty() || !joints.empty() || !poses.empty() || !posture.empty();
  }
};

/// Shared by every verb that moves: a clip, key poses, joints and a posture are read the same way
/// wherever they are given.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<MotionSource> m) {
  constexpr double kMostFrames = 1e7;
  v.field({.name = "motion", .meaning = "Play a BVH clip", .type = "FILE"}, m.clip);
  v.field({.name = "joint_table",
           .meaning = "Lines 'role = joint' for a clip with names of its own",
           .type = "FILE"},
          m.jointTable);
  v.field({.name = "rest_frame",
           .meaning = "Frame of the clip with its rest pose, arms out; -1: all angles zero",
           .min = -1,
           .max = kMostFrames},
          m.restFrame);
  v.field({.name = "first_frame", .meaning = "Of the clip", .min = 0, .max = kMostFrames},
          m.firstFrame);
  v.field({.name = "joint",
           .meaning = "Set one joint, in degrees; may be repeated",
           .type = "NAME=DEG"},
          m.joints);
  v.field({.name = "poses",
           .meaning = "CSV of key poses: time and joint angles in degrees",
           .type = "FILE"},
          m.poses);
  v.field({.name = "posture",
           .meaning = "Hold a posture of the body: standing, sitting, supine, prone, side-left, "
                      "bent-forward",
           .type = "NAME"},
          m.posture);
  v.field(
      {.name = "loop", .meaning = "The clip as a gait that goes on for --seconds, its travel kept"},
      m.loop);
  v.field({.name = "rhythm",
           .meaning = "Raised arms leave collar bone and shoulder blade where they are"},
          m.rhythm);
}

/// A motion of the figure at the rate of the results.
struct PlayedMotion {
  MotionSource source;           ///< what is played
  anatomy::Body measured, body;  ///< before and after fitting to the person
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  double framesPerSecond = 30;
  std::vector<double> times;        ///< [s]
  std::vector<VecX> q;              ///< configuration at each time
  skeleton::RetargetedMotion clip;  ///< residuals, when a clip is played
};

/// Throws InputError; what is wrong with a clip names its file.
PlayedMotion makePlayedMotion(const MotionSource& source, anatomy::Body measured,
                              const anatomy::Person& person, const std::string& articulation,
                              double framesPerSecond);
/// The same motion as densely as it is known: every frame of a clip, poses 120 times a second. For
/// what is differentiated in time and must not depend on the rate of the results.
PlayedMotion atOwnRate(const PlayedMotion& motion);

/// The clip of a source on a body; `model` is made from `compiled` with a free root. What is wrong
/// with the clip names its file. `framesPerSecond` 0: all frames.
skeleton::RetargetedMotion retargetClip(const MotionSource& source,
                                        const anatomy::CompiledBody& compiled,
                                        const skeleton::Model& model, double framesPerSecond);

/// Of every configuration: two motions that differ anywhere differ in it.
std::string motionHash(const PlayedMotion& motion);

/// Names of all degrees of freedom as the body describes them; the root's own first.
std::vector<std::string> dofNames(const PlayedMotion& motion);
/// What these names mean, of `values` per degree of freedom of the model (a difference of
/// configurations, velocities, torques): the three of a ball are along the axes of the body, and
/// its flexion, abduction and twisting are about axes of their own, in an order of their own.
VecX namedValues(const anatomy::CompiledBody& compiled, const skeleton::Model& model, VecX values);

}  // namespace pneuma::stage
