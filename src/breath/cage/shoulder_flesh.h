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
  std::vector<int> anchors;        ///< vertices
  std::vector<std::string> bones;  ///< under each vertex
  std::vector<flesh::InnerSpring> supports;
};

/// Its edges and supports, soft from ring to ring: for a body that its bones feel.
std::vector<flesh::SurfaceSpring> softAlongItself(const FleshSpec& spec);

/// Pectorals and shoulders (trapezius and deltoid), left then right, along landmarks of the body.
std::vector<FleshSpec> makeShoulderFlesh(const anatomy::Body& body, const TorsoAnatomy& anatomy);

}  // namespace pneuma::breath::internal
