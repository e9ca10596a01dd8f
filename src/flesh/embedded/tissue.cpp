#include "pneuma/flesh/embedded/tissue.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t index(Tissue tissue) {
  return static_cast<std::size_t>(tissue);
}

/// A tissue of shear modulus mu by equation 9's first term alone: nothing more is known of it.
TissueMaterial soft(double mu, double kappa) {
  return {.mu10 = mu / 2, .mu01 = 0, .kappa = kappa};
}

/// Density [kg/m^3]: muscle (seen), fat, skin (recalled), skeleton as a whole (recalled), liver
/// (seen), lung at rest (seen, an anatomical phantom).
constexpr std::array<double, kTissues> kDensity{950, 1050, 1300, 1090, 1060, 380};

/// Lung at FRC, 5 cmH2O: bulk modulus 2 kPa, Young's modulus 0.85 kPa (Lai-Fook 1976, dog, seen).
/// Its shear modulus 0.85 / 3 is rounded up: the cavity's heart and vessels are stiffer.
constexpr double kLungShear = 300, kLungBulk = 2000;

/// [Lee09, Sec. 3.3.2]. Departure: lungs are lungs; the paper's one material could not be widened
/// by half a litre. Springs: 20 mu / h at h = 10 mm.
TissueConstants lee2009() {
  TissueConstants c;
  c.material.fill(TissueMaterial{});
  c.material[index(Tissue::Lung)] = soft(kLungShear, kLungBulk);
  c.density = kDensity;
  c.boneSpring = 3.2e8;
  c.wallSpring = 1e8;
  c.skinDepth = 0.0016;
  c.fleshKept = 1e-3;
  // As much stiffer than in `human` as muscle is.
  c.pressedOut = kPressedOut * 160 / 3.9;
  return c;
}

/// Relaxed tissue, sources as stated; bulk moduli are a choice (water has 2.2 GPa): fifty times the
/// pressure that makes a muscle's volume change by 2 %, and of fat what keeps the body's within
/// 0.5 %.
TissueConstants human() {
  TissueConstants c;
  // Fat 0.75 kPa in vivo at 50 Hz (buttock MRE 2023, seen), up to 1.5 under load: their mean.
  c.material[index(Tissue::Fat)] = soft(1.1e3, 0.5e6);
  // Vastus along and across the fibres 5.8 and 1.9 kPa (Knight 2022, seen): across is what is left
  // beside the fibres, their mean what an isotropic law has to show.
  c.material[index(Tissue::Muscle)] = soft(3.9e3, 4e6);
  // Bone is held by its springs, all over its surface. Its inside is no stiffer than muscle: cells
  // of two bones would lock the joint between them.
  c.material[index(Tissue::Bone)] = soft(3.9e3, 3e6);
  // C10 of 10-20 kPa as a membrane of 1-2 mm (derived from Hendriks and Xu, seen).
  c.material[index(Tissue::Skin)] = soft(30e3, 1e6);
  // Bowel is like a fluid, 0.5 kPa at most (recalled); liver 1.8 kPa (seen).
  c.material[index(Tissue::Organ)] = soft(0.8e3, 0.5e6);
  c.material[index(Tissue::Lung)] = soft(kLungShear, kLungBulk);
  c.density = kDensity;
  c.boneSpring = 1e8;
  c.wallSpring = 5e7;
  c.skinDepth = 0.0016;  // 1.3-2.0 mm on the trunk (Lee 2002, seen)
  // 3 to 5 % in people (Maganaris 2002, seen: 4.9). A choice: what the solver bears in cells of
  // which a tendon is a small part.
  c.tendonStrain = 0.12;
  return c;
}

}  // namespace

std::string_view name(Tissue tissue) {
  constexpr std::array<std::string_view, kTissues> kNames{"fat",  "muscle", "bone",
                                                          "skin", "organ",  "lung"};
  return kNames[index(tissue)];
}

std::string_view name(FleshPreset preset) {
  return preset == FleshPreset::Lee2009 ? "lee2009" : "human";
}

std::optional<FleshPreset> fleshPresetOf(std::string_view text) {
  for (const FleshPreset preset : {FleshPreset::Lee2009, FleshPreset::Human})
    if (text == name(preset)) return preset;
  return std::nullopt;
}

TissueConstants TissueConstants::of(FleshPreset preset) {
  return preset == FleshPreset::Lee2009 ? lee2009() : human();
}

TissueMaterial TissueConstants::mixed(const std::array<float, kTissues>& shares) const {
  TissueMaterial sum{.mu10 = 0, .mu01 = 0, .kappa = 0};
  double compliance = 0;
  for (std::size_t t = 0; t < kTissues; ++t) {
    const double share = double(shares[t]);
    sum.mu10 += share * material[t].mu10;
    sum.mu01 += share * material[t].mu01;
    compliance += share / material[t].kappa;
  }
  sum.kappa = 1 / compliance;
  return sum;
}

double TissueConstants::mixedDensity(const std::array<float, kTissues>& shares) const {
  double sum = 0;
  for (std::size_t t = 0; t < kTissues; ++t) sum += double(shares[t]) * density[t];
  return sum;
}

}  // namespace pneuma::flesh::embedded
