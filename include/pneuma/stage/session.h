#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/field_table.h"
#include "pneuma/stage/live_session.h"
#include "pneuma/stage/living_actor.h"
#include "pneuma/stage/person_request.h"
#include "pneuma/stage/units.h"

/// A living body that is told how to breathe while it lives.
namespace pneuma::stage {

/// What stays as it is over a session.
struct SessionSettings {
  std::string posture = "standing";  ///< of the body, by name
  std::uint64_t seed = 1;            ///< of the breath's variability
  double step = 0.004;               ///< [s]
  double framesPerSecond = 25;       ///< of what is recorded
  double recordSeconds = 12;         ///< the last ones are kept for files; 0: none [s]
  int skinTriangles = 0;             ///< 0: no skin
};

/// How the body breathes now.
struct SessionBreath {
  std::string style = "casual";  ///< or "none": held at rest
  std::optional<double> rate;    ///< breaths per minute
  double effort = 1;             ///< scales every contraction
  std::optional<double> chestShare;
  std::optional<double> variability;
  /// What the style asks of single muscle groups, times this; 1: as it does, 0: paralysed. A target
  /// is followed with all of them.
  double diaphragm = 1, intercostals = 1, scalenes = 1, belly = 1;
};

/// Styles of the data folder and "none".
std::vector<std::string> sessionStyleNames();

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<SessionSettings> s) {
  v.field({.name = "posture",
           .meaning = "Of the body: standing, sitting, supine, prone, side-left, bent-forward"},
          s.posture);
  v.field({.name = "seed", .meaning = "Of the variability"}, s.seed);
  v.field({.name = "step",
           .meaning = "Time step",
           .unit = "ms",
           .unitInSi = kMillisecond,
           .min = 0.1,
           .max = 20},
          s.step);
  v.field({.name = "fps", .meaning = "Recorded frames per second", .min = 1, .max = 250},
          s.framesPerSecond);
  v.field({.name = "record_seconds",
           .meaning = "The last ones are kept for tables and files; 0: none",
           .unit = "s",
           .min = 0,
           .max = 600},
          s.recordSeconds);
  v.field({.name = "skin_triangles", .meaning = "Of the skin; 0: none", .min = 0, .max = 400000},
          s.skinTriangles);
}

/// These may change while a session runs: page and Python set them one at a time, so each stands
/// by itself.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<SessionBreath> b) {
  v.field({.name = "style", .meaning = "How to breathe", .choices = sessionStyleNames()}, b.style);
  v.field({.name = "rate",
           .meaning = "Breaths per minute",
           .min = 0,
           .max = 300,
           .derivedDefault = "the style's"},
          b.rate);
  v.field({.name = "effort", .meaning = "Scales every contraction", .min = 0, .max = 20}, b.effort);
  v.field({.name = "chest_share",
           .meaning = "0 belly only, 0.5 as the style has it, 1 chest only",
           .min = 0,
           .max = 1,
           .derivedDefault = "the style's"},
          b.chestShare);
  v.field({.name = "variability",
           .meaning = "Deviation from breath to breath",
           .min = 0,
           .max = 1,
           .derivedDefault = "the style's"},
          b.variability);
  const auto drive = [&](const char* name, const char* meaning, auto& value) {
    v.field({.name = name, .meaning = meaning, .min = 0, .max = 3}, value);
  };
  drive("drive_diaphragm", "Scales the diaphragm's contraction; 0: paralysed", b.diaphragm);
  drive("drive_intercostals", "The same of intercostals and levators of the ribs", b.intercostals);
  drive("drive_scalenes", "The same of the scalenes", b.scalenes);
  drive("drive_belly", "The same of the belly's muscles, which breathe out", b.belly);
}

/// A person who lives, step by step, and is told how to breathe on the way. A frame has links,
/// diaphragm, gut, lungs, skin, and numbers in the groups "breath" (volumes, flow, pressures,
/// target) and "drive" (contraction of each muscle group); a GLB is in layers.
class Session : public LiveSession {
 public:
  /// Settles the person in the posture; time is 0 then. `measured` is a body as loaded, before it
  /// is fitted to anybody. Throws InputError.
  Session(anatomy::Body measured, const PersonRequest& person, const SessionSettings& settings = {},
          const SessionBreath& breath = {});
  /// The same with shapes of that person that were made before (stage/body_pack.h);
  /// `skinTriangles` is not asked.
  Session(anatomy::Body measured, const PersonRequest& person, const SessionSettings& settings,
          const SessionBreath& breath, PersonShapes shapes);
  /// Changes how the body breathes from now on, over a quarter of a second and in the same part of
  /// the breath. A target is left. Throws InputError; the breath then goes on as it was.
  void set(const SessionBreath& breath);
  /// The lungs follow this volume from now on, relative to rest [m^3]. Causal: nothing but what was
  /// told until now counts. The first call takes some seconds of simulated time to try the muscles
  /// out; it moves neither body nor time. Throws InputError for a volume beyond +-20 litres.
  void target(double volume);
  /// Leaves the target; the style goes on.
  void release();

  const SessionSettings& settings() const;
  const SessionBreath& breath() const;
  std::optional<double> target() const;  ///< [m^3]

  /// From a file of save(). `measured` must be the body that the saved one was made from.
  static Session open(const std::filesystem::path& path, anatomy::Body measured);

 private:
  struct Impl;
  Impl& own() const;
};

}  // namespace pneuma::stage
