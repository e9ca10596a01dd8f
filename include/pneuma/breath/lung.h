#pragma once

#include "pneuma/anatomy/person.h"

/// The lungs of a person: elastic recoil, airways, and the gas in them.
namespace pneuma::breath {

inline constexpr double kCmH2O = 98.0665;         ///< [Pa]
inline constexpr double kDryAtmosphere = 95.1e3;  ///< less water vapour at 37 degrees [Pa]

/// What is done to the airway opening.
struct Airway {
  double mouthPressure = 0;  ///< against the atmosphere [Pa]
  double resistance = 0;     ///< beyond that of open airways: voice, snore, nose [Pa s/m^3]
  bool open = true;          ///< glottis, or a shutter at the mouth
};

/// Numbers of the lungs' mechanics for a man with a total capacity of 6.43 l at the age of 30; a
/// person's follow from the volumes and the age (makeLungs).
struct LungConfig {
  // Static recoil P = -ln((a TLC - V) / (b TLC)) / k (Colebatch 1979), fitted to the points of
  // Rahn's diagram (lung 2, 5, 8, 13, 30 cmH2O; recalled) at 30 years, and to 3.5 cmH2O at 0.55 TLC
  // and 20 at TLC at 70 (recalled); linear in age between and beyond.
  double k30 = 0.105, a30 = 1.037, b30 = 0.887;  ///< [1/cmH2O], [-], [-]
  double k70 = 0.140, a70 = 1.050, b70 = 0.815;
  /// Airways [cmH2O s/l], [cmH2O s^2/l^2]: P = (upper + lower / V) F + turbulent F |F|, V in litres
  /// of gas. Conductance 0.24 per litre, 45 % of the resistance above the glottis (Briscoe 1958,
  /// recalled; Hyatt 1961); mouth, not nose.
  double upper = 0.62, lower = 2.3, turbulent = 0.4;
  /// Flow limit of an expiration, F < (P_el(V) - P_el(RV)) / upstream [cmH2O s/l]: the equal
  /// pressure point. 1.25 gives the flows at 25, 50 and 75 % of the vital capacity that people have
  /// (8.3, 5.0, 1.9 l/s at 30 years, 75 kg, 1.75 m).
  double upstream = 1.25;
  /// Stress relaxation of the tissue, a spring and a dashpot in a row beside the recoil: 0.23 +-
  /// 0.051 l/cmH2O and 0.82 +- 0.11 s for lung and chest wall together (Jonson 1993 JAP 75:132,
  /// healthy adults); the lung's part of it is taken as 0.6 (recalled). 0: none.
  double relaxingCompliance = 0.23, relaxingShare = 0.6;  ///< [l/cmH2O], [-]
  double relaxationTime = 0.82;                           ///< [s]
};

/// Lungs of one person, in SI units.
///
///   p_el(V) = -ln((A - V) / B) / K                                   static recoil
///   P_alv   = (n / V - 1) P_atm                                      Boyle
///   dn/dt   = -F(P_alv - P_mouth, V)                                 airway, 0 when shut
///   p_ve    = E (V - V_d),  dV_d/dt = (V - V_d) / tau                tissue that relaxes
///   P_pl    = P_alv - p_el(V) - p_ve + p_el(FRC)                     pleural, against rest
///
///   V  gas in the lungs [m^3]     n  the same at the pressure of the atmosphere [m^3]
///   F  flow out of the mouth [m^3/s]     V_d  volume at which the tissue would be relaxed [m^3]
///
/// Departure: above 99.6 % of the asymptote A the recoil goes on along its tangent, so that a step
/// that lands there has a pressure.
struct Lungs {
  double total = 0, residual = 0, rest = 0;  ///< TLC, RV, FRC, gas [m^3]
  double tissue = 0;                         ///< what shares the cavity with it [m^3]
  double A = 0, B = 0, K = 0;                ///< [m^3], [m^3], [1/Pa]; K = 0: no lungs
  double upper = 0, lower = 0, turbulent = 0, upstream = 0;  ///< [Pa s/m^3], [Pa s], ...
  double relaxing = 0, relaxationTime = 1;                   ///< E [Pa/m^3], tau [s]

  bool present() const { return K > 0; }
  double recoil(double gas) const;           ///< p_el [Pa]
  double staticStiffness(double gas) const;  ///< dp_el/dV [Pa/m^3]
  double stiffness(double gas) const;        ///< dp_el/dV + dp_ve/dV [Pa/m^3]
  /// p_ve of tissue that would be relaxed at `relaxed` [Pa], and that volume a step later.
  double relaxingPressure(double gas, double relaxed) const { return relaxing * (gas - relaxed); }
  double relax(double gas, double relaxed, double h) const;

  /// Flow out of the mouth for a pressure from alveoli to mouth, and its derivative [m^3/(s Pa)].
  struct Flow {
    double flow = 0, conductance = 0;
  };
  /// `added` is a resistance beyond that of open airways [Pa s/m^3].
  Flow flow(double pressure, double gas, double added = 0) const;
  /// Greatest flow of an expiration at that volume [m^3/s].
  double greatestFlow(double gas) const;

  /// The end of a step: alveolar pressure when the cavity changes by dV in h, and the gas then.
  struct Alveoli {
    double pressure = 0;   ///< [Pa]
    double gas = 0;        ///< n at the end [m^3]
    double flow = 0;       ///< out, mean of the step [m^3/s]
    double stiffness = 0;  ///< -dP/dV of the end's pressure [Pa/m^3]
  };
  Alveoli breathe(const Airway& airway, double n, double gas, double change, double h) const;
};

/// Lungs of a person whose cavity holds `cavity` [m^3] at rest. Airways widen with TLC.
Lungs makeLungs(const anatomy::Person& person, double cavity, const LungConfig& config = {});

}  // namespace pneuma::breath
