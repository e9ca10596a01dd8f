#pragma once

#include <memory>
#include <string>

#include "pneuma/core/field_table.h"
#include "pneuma/core/integrator.h"
#include "pneuma/stage/figure_arm.h"

namespace pneuma::stage {

/// One muscle as a continuum, and what happens to it. Absent values are the preset's own.
struct MuscleSettings {
  std::string preset = "fusiform";
  std::string mesh;      ///< file of a closed surface instead of a preset's shape
  double meshScale = 1;  ///< metres per unit of the mesh
  std::string meshUp = "y";
  std::string grid = "21x5x5";
  std::string excite;             ///< steps of time:level
  std::string stretch;            ///< time:percent
  double stretchDuration = 0.05;  ///< [s]
  double seconds = 8;
  double framesPerSecond = 60;
  std::optional<double> step;  ///< [s]
  std::string integrator = "implicit-euler";
  std::string form = "energy";
  bool generic = false;
  std::optional<double> force;      ///< [N]
  double pennation = 0;             ///< [rad]
  double tendon = 0.03;             ///< [m]
  double maxVelocity = 10;          ///< optimal lengths per second
  double density = 1060;            ///< [kg/m^3]
  std::optional<double> stiffness;  ///< [Pa]
  double viscosity = 30;            ///< [Pa s]
  std::optional<double> bulk;       ///< [Pa]
  bool precise = false;
  double sideForce = 0;  ///< [N]
  double bending = 0;    ///< [N m]
  bool gravity = true;
  std::string curl;  ///< from:to [degrees]
};

/// Shape, material, what acts, then how it is integrated; what a preset decides has it as its
/// derived default.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<MuscleSettings> m) {
  v.field({.name = "preset",
           .meaning = "brick (passive, hanging), fusiform or biceps",
           .choices = {"brick", "fusiform", "biceps"}},
          m.preset);
  v.field({.name = "mesh",
           .meaning = "Closed surface to resample instead of a preset's shape",
           .type = "FILE"},
          m.mesh);
  v.field({.name = "mesh_scale", .meaning = "Metres per unit of the mesh", .min = 1e-9, .max = 1e9},
          m.meshScale);
  v.field({.name = "mesh_up", .meaning = "Axis of the mesh that points up", .choices = {"y", "z"}},
          m.meshUp);
  v.field({.name = "grid", .meaning = "Nodes along the axes, fibres first; two numbers: a surface"},
          m.grid);
  v.field({.name = "curl", .meaning = "Biceps between two bones: elbow flexion from:to [degrees]"},
          m.curl);
  v.field({.name = "side_force",
           .meaning = "Horizontal force on the brick's lower end",
           .unit = "N",
           .min = -1e4,
           .max = 1e4},
          m.sideForce);
  v.field({.name = "excite",
           .meaning = "Neural excitation as steps of time:level, e.g. 0:0,4.5:1",
           .derivedDefault = "1:1,5:0, or none with --stretch or --curl"},
          m.excite);
  v.field({.name = "stretch",
           .meaning = "Moves of the last plane, time:percent of the length, e.g. 2:8%"},
          m.stretch);
  v.field({.name = "stretch_duration",
           .meaning = "Time such a move takes",
           .unit = "s",
           .min = 1e-4,
           .max = 3600},
          m.stretchDuration);
  v.field({.name = "force",
           .meaning = "Maximum isometric force",
           .unit = "N",
           .min = 1e-3,
           .max = 1e6,
           .derivedDefault = "400, biceps 438"},
          m.force);
  v.field({.name = "pennation",
           .meaning = "Pennation at optimal length",
           .unit = "degrees",
           .unitInSi = degreesToRadians(1),
           .min = 0,
           .max = 60},
          m.pennation);
  v.field({.name = "tendon",
           .meaning = "Slack length of each tendon",
           .unit = "m",
           .min = 1e-4,
           .max = 10},
          m.tendon);
  v.field({.name = "max_velocity",
           .meaning = "Shortening at no load",
           .unit = "optimal lengths/s",
           .min = 0.1,
           .max = 1000},
          m.maxVelocity);
  v.field({.name = "density", .meaning = "Mass density", .unit = "kg/m^3", .min = 1, .max = 1e5},
          m.density);
  v.field({.name = "stiffness",
           .meaning = "Modulus across the fibres",
           .unit = "Pa",
           .min = 1,
           .max = 1e9,
           .derivedDefault = "3000, brick 4000"},
          m.stiffness);
  v.field({.name = "viscosity", .meaning = "Viscosity", .unit = "Pa s", .min = 0, .max = 1e6},
          m.viscosity);
  v.field({.name = "bulk",
           .meaning = "Resistance to volume change; 0: none",
           .unit = "Pa",
           .min = 0,
           .max = 1e12,
           .derivedDefault = "4e5, brick 1e5"},
          m.bulk);
  v.field({.name = "bending",
           .meaning = "Flexural rigidity of a surface",
           .unit = "N m",
           .min = 0,
           .max = 1e6},
          m.bending);
  v.field({.name = "gravity", .meaning = "Leave gravity out"}, m.gravity);
  v.field({.name = "seconds", .meaning = "Simulated time", .unit = "s", .min = 1e-3, .max = 3600},
          m.seconds);
  v.field(
      {.name = "integrator", .meaning = "Method of time integration", .choices = integratorNames()},
      m.integrator);
  v.field({.name = "step",
           .meaning = "Step",
           .unit = "s",
           .min = 1e-8,
           .max = 1,
           .derivedDefault = "one frame for implicit-euler, else 2e-6"},
          m.step);
  v.field({.name = "form",
           .meaning = "Discrete form of the elastic forces",
           .choices = flesh::gridFormNames()},
          m.form);
  v.field({.name = "precise", .meaning = "Solve every implicit step to 1e-7 m"}, m.precise);
  v.field({.name = "generic", .meaning = "implicit-euler by the general Newton of core"},
          m.generic);
  v.field({.name = "fps", .meaning = "Recorded frames per second", .min = 1, .max = 1e5},
          m.framesPerSecond);
}

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

/// A muscle that is told nothing contracts and lets go; the brick has no fibres.
MuscleSettings withDefaultExcitation(MuscleSettings settings);

/// Builds what the settings ask for. `armBody` is the measured body whose arm bends in a curl, null
/// without one. Throws InputError.
MuscleScene makeMuscleScene(const MuscleSettings& settings, const anatomy::Body* armBody);

/// Throws the InputError of an option whose value is not understood.
[[noreturn]] void failOption(const char* option, const std::string& value, const char* expected);

}  // namespace pneuma::stage
