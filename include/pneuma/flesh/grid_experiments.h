#pragma once

#include <string>
#include <vector>

#include "pneuma/core/integrator.h"
#include "pneuma/core/progress.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/flesh/grid_stepper.h"

/// The experiments of a muscle laboratory, done on the simulated block, and the study of
/// integrators.
namespace pneuma::flesh {

/// One steady measurement; forces in units of F0, lengths in optimal lengths, velocities in
/// maximum shortening velocities (lengthening positive).
struct MuscleSample {
  double length = 0;
  double velocity = 0;
  double force = 0;     ///< measured at the tendon
  double expected = 0;  ///< Zajac's curve at the measured length (and velocity)
};

/// Holds the muscle at `lengths` (wanted, of the optimal length) and measures the force at the
/// length it settles at. `activation` in [0, 1].
std::vector<MuscleSample> measureIsometric(const MuscleSetup& setup,
                                           const std::vector<double>& lengths, double activation);

/// Full activation against constant loads (in F0) on the last plane, tendon left out there:
/// velocity while the fibres pass 0.98 .. 0.92 (or 1.02 .. 1.06 when the load stretches them).
std::vector<MuscleSample> measureIsotonic(const MuscleSetup& setup,
                                          const std::vector<double>& loads);

/// Full activation at rest length; at `releaseTime` the plane gives way by `fraction` in 2 ms.
struct QuickRelease {
  std::vector<double> time;    ///< [s]
  std::vector<double> block;   ///< force of the block [F0]
  std::vector<double> lumped;  ///< force of Zajac's unit of one fibre and one tendon [F0]
};
QuickRelease measureQuickRelease(const MuscleSetup& setup, double fraction);

/// One row of the integrator study.
struct IntegratorResult {
  std::string integrator;
  GridSize grid;
  double largestStep = 0;    ///< largest stable step, to within 10 % [s]
  double costPerSecond = 0;  ///< CPU seconds per simulated second at that step
  double evaluations = 0;    ///< force evaluations per simulated second
  double error = 0;          ///< r.m.s. distance of nodes from the reference at the end [m]
  double errorHalf = 0;      ///< the same at half the step
};

/// Settings of the study of integrators.
struct StudyConfig {
  double window = 0.1;     ///< simulated time [s]
  double smallest = 1e-7;  ///< steps below are not tried [s]
  double largest = 0.05;   ///< nor above [s]
};

/// Largest stable step, cost and error of one integrator on a model. `name` is one of core's
/// integrators or "grid-implicit", the grid's own implicit step. A run counts as
/// stable when no node ends farther from the reference than a quarter of the reference's largest
/// motion: an explicit method that begins to swing up is far off by then. Steps above an eighth of
/// the window are not tried.
IntegratorResult studyIntegrator(const GridModel& model, const std::string& name,
                                 const GridState& reference, const StudyConfig& config);
/// A fine solution at the end of the window, by Cash-Karp with tight tolerances.
GridState studyReference(const GridModel& model, const StudyConfig& config);

}  // namespace pneuma::flesh
