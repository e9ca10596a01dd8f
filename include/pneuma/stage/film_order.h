#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/stage/act_session.h"
#include "pneuma/stage/session.h"

/// Runs as whoever looks at a live session orders them: the same person and settings, simulated
/// with skin and flesh at full quality, ray-traced and written as a run folder.
namespace pneuma::stage {

/// What is ordered. Names alone: no setting is the name of a file, so that whoever orders reads
/// none.
struct FilmOrder {
  std::string verb = "live";         ///< or "act"
  std::string posture = "standing";  ///< of who lives
  std::optional<double> seconds;     ///< simulated [s]
  std::string flesh = "none";        ///< or a level of flesh::embedded::FleshLevel
  bool film = true;                  ///< else stills alone
  PersonRequest person;              ///< its fields are listed apart, and so are:
  SessionBreath breath;              ///< of who lives
  ActTask task{.exercise = "curl"};  ///< of who acts
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<FilmOrder> o) {
  v.field({.name = "verb",
           .meaning = "live: breathe in a posture; act: do something by muscles",
           .choices = {"live", "act"}},
          o.verb);
  v.field({.name = "posture", .meaning = "Of who lives, by name"}, o.posture);
  v.field({.name = "seconds",
           .meaning = "Simulated time",
           .unit = "s",
           .min = 0.1,
           .max = 120,
           .derivedDefault = "five breaths, or the exercise"},
          o.seconds);
  v.field({.name = "flesh",
           .meaning = "Finite elements under the skin: seconds a frame",
           .choices = {"none", "preview", "default"}},
          o.flesh);
  v.field({.name = "film", .meaning = "A film besides stills"}, o.film);
}

/// An order from a JSON object of the fields of all its parts. Throws InputError that names what
/// cannot be had: unknown names, values out of range, someone who cannot be, a posture that the
/// body does not have, and what only a live session can do.
FilmOrder readFilmOrder(std::string_view json, const anatomy::Body& measured);

/// Makes a run folder with the report of what was ordered. Throws as its runs do, and what
/// `progress` throws; the folder can then be thrown away.
void fillOrder(const FilmOrder& order, const anatomy::Body& measured,
               const std::filesystem::path& folder, Progress& progress);

}  // namespace pneuma::stage
