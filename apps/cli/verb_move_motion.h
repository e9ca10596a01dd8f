#pragma once

#include <limits>

#include "cli/person_options.h"
#include "cli/program.h"

namespace pneuma::cli {

/// Options of `pneuma move` that place the figure instead of simulating it.
struct MotionOptions {
  std::string clip;                 ///< --motion
  std::string jointTable;           ///< --joint-table
  std::vector<std::string> joints;  ///< --joint NAME=DEGREES
  std::string poses;                ///< --poses
  std::string posture;              ///< --posture
  int restFrame = 0, firstFrame = 1;
  double bellyRate = 20;                                     ///< [1/s]
  double seconds = std::numeric_limits<double>::infinity();  ///< of the clip
  double still = -1;  ///< time of the stills [s]; negative: a clip's middle, the end of poses
  bool bellies = false, skin = false, inverseDynamics = false, film = false, rhythm = true;
  bool loop = false;  ///< the clip as a gait that goes on

  void addTo(CLI::App* verb);
  /// Throws InputError for options that do not go together, instead of ignoring one of them.
  void check(const CLI::App& verb) const;
  /// Whether the command asks for this instead of a simulation.
  bool asked() const {
    return !clip.empty() || !joints.empty() || !poses.empty() || !posture.empty();
  }
};

/// Plays a clip, key poses, or single joints on the figure and writes tables, scene, pictures and a
/// report.
void playMotion(const Program& program, const MotionOptions& options, const PersonOptions& person,
                const std::string& articulation, double framesPerSecond, bool scene,
                const std::string& out, bool resume);

}  // namespace pneuma::cli
