#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/body/living_simulation.h"
#include "pneuma/core/field_table.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/flesh_request.h"
#include "pneuma/stage/played_motion.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {

/// What a living body is asked to do, besides its motion (MotionSource).
struct LivingRequest {
  std::string breath = "casual";  ///< none, a style, or the file of a recording
  std::optional<double> rate;     ///< breaths per minute
  double stridesPerBreath = 0;    ///< > 0: breath and gait lock
  double effort = 1;              ///< scales every contraction
  std::optional<double> variability;
  std::uint64_t seed = 1;                ///< of the variability
  std::optional<double> seconds;         ///< simulated [s]
  double smoothing = 0.02;               ///< of a clip: deviation of a Gaussian over time [s]
  double framesPerSecond = 30;           ///< of the results
  std::optional<double> step;            ///< [s]
  int skinTriangles = 20000;             ///< 0: no skin
  bool bellies = false;                  ///< muscle bellies take part in the step
  std::vector<std::string> gridMuscles;  ///< "LINE" or "LINE=EXCITATION": continuum solids
  bool shoulderBodies = false;           ///< pectorals and shoulders take part in the step
  FleshRequest flesh;                    ///< under the skin; its fields are listed apart
  BreathRequest recording;  ///< how the file of a recording is read; not a field of its own
};

/// The same breath by a whole body that rests in the request's posture: `breathe` as a setting of
/// `live`. Throws InputError for what only the torso by itself can do.
LivingRequest livingRequest(const BreathRequest& breath);

/// Breath first, then what takes part in the step: names are those of BreathRequest wherever both
/// have the setting.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<LivingRequest> r) {
  v.field({.name = "breath",
           .meaning = "none, a style (casual, deep, panting...), or a recording (CSV or WAV)",
           .type = "NAME|FILE"},
          r.breath);
  v.field({.name = "rate", .meaning = "Breaths per minute", .min = 0, .max = 300}, r.rate);
  v.field({.name = "strides_per_breath",
           .meaning = "Lock breath and gait (with --loop); 0: each keeps its own time",
           .min = 0,
           .max = 20},
          r.stridesPerBreath);
  v.field({.name = "effort", .meaning = "Scales every contraction", .min = 0, .max = 20}, r.effort);
  v.field({.name = "variability", .meaning = "Deviation from breath to breath", .min = 0, .max = 1},
          r.variability);
  v.field({.name = "seed", .meaning = "Of the variability"}, r.seed);
  v.field({.name = "seconds",
           .meaning = "Simulated time",
           .unit = "s",
           .min = 1e-3,
           .max = 36000,
           .derivedDefault = "the clip, or five breaths"},
          r.seconds);
  v.field(
      {.name = "smoothing",
       .meaning = "Of a clip, whose noise would shake the gut: deviation of a Gaussian over time",
       .unit = "ms",
       .unitInSi = kMillisecond,
       .min = 0,
       .max = 200},
      r.smoothing);
  v.field({.name = "fps", .meaning = "Frames per second in the results", .min = 0.01, .max = 250},
          r.framesPerSecond);
  v.field({.name = "step",
           .meaning = "Time step",
           .unit = "ms",
           .unitInSi = kMillisecond,
           .min = 0.1,
           .max = 20,
           .derivedDefault = "4, for a clip 2"},
          r.step);
  v.field({.name = "skin_triangles", .meaning = "Of the skin; 0: none", .min = 0, .max = 400000},
          r.skinTriangles);
  v.field({.name = "bellies",
           .meaning = "Muscle bellies with mass of their own, which swing with the motion"},
          r.bellies);
  v.field({.name = "grid_muscle",
           .meaning = "A muscle's line as a continuum solid between its bones, with its excitation",
           .type = "LINE[=0..1]"},
          r.gridMuscles);
  v.field({.name = "shoulder_bodies",
           .meaning = "Pectorals and shoulders as soft bodies that keep their volume, with mass of "
                      "their own"},
          r.shoulderBodies);
}

/// A request with everything that follows from it.
struct ResolvedLiving {
  anatomy::Body measured;  ///< before it is fitted to the person
  std::unique_ptr<body::LivingModel> model;
  body::LivingSettings settings;
  double seconds = 0;               ///< simulated [s]
  double cycle = 0;                 ///< of a gait [s]; 0: none
  skeleton::RetargetedMotion clip;  ///< residuals, when a clip is played
};

/// Throws InputError; what is wrong with a file names it.
ResolvedLiving resolve(const LivingRequest& request, const MotionSource& motion,
                       anatomy::Body measured, const anatomy::Person& person);

/// Every setting of a run as data, for run.toml.
nlohmann::ordered_json describe(const LivingRequest& request, const MotionSource& motion,
                                const ResolvedLiving& resolved);

}  // namespace pneuma::stage
