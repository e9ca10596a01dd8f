#pragma once

#include <string>

#include "pneuma/anatomy/compile.h"

namespace pneuma::anatomy {

/// What an export to MuJoCo's MJCF holds.
struct MjcfOptions {
  double specificTension = 3.5e5;  ///< peak muscle force over cross-section area [Pa], > 0
  bool muscles = true;             ///< write muscles (sites, spatial tendons, actuators)
  bool springs = true;             ///< write springs as tendons with stiffness
};

/// The body as a MuJoCo model (MJCF XML): the same links, joints, inertias, muscle paths and
/// springs, +Y up, numbers with all their digits.
///
/// Departure: MuJoCo has no free joint below another body; there it is three slides and a ball. The
/// limits of ball joints are left out (MuJoCo knows only a cone).
std::string toMjcf(const CompiledBody& body, const MjcfOptions& options = {});

}  // namespace pneuma::anatomy
