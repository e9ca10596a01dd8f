#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

struct PoseSequence {
  std::vector<double> times;  ///< [s], rising
  std::vector<VecX> q;
};

/// From the neutral pose to the given joints in one second. Entries are "l_elbow_flexion=90" or
/// "elbow_l.flexion=90", in degrees. With `rhythm`, joints that people move together follow
/// (followRhythms). Throws InputError naming the nearest joint, or the range of one that
/// is out of it.
PoseSequence posesOfJoints(const anatomy::CompiledBody& body, const Model& model,
                           const std::vector<std::string>& joints, bool rhythm = true);

/// Key poses from a CSV with a time column and columns named by joint, in degrees.
PoseSequence readPoses(const std::filesystem::path& file, const anatomy::CompiledBody& body,
                       const Model& model, bool rhythm = true);

/// Even frames in between, joint angles eased from key to key.
PoseSequence resampled(const PoseSequence& keys, double framesPerSecond);

}  // namespace pneuma::skeleton
