#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pneuma/flesh/embedded/lattice.h"
#include "pneuma/flesh/embedded/material.h"

namespace pneuma::flesh::embedded {

/// Fibres of one muscle line in one tetrahedron [Lee09, Sec. 3.3.2].
struct Fibre {
  std::int32_t tet = 0;
  std::int32_t line = 0;  ///< whose activation it has
  /// d_m, of the tetrahedron's material, times the fibre's strength over FibreLaw::maximumStress.
  float share = 0;
  /// f_m at rest. Its length l says where fibres stand at rest on their curve: l / lambda_opt of
  /// their best length. Nominal stress is l times that of Eq. 11, as it must be of fibres whose
  /// strength is per area of the best length. The paper's have l = 1.
  Vec3 direction = Vec3::UnitX();
};

/// A zero-length spring between a point of the flesh and a place given from outside (a point of a
/// bone) [Lee09, Sec. 3.3.3].
struct Anchor {
  LatticePlace place;
  double stiffness = 0;  ///< [N/m], > 0
};

/// Flesh ready to be solved: constant.
struct FleshModel {
  std::shared_ptr<const Lattice> lattice;
  std::vector<TissueMaterial> tissue;  ///< one per tetrahedron
  std::vector<float> density;          ///< one per tetrahedron [kg/m^3]; empty: no weight
  double pressedOut = kPressedOut;     ///< VolumeRange::pressedOut [Pa], >= 0
  FibreLaw fibreLaw;
  std::vector<Fibre> fibres;
  std::int32_t lineCount = 0;
  std::vector<Anchor> anchors;
  /// One per free node, bits 1, 2, 4 for x, y, z: held where the state has it. Empty: none.
  std::vector<std::uint8_t> fixed;
};

/// A tetrahedron counts with its share of material, at least this: slivers would have next to no
/// stiffness against the load of their neighbours.
inline constexpr float kLeastShare = 0.125F;

/// Throws InputError when sizes or indices do not fit the lattice, or constants are out of range.
void check(const FleshModel& model);

/// Mass of the material at each free node [kg]; empty without densities.
std::vector<double> nodeMasses(const FleshModel& model);

/// The same tissue in every tetrahedron.
FleshModel makeUniformFlesh(std::shared_ptr<const Lattice> lattice, const TissueMaterial& tissue);

}  // namespace pneuma::flesh::embedded
