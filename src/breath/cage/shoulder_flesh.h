#pragma once

#include <string>
#include <vector>

#include "pneuma/breath/shoulder_layer.h"
#include "pneuma/flesh/pressure_body.h"

namespace pneuma::breath::internal {

/// A soft body before it is simulated: its surface at rest and what its vertices are tied to.
struct FleshSpec {
  std::string name;
  TriangleMesh mesh;
  flesh::PressureBodyConfig config;
  std::vector<int> anchors;   ///< vertices
  std::vector<int> carriers;  ///< body of each anchor, numbers of torsoBodyOf
  std::vector<flesh::InnerSpring> supports;
};

/// Pectorals and shoulders (trapezius and deltoid), left then right, along landmarks of the body.
std::vector<FleshSpec> makeShoulderFlesh(const anatomy::Body& body, const TorsoAnatomy& anatomy);

}  // namespace pneuma::breath::internal
