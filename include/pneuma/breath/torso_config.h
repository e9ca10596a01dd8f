#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/types.h"

/// Parameters of the breathing torso, and the presets that set them.
namespace pneuma::breath {

/// How the numbers of a MuscleConfig become the gains k of single springs.
enum class GainRule {
  PerSpring,  ///< k as given [N/m] and b [N s/m]: the tables of the paper; depends on the mesh
  PerWidth    ///< k = K w / l0 with K a tension per width and strain [N/m], w the width a spring
              ///< stands for; b = damping time * k. Refining the mesh keeps the behaviour.
};

/// Gains of one muscle group: [N/m], [N/m], [N s/m] (PerSpring) or [N/m], [N/m], [s] (PerWidth).
struct MuscleConfig {
  double active = 0;   ///< k_ac
  double passive = 0;  ///< k_pe
  double damping = 0;  ///< b
};

/// How a rib is joined to the spine.
enum class RibJoint {
  Ball,  ///< three angles, as in the paper
  Neck   ///< one angle about the measured axis of the rib neck
};

/// How the front ends of the ribs are held.
enum class CartilageKind {
  Bending,      ///< on the sternum (ribs 8-10: on the rib above) by springs that act alike in all
                ///< directions, as a bending cartilage does
  FourSprings,  ///< by four two-sided springs per end (paper)
  Articulation  ///< by links and springs of the articulation itself
};

/// Standing or lying on the back: tone of the wall, shares of the muscles, arms that hang or rest.
enum class Posture { Upright, Supine };

/// Settings of the breathing torso. Equation numbers refer to [Zordan05].
struct TorsoConfig {
  std::string preset = "default";
  int refinement = 1;  ///< divides every mesh length, 1 .. 4
  GainRule gainRule = GainRule::PerWidth;
  Posture posture = Posture::Upright;

  MuscleConfig intercostal{.active = 8000, .passive = 100, .damping = 0.02};
  MuscleConfig diaphragm{.active = 2000, .passive = 200, .damping = 0.04};
  MuscleConfig tendon{.active = 0, .passive = 4000, .damping = 0.01};  ///< centre of the dome
  MuscleConfig rectus{.active = 6000, .passive = 3600, .damping = 0.04};
  MuscleConfig transverse{.active = 6000, .passive = 9600, .damping = 0.04};  ///< and obliques
  /// Diagonals of dome and front wall: without a liner a grid of strands shears freely, the more so
  /// the finer it is.
  MuscleConfig liner{.active = 0, .passive = 60, .damping = 0.04};
  /// Strain of the passive elements and pressure of the gut in the rest state, where the loads of
  /// all that is not modelled (weight, tone) balance them. They keep wall and dome taut.
  double wallPrestrain = 0.02, domePrestrain = 0.05;
  double restPressure = 400;    ///< [Pa]
  double tendonFraction = 0.4;  ///< inner part of the meridians without muscle, 0 .. 0.8
  bool contractHoops = false;   ///< springs along the rings of the dome contract too (paper)

  MuscleConfig scalene{.active = 12000, .passive = 600, .damping = 30};  ///< per spring, always
  MuscleConfig levator{.active = 60000, .passive = 0, .damping = 20};    ///< per spring, always
  CartilageKind cartilage = CartilageKind::Bending;
  double cartilageStiffness = 5000;  ///< per rib end, or per spring [N/m]
  double cartilageDamping = 20;      ///< [N s/m]
  /// A trunk by itself: loins and pelvis are the ground, on which the spine stands with springs.
  /// Else they are bones like all others.
  bool ground = true;
  double groundStiffness = 30000;  ///< per corner of the spine [N/m]
  double groundDamping = 1100;     ///< [N s/m]

  RibJoint ribJoint = RibJoint::Neck;
  double jointFriction = 0.3;  ///< mu, Eq. 3 [N m s/rad]
  /// Costovertebral stiffness about the neck axis [N m/rad] of rib n:
  ///   k1 + (k10 - k1) ((n - 1) / 9)^growth
  /// Ribs 8 to 10 hang on soft cartilage and would move most; in people motion falls downward.
  double jointStiffness = 7;        ///< k1
  double jointStiffnessLow = 45;    ///< k10
  double jointStiffnessGrowth = 5;  ///< 1: linear

  double spineMass = 10.5;   ///< with the head, Table 2 [kg]
  double ribMass = 0.7;      ///< mean of one rib, Table 2 [kg]
  double sternumMass = 2.0;  ///< Table 2 [kg]
  double gutMass = 8.0;      ///< of all point masses, Table 2 [kg]
  double gutDrag = 15;       ///< viscous drag on the point masses, per mass [1/s]
  bool equalMasses = false;  ///< point masses alike (paper) instead of by area

  double bulkModulus = 1e6;    ///< kappa, Eq. 4 [Pa]
  bool clampPressure = false;  ///< Eq. 5: a gut below its volume does not pull its wall in
  bool springRim = false;      ///< the rim hangs on springs (Table 2, "Gut") instead of the ribs
  double rimStiffness = 40;    ///< [N/m]
  double rimDamping = 1;       ///< [N s/m]

  double lungCompliance =
      2.04e-6;  ///< of the man with FRC 3.19 l; scales with FRC [m^3/Pa]; 0: none
  double airwayResistance = 2.0e5;  ///< for the same man; scales with 1 / FRC [Pa s/m^3]
  double abdominalTone = 1;         ///< multiplies the passive gains of the wall (posture)
  /// Posture shifts the drive between the diaphragm and the muscles that lift the ribs.
  double diaphragmGain = 1, elevatorGain = 1;

  /// Activation of intercostal spaces from the first to the ninth, linear between.
  double externalTop = 1.0, externalBottom = 0.06;
  double internalTop = 0.25, internalBottom = 0.97;
  double levatorTop = 1, levatorBottom = 0.37;  ///< ribs 2 to 10

  double riseTime = 0.12, fallTime = 0.25;  ///< of the contraction signals [s]
  double step = 0.004;                      ///< default time step [s]
};

/// Presets by name: "default" (calibrated to physiology) and "zordan2005" (Tables 1-3 as printed,
/// read in SI units). Throws InputError naming the nearest one.
TorsoConfig makeTorsoConfig(std::string_view preset, Posture posture = Posture::Upright);
const std::vector<std::string>& torsoPresets();

Posture parsePosture(std::string_view name);
std::string_view toString(Posture posture);

/// Throws InputError naming every field out of range.
void validate(const TorsoConfig& config);

}  // namespace pneuma::breath
