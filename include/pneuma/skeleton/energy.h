#pragma once

#include "pneuma/skeleton/workspace.h"

/// Books of energy and momentum. All take a workspace that is up to date (updateDynamics).
namespace pneuma::skeleton {

/// Centre of mass of the whole tree in the world [m].
Vec3 centerOfMass(const Model& model, const Workspace& workspace);

/// 1/2 sum V . I V over the links, and the share of joint armatures [J].
double kineticEnergy(const Model& model, const VecX& v, const Workspace& workspace);

/// - m g . c: zero with the centre of mass at the world's origin [J].
double gravityEnergy(const Model& model, const Workspace& workspace);

/// Angular momentum about the world's origin, then linear momentum [kg m^2/s, kg m/s].
Vec6 momentum(const Model& model, const Workspace& workspace);

}  // namespace pneuma::skeleton
