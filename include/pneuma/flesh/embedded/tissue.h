#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pneuma/flesh/embedded/material.h"

/// What flesh is made of, and the constants of it.
namespace pneuma::flesh::embedded {

/// What fills a place inside the skin. Lungs stand for all of the thoracic cavity, organs for the
/// gut below the diaphragm; what nothing else claims is fat.
enum class Tissue : std::uint8_t { Fat, Muscle, Bone, Skin, Organ, Lung };
inline constexpr std::size_t kTissues = 6;
std::string_view name(Tissue tissue);

/// Constants of all tissues.
enum class FleshPreset {
  Lee2009,  ///< the paper's: one stiff material for all but the lungs
  Human     ///< of relaxed living tissue
};
std::string_view name(FleshPreset preset);
std::optional<FleshPreset> fleshPresetOf(std::string_view name);

/// One constant of each tissue.
struct TissueConstants {
  std::array<TissueMaterial, kTissues> material;
  std::array<double, kTissues> density{};  ///< [kg/m^3]
  FibreLaw fibres;
  double boneSpring = 0;  ///< of flesh on bone, per area [N/m^3]
  double wallSpring = 0;  ///< of flesh on diaphragm and abdominal wall, per area [N/m^3]
  double skinDepth = 0;   ///< thickness of the skin [m]
  /// Of a tendon that carries its muscle's full force; 0: lines have no tendons, and all of them
  /// the strength and length of `fibres`.
  double tendonStrain = 0;
  double pressedOut = kPressedOut;  ///< bulk modulus of lungs without air [Pa]
  /// By how much the volume of all flesh, and of a large muscle, may be off before pressures make
  /// up for it (VolumeKeeper), as parts of it.
  double fleshKept = 5e-3, muscleKept = 0.02;

  static TissueConstants of(FleshPreset preset);

  /// A mixture by shares of volume (sum 1): strains are alike, so shear moduli add; pressures are
  /// alike, so compliances 1 / kappa add.
  TissueMaterial mixed(const std::array<float, kTissues>& shares) const;
  double mixedDensity(const std::array<float, kTissues>& shares) const;
};

}  // namespace pneuma::flesh::embedded
