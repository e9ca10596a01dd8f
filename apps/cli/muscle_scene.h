#pragma once

#include "cli/figure_arm.h"
#include "cli/grid_film.h"

namespace pneuma::cli {

/// What the command line of `pneuma muscle` says, as typed.
struct MuscleOptions {
  std::string preset = "fusiform";
  std::string mesh;
  double meshScale = 1;
  std::string meshUp = "y";
  std::string grid = "21x5x5";
  std::string excite;
  std::string stretch;
  double stretchDuration = 0.05;
  double seconds = 8;
  double framesPerSecond = 60;
  double step = 0;
  std::string integrator = "implicit-euler";
  std::string form = "energy";
  bool generic = false;
  double force = 0;
  double pennationDegrees = 0;
  double tendon = 0.03;
  double maxVelocity = 10;
  double density = 1060;
  double stiffness = 0;
  double viscosity = 30;
  double bulk = -1;
  bool precise = false;
  double sideForce = 0;
  double bending = 0;
  bool noGravity = false;
  std::string curl;
  std::string out = "out/muscle";
  bool noVideo = false;
  bool resume = false;
};

/// The model and what is shown around it.
struct MuscleScene {
  flesh::GridModel model;
  std::vector<FilmPart> parts;
  double maxForce = 0;
  std::shared_ptr<const FigureArm> arm;  ///< of a curl
  flesh::ElbowCurl curl;
};

/// A curl is seen from the side; the figure's own bellies move to the right of the muscle.
Vec3 curlView();
Vec3 besideCurl();

/// Builds what the options ask for. Throws InputError.
MuscleScene makeMuscleScene(const MuscleOptions& options);

/// Throws the InputError of an option whose value is not understood.
[[noreturn]] void failOption(const char* option, const std::string& value, const char* expected);

}  // namespace pneuma::cli
