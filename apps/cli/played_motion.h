#pragma once

#include "cli/verb_move_motion.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/io/table.h"
#include "pneuma/skeleton/retarget.h"

namespace pneuma::cli {

/// A motion of the figure at the rate of the results: from a clip, key poses or single joints.
struct PlayedMotion {
  anatomy::Body measured, body;  ///< before and after fitting to the person
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  std::vector<double> times;        ///< [s]
  std::vector<VecX> q;              ///< configuration at each time
  skeleton::RetargetedMotion clip;  ///< residuals, when a clip is played
};

PlayedMotion makePlayedMotion(const MotionOptions& options, const PersonOptions& person,
                              const std::string& articulation, double framesPerSecond);

/// Names of all degrees of freedom as the body describes them; the root's own first.
std::vector<std::string> dofNames(const PlayedMotion& motion);
/// Displacement of the root [m] and all angles [deg] from the neutral pose, over time.
io::Table jointTable(const PlayedMotion& motion);

}  // namespace pneuma::cli
