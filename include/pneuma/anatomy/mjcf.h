#pragma once

#include <string>

#include "pneuma/anatomy/compile.h"

namespace pneuma::anatomy {

/// What an export to MuJoCo's MJCF holds.
struct MjcfOptions {
  bool muscles = true;      ///< write muscles (sites, spatial tendons, actuators)
  bool springs = true;      ///< write springs as tendons with stiffness
  bool geometry = true;     ///< write something to see: ellipsoids of inertia, rods, a floor
  double timestep = 0.002;  ///< [s], > 0
  /// Of hinges whose body text states no damping (the figure's): MuJoCo's explicit muscles need
  /// some on feet and hands of a few hundred grams.
  double bareDamping = 0.5;     ///< [N m s/rad], >= 0
  double bareArmature = 0.002;  ///< [kg m^2], >= 0
};

/// The body as a MuJoCo model (MJCF XML): the same links, joints, inertias, muscle paths and
/// springs, +Y up, numbers with all their digits.
///
/// A muscle is MuJoCo's own with our optimal fibre length (along the tendon: L0 = l0 cos alpha),
/// tendon length and peak force F0 cos alpha; at L0 and at rest both give the same force. Its
/// curves are parabolas, ours are not: off
/// the optimal length they differ by up to 0.13 F0. A
/// line that only guides is a tendon without a muscle.
///
/// Departure: MuJoCo has no free joint below another body; there it is three slides and a ball. The
/// limits of ball joints are left out (MuJoCo knows only a cone).
std::string toMjcf(const CompiledBody& body, const MjcfOptions& options = {});

}  // namespace pneuma::anatomy
