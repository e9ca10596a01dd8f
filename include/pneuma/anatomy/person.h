#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/person_map.h"

/// Fitting a body to a person: skeleton proportions, masses, muscle strength, lung volumes.
namespace pneuma::anatomy {

/// Body fat as a fraction of the mass, from body mass index, age and sex [Deurenberg et al. 1991,
/// Br. J. Nutr. 65:105, abstract]: 1.20 BMI + 0.23 age - 10.8 (men) - 5.4 percent; to the age of 15
/// 1.51 BMI - 0.70 age - 3.6 (boys) + 1.4 percent. Kept within 0.03 to 0.6.
double bodyFatFraction(const Person& person);

/// Mass over volume of the body without the gas in its lungs [kg/m^3]: fat 900.7, the rest 1100
/// (Siri 1961, two compartments; recalled).
double tissueDensity(const Person& person);

/// Static lung volumes [m^3].
struct LungVolumes {
  double functionalResidual = 0;  ///< FRC: after a quiet breath out
  double total = 0;               ///< TLC
  double residual = 0;            ///< RV
  double vital = 0;               ///< VC = TLC - RV
};

/// Predicted medians of the Global Lung Function Initiative 2021 [Hall21, table of equations] for
/// that sex, height and age (5 to 80 years), taken as those at a body mass index of 22.
///
///   FRC = GLI exp(-0.029 (BMI - 22)), not below RV
///
/// from a body mass index of 30 against 20 lowering FRC to 75 % while TLC and VC change little
/// (Jones & Nzekwu 2006, Chest 130:827, n = 373). A `restingLung` of the person replaces FRC.
/// Departures: the tabulated age splines are left out; they change the medians by a few percent.
/// VC is the difference of the two others, not the equation of its own (6 % more), so that the
/// volumes add up, in children too.
LungVolumes lungVolumes(const Person& person);

/// What shares the cavity above the diaphragm with the gas [m^3]: heart, vessels, lung tissue,
/// lining. 1.4 l in the man of 1.75 m (1.1 l heart, vessels and lung tissue, 0.3 l lining and half
/// the diaphragm), for others in proportion to the lungs they have grown.
double predictThoracicTissue(const Person& person);

/// Volumes of the cavity above the diaphragm that the map of a person must meet [m^3].
///
///   rest = FRC of the person + tissue
///   cage = FRC of the grown lungs times the subject's share + tissue
///
/// Grown lungs: FRC at a body mass index of 22 and at most 25 years. The bony cage follows sex,
/// height and growth; fat, and the recoil lost with age, move the diaphragm alone. As the measured
/// dome already stands where the subject's fat and age put it, the cage is fitted with that share
/// of FRC, and the dome then moved from the subject's to the person's.
struct LungTargets {
  double cage = 0;  ///< with the diaphragm where the subject has it
  double rest = 0;  ///< with the person's own
};
LungTargets lungTargets(const Person& person, const Person& subject);

/// Throws InputError for a person outside the ranges of the body format or with a body mass index
/// below 8 or above 90 kg/m^2.
void checkPerson(const Person& person);

/// The body as that person: an expanded body with every position, direction, shape, inertia, cavity
/// and table taken through the PersonMap. Masses add up to person.mass: each segment grows with its
/// volume, and what remains is laid on as fat, more where the `fatShare` of the bone is larger.
/// Cross-section areas follow lean mass over length, peak forces strengthRatio
/// (muscle_strength.h). `person` and `subject` of the result are both
/// that person, so that fitting again changes nothing. Pieces of skin and muscles are moved part by
/// part; a skin is better made from the measured body, whose field is carried through the map point
/// by point.
Body fitToPerson(const Body& body, const Person& person);

/// Mass of the subject as the sum of the segments [kg].
double segmentMass(const Body& body);

}  // namespace pneuma::anatomy
