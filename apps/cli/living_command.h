#pragma once

#include <string>

#include "cli/person_options.h"
#include "cli/program.h"
#include "pneuma/stage/living_run.h"

namespace pneuma::cli {

/// A living body that is simulated, recorded and written: what `live` asks for, and `breathe` of a
/// whole body.
struct LivingCommand {
  PersonOptions person;
  stage::LivingRequest request;
  stage::MotionSource motion;
  std::string out;  ///< folder; empty: measures are printed only
  bool resume = false, noFilm = false, noPictures = false, asset = false;
  stage::DrawnParts drawn;  ///< its film's size

  void run(Program& program, const std::string& verb) const;
};

}  // namespace pneuma::cli
