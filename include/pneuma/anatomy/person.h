#pragma once

#include "pneuma/anatomy/body.h"

/// Fitting a body to a person: skeleton proportions, masses, muscle strength, lung volumes.
namespace pneuma::anatomy {

/// The five skeleton parameters of [Nedel00, Sec. 6.2], resolved: all relative to the subject.
struct Proportions {
  double global = 1;       ///< height / height of the subject
  double spineRatio = 1;   ///< height of the spine's origin, at equal height
  double highLateral = 1;  ///< width above the spine's origin
  double lowLateral = 1;   ///< width below it
  double frontal = 1;      ///< depth
};

/// The person's own ratios, or where they are not given those of the sex: against a man of the same
/// height a woman's trunk is 5 % narrower, her pelvis 6 % wider and her depth 3 % smaller (after
/// the means of biacromial and bi-iliac breadth and chest depth in ANSUR II, 2012 [Gordon et al.
/// 2014, NATICK/TR-15/007]; from memory, rounded, not verified).
Proportions proportionsOf(const Person& person, const Person& subject);

/// Takes positions of the subject to positions of the person. The lower body (pelvis, legs) scales
/// about the floor, the upper body (everything else) about the spine's origin, each by one factor
/// per axis; both meet at the spine's origin.
class PersonMap {
 public:
  PersonMap(const Proportions& p, double subjectHeight, const Vec3& spineOrigin);

  Vec3 scale(BodyRegion region) const { return isLower(region) ? lower_ : upper_; }
  Vec3 offset(BodyRegion region) const { return isLower(region) ? Vec3(0, 0, 0) : shift_; }
  Vec3 operator()(BodyRegion region, const Vec3& p) const {
    return scale(region).cwiseProduct(p) + offset(region);
  }

 private:
  static bool isLower(BodyRegion r) { return r == BodyRegion::Pelvis || r == BodyRegion::Leg; }
  Vec3 lower_, upper_, shift_;
};

/// Body fat as a fraction of the mass, from body mass index, age and sex [Deurenberg et al. 1991,
/// Br. J. Nutr. 65:105, abstract]: 1.20 BMI + 0.23 age - 10.8 (men) - 5.4 percent; to the age of 15
/// 1.51 BMI - 0.70 age - 3.6 (boys) + 1.4 percent. Kept within 0.03 to 0.6.
double bodyFatFraction(const Person& person);

/// Static lung volumes [m^3].
struct LungVolumes {
  double functionalResidual = 0;  ///< FRC: after a quiet breath out
  double total = 0;               ///< TLC
  double residual = 0;            ///< RV
  double vital = 0;               ///< VC
};

/// Predicted medians of the Global Lung Function Initiative 2021 [Hall21, table of equations] for
/// that sex, height and age (5 to 80 years).
/// Departure: the tabulated age splines are left out; they change the medians by a few percent.
LungVolumes lungVolumes(const Person& person);

/// Throws InputError for a person outside the ranges of the body format or with a body mass index
/// below 8 or above 90 kg/m^2.
void checkPerson(const Person& person);

/// The body as that person: an expanded body with every position, shape, mass, cross-section area
/// and cavity scaled. Masses add up to person.mass: each segment grows with its volume, and what
/// remains is laid on as fat, more where the `fatShare` of the bone is larger. Cross-section areas
/// follow lean mass over length, peak forces strengthRatio (muscle_strength.h). `person` and `subject` of the result are both that person.
Body fitToPerson(const Body& body, const Person& person);

/// Mass of the subject as the sum of the segments [kg].
double segmentMass(const Body& body);

}  // namespace pneuma::anatomy
