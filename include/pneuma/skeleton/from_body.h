#pragma once

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/model_builder.h"

namespace pneuma::skeleton {

/// Settings of the tree made from a body.
struct FromBodyOptions {
  bool limits = true;             ///< joint ranges as stiff one-sided springs
  double limitStiffness = 200;    ///< beyond a range [N m/rad]; for a translation times 1/(0.1 m)^2
  double limitDamping = 1;        ///< while beyond a range [N m s/rad]
  bool passiveResistance = true;  ///< the stiffness and damping that the body describes
  bool freeRoot = false;          ///< let a fixed root move freely
};

/// The builder with one link per link of the articulation, in the same order. A sequence of
/// degrees of freedom becomes a chain of hinges and slides; a ball keeps the axes of the body frame
/// (its damping is the mean of the three described ones, its limits are the solver's business).
ModelBuilder builderFromBody(const anatomy::CompiledBody& body,
                             const FromBodyOptions& options = {});

/// The model; its link names are those of the articulation.
Model modelFromBody(const anatomy::CompiledBody& body, const FromBodyOptions& options = {});

/// For each link of the articulation its index in the model.
std::vector<int> linkIndices(const anatomy::CompiledBody& body, const Model& model);

}  // namespace pneuma::skeleton
