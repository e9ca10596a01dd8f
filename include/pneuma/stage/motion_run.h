#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/played_motion.h"

namespace pneuma::stage {

/// What is made of a played motion.
struct MotionShow {
  bool bellies = false;          ///< muscle bellies that follow the motion
  bool skin = false;             ///< skin over bones and bellies
  bool inverseDynamics = false;  ///< joint torques
  bool film = false;             ///< motion.mp4
  bool stills = true;
  double bellyRate = 20;        ///< updates of the bellies [1/s], > 0
  std::optional<double> still;  ///< of the stills [s]; else a clip's middle, the end of poses
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<MotionShow> m) {
  v.field({.name = "bellies", .meaning = "Muscle bellies that follow the motion"}, m.bellies);
  v.field(
      {.name = "skin",
       .meaning = "Skin over bones and bellies: in GLB, pictures and film, skin.obj and skin.pc2"},
      m.skin);
  v.field(
      {.name = "belly_rate", .meaning = "Updates of the bellies per second", .min = 1, .max = 1000},
      m.bellyRate);
  v.field({.name = "inverse_dynamics", .meaning = "Joint torques of the motion, with plots"},
          m.inverseDynamics);
  v.field({.name = "film", .meaning = "Also write motion.mp4"}, m.film);
  v.field({.name = "still",
           .meaning = "Time of the stills",
           .unit = "s",
           .min = 0,
           .max = 36000,
           .derivedDefault = "a clip's middle, a pose's end"},
          m.still);
}

/// What a motion gave, for programs and for people.
struct MotionOutcome {
  nlohmann::ordered_json json;
  std::string text;
};

/// Plays a motion frame by frame with what follows it, and writes tables, pictures, film, report
/// and, with `scene`, motion.glb into the run. `clip` names the file it came from, if any.
MotionOutcome playMotion(const PlayedMotion& motion, const MotionShow& show, bool scene,
                         const std::string& clip, io::RunFolder& run, Progress& progress);

}  // namespace pneuma::stage
