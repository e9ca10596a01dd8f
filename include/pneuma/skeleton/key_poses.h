#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/pose_track.h"

/// Poses set by hand: single joints, or a table of them over time.
namespace pneuma::skeleton {

struct KeyPoses {
  std::vector<double> times;  ///< [s], rising
  std::vector<VecX> q;        ///< configuration at each time
};

/// "elbow_r=90", "elbow_r=90deg" or "elbow_r=1.57rad"; the names are PoseMaker's.
JointSetting parseJointSetting(const std::string& text, const std::string& subject);

/// From the neutral pose to the given joints in one second. Throws InputError naming the nearest
/// joint, or the range of one that is out of it.
KeyPoses posesOfJoints(const anatomy::CompiledBody& body, const Model& model,
                       const std::vector<std::string>& joints, bool rhythm = true);

/// Key poses from a CSV with a time column and columns named by joint, in degrees.
KeyPoses readPoses(const std::filesystem::path& file, const anatomy::CompiledBody& body,
                   const Model& model, bool rhythm = true);

/// Eased from key to key, still at each of them.
PoseTrack makePoseTrack(const Model& model, const KeyPoses& keys);
/// One pose, held.
PoseTrack makePoseTrack(const Model& model, const VecX& q);

/// Even frames of a track, the first at 0 and the last at its end, or after `seconds`.
KeyPoses resampled(const Model& model, const PoseTrack& track, double framesPerSecond,
                   double seconds = -1);

}  // namespace pneuma::skeleton
