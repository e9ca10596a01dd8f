#pragma once

#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_style.h"

/// How people breathe under load.
namespace pneuma::breath {

/// What a metabolic load asks of the breath. One MET is 3.5 mL of oxygen per kilogram and minute.
///
///   VO2 = METs 3.5 mL/(kg min) mass         V_E = 27 VO2
///   f   = 15 (V_E / V_E1)^(1/3) per minute  V_T = V_E / f, at most 0.55 VC
///
///   V_E  ventilation, V_E1 that at one MET [m^3/s]     f  breaths     V_T  volume of a breath
///
/// 27 litres of air per litre of oxygen: an exposure handbook (seen). The root is fitted to rest (7
/// L/min, 15 breaths), walking (24, 21), running (75, 33) and the greatest exercise (97 +- 25, 36
/// +- 9, 2.7 of about 5 L; Blackie 1991, n 231, seen; the two between recalled).
struct Exertion {
  double mets = 1;
  double oxygen = 0;       ///< VO2 [m^3/s]
  double ventilation = 0;  ///< V_E [m^3/s]
  double rate = 0;         ///< f [1/min]
  double tidal = 0;        ///< V_T [m^3]
};

/// Throws InputError for less than one MET, and for more than the person can breathe: 0.9 of the
/// maximal ventilation, which is 40 times the first second's volume (recalled), 0.84 VC
/// at 30 years and 0.74 VC at 80.
Exertion exertionOf(const anatomy::Person& person, double mets);

/// A quiet style at that load: its rate, inspirations that take 0.40 to 0.48 of a breath (Daley
/// 2013: 0.41-0.49), and expirations that the belly helps from 3 METs on, which end below rest as
/// people's do (how much it helps was chosen on that). The volume of a breath is found by the
/// muscles' commands (BreathSettings::tidalVolume).
BreathStyle exertedStyle(const BreathStyle& quiet, const Exertion& exertion);

}  // namespace pneuma::breath
