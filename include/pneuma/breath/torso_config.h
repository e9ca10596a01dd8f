#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/breath/lung.h"
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
  double active = 0;   ///< k_ac; with a strength only what viscosity goes by, see SpringSet
  double passive = 0;  ///< k_pe
  double damping = 0;  ///< b
  /// Greatest active tension at rest length: [N] (PerSpring) or [N/m] (PerWidth). Either all
  /// muscles that contract have one or none has.
  double strength = std::numeric_limits<double>::infinity();
};

/// Active force over length, in lengths at rest upright: greatest at the optimum, none the reach
/// from it, a parabola between.
struct ForceLength {
  double optimum = 1, reach = 0.5;
};

/// How a rib is joined to the spine.
enum class RibJoint {
  Ball,  ///< three angles, as in the paper
  Neck   ///< one angle about the measured axis of the rib neck
};

/// How the front ends of the ribs are held.
enum class CartilageKind {
  Bending,     ///< on the sternum (ribs 8-10: on the rib above) by springs that act alike in all
               ///< directions, as soft as bending cartilage, rib and joint are together; forward
               ///< as stiff as rib and joint alone: sternum and cartilages are a closed arch
  FourSprings  ///< by four two-sided springs per end (paper)
};

/// Standing or lying on the back: tone of the wall, shares of the muscles, arms that hang or rest.
enum class Posture { Upright, Supine };

/// Settings of the breathing torso. Equation numbers refer to [Zordan05].
struct TorsoConfig {
  std::string preset = "default";
  int refinement = 1;  ///< divides every mesh length, 1 .. 4
  GainRule gainRule = GainRule::PerWidth;
  Posture posture = Posture::Upright;

  // Strengths are thickness times tension. Diaphragm: twice 1.9 mm (1.9 +- 0.3 by ultrasound;
  // hoops, which share the load in people, do not contract here) at 60 N/cm^2, as muscles of the
  // limbs. Intercostals: 2.3 mm at 60 N/cm^2, calibrated on rib 3 at full lungs. Belly: 11 mm of
  // rectus at 20 N/cm^2; 23 mm of the flat muscles, shared by three families of springs and
  // calibrated on the greatest pressure out. Stiffness of the wall: around the belly that which
  // lets the seated abdomen yield as people's does, tone and weight of the gut included; along it,
  // where it would hold the lower ribs down, of the order of what blown-up bellies have (1.8 kN/m
  // in all, derived from Song 2006). A layer of intercostals resists stretch with 300 N/m: 3 mm of
  // relaxed muscle (3 x 5.8 kPa along its fibres, Knight 2022) make 52, its membranes the rest
  // (chosen). Without it the weakest space opens in a full breath and the ribs below stay behind.
  MuscleConfig intercostal{.active = 1400, .passive = 300, .damping = 0.02, .strength = 1380};
  MuscleConfig diaphragm{.active = 3000, .passive = 200, .damping = 0.04, .strength = 2280};
  MuscleConfig tendon{.active = 0, .passive = 4000, .damping = 0.01};  ///< centre of the dome
  MuscleConfig rectus{.active = 6000, .passive = 300, .damping = 0.04, .strength = 2200};
  MuscleConfig transverse{.active = 6000, .passive = 56000, .damping = 0.02, .strength = 1300};
  MuscleConfig oblique{.active = 6000, .passive = 3500, .damping = 0.04, .strength = 1300};
  /// Diagonals of dome and front wall: without a liner a grid of strands shears freely, the more so
  /// the finer it is.
  MuscleConfig liner{.active = 0, .passive = 60, .damping = 0.04};
  /// Length at rest is the optimum of all muscles but the diaphragm's: in dogs on their back its
  /// strips pull hardest at 1.25 of it and down to 0.40 (Kim 1976; Farkas 1988 finds 1.05 and 1.19
  /// of it, costal and crural), and upright people's is shorter still. People's, stimulated,
  /// presses with 49 cmH2O at empty and 20 at full lungs (Smith & Bellemare 1987).
  ForceLength forceLength, diaphragmForceLength{.optimum = 1.25, .reach = 0.85};
  /// Strain of the passive elements and pressure of the gut in the rest state, where the loads of
  /// all that is not modelled (weight, tone) balance them. They keep wall and dome taut.
  double wallPrestrain = 0.02, domePrestrain = 0.05;
  double restPressure = 400;    ///< [Pa]
  double tendonFraction = 0.3;  ///< inner part of the meridians without muscle, 0 .. 0.8
  bool contractHoops = false;   ///< springs along the rings of the dome contract too (paper)

  /// Per spring, always. Scalenes: 180 N a side (Mortensen 2018, by their areas) over six springs.
  /// Levatores: 0.5 cm^2 at 60 N/cm^2 (chosen).
  MuscleConfig scalene{.active = 2600, .passive = 0, .damping = 30, .strength = 30};
  MuscleConfig levator{.active = 4000, .passive = 0, .damping = 20, .strength = 30};
  CartilageKind cartilage = CartilageKind::Bending;
  double cartilageStiffness = 0;   ///< of FourSprings, per spring [N/m]
  double cartilageDamping = 20;    ///< [N s/m]
  double cartilageModulus = 11e6;  ///< of Bending [Pa]; 11-15 MPa by indentation (Weber 2021)
  /// A trunk by itself: loins and pelvis are the ground, on which the spine stands with springs.
  /// Else they are bones like all others.
  bool ground = true;
  double groundStiffness = 30000;  ///< per corner of the spine [N/m]
  double groundDamping = 1100;     ///< [N s/m]

  RibJoint ribJoint = RibJoint::Neck;
  double jointFriction = 0.3;  ///< mu, Eq. 3 [N m s/rad]
  /// Head and tubercle together about the neck axis: 0.1 N m turn people's ribs by 6.6 degrees
  /// (Lebschy 2024), 0.87 N m/rad on the mean and 0.55 to 1.8 by level; the softest is used.
  double jointStiffness = 0.55;  ///< [N m/rad]
  /// Across it, see CartilageKind::Bending: two joints 26 mm apart that yield by 20 N/mm (same
  /// source) make k d^2 / 2 = 6.8.
  double jointStiffnessAcross = 6.8;  ///< [N m/rad]

  double spineMass = 10.5;   ///< with the head, Table 2 [kg]
  double ribMass = 0.7;      ///< mean of one rib, Table 2 [kg]
  double sternumMass = 2.0;  ///< Table 2 [kg]
  double gutMass = 8.0;      ///< of all point masses, Table 2 [kg]
  /// Eq. 2 as printed: a muscle that would push is slack, viscosity and all. Else only its spring
  /// is: walls of muscle, fascia, fat and skin are viscous both ways, and one that resists
  /// stretching alone is a rectifier, which steps would tighten.
  bool oneSidedDamping = false;
  double gutDrag = 15;       ///< viscous drag on the point masses, per mass [1/s]
  bool equalMasses = false;  ///< point masses alike (paper) instead of by area

  double bulkModulus = 1e6;    ///< kappa, Eq. 4 [Pa]
  bool clampPressure = false;  ///< Eq. 5: a gut below its volume does not pull its wall in
  bool springRim = false;      ///< the rim hangs on springs (Table 2, "Gut") instead of the ribs
  double rimStiffness = 40;    ///< [N/m]
  double rimDamping = 1;       ///< [N s/m]

  /// Of something that lies on the front of the belly, the trunk on its back [kg].
  double bellyWeight = 0;

  bool lungs = true;  ///< recoil, airways and gas of the person's lungs
  LungConfig lung;
  double diaphragmGain = 1, elevatorGain = 1;  ///< of the drive
  /// What muscles of posture keep, lying, of what they do upright. Upright, those that lift the
  /// ribs are the more active, by tone and with each breath (Druz & Sharp 1981), and the belly's
  /// wall is tense in 8 of 10 people, lying in none (De Troyer 1983). So the drive of the former
  /// falls to this part, up to full effort, which is the same in every posture; and wall and dome
  /// fall to it in stiffness, tension and the loads that hold them at rest. Nobody measured the
  /// dome's; with the wall's alone the abdomen would yield as people's does only at a swing of its
  /// pressure of a centimetre of water. One part for all is the simplest that the sources allow. It
  /// is calibrated on the living body's share supine; how far the lying abdomen yields and the
  /// shares prone and on the side follow. It acts as far as the trunk lies, 1 - |cos| of its
  /// inclination; a trunk by itself has its posture in these settings.
  double lyingActivity = 0.62;

  /// The external layer thins out from the tubercle to the cartilage as (1 - u)^externalTaper; 0:
  /// alike everywhere. In front its fibres would pull both ribs alike, without lifting them; the
  /// thinning is anatomy (De Troyer 2005), the exponent chosen.
  double externalTaper = 2;
  /// With the effort u the spaces that the gradient g below leaves out come in: g u becomes
  /// u (g + recruitment (1 - g) u). With 1 the ribs 5 and 6 turn furthest in a full breath.
  double recruitment = 0.3;
  /// The diaphragm lies on the lower ribs, which feel the belly's pressure across it.
  bool apposition = true;
  /// The ends of the true ribs push the sternum forward, see CartilageKind::Bending.
  bool sternumArch = true;

  /// Activation of intercostal spaces from the first to the ninth, linear between.
  double externalTop = 1.0, externalBottom = 0.06;
  double internalTop = 0.25, internalBottom = 0.97;
  double levatorTop = 1, levatorBottom = 0.37;  ///< ribs 2 to 10

  double riseTime = 0.10, fallTime = 0.15;  ///< of the contraction signals [s]
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
