#pragma once

/// Predicted lung volumes of a healthy person.
namespace pneuma::breath {

enum class Sex { Male, Female };

/// Who breathes.
struct Subject {
  Sex sex = Sex::Male;
  double height = 1.75;  ///< [m], 1.2 .. 2.2
  double mass = 73;      ///< [kg], 30 .. 200
  double age = 30;       ///< [years], 16 .. 95
};

/// Throws InputError naming the field that is out of range.
void validate(const Subject& subject);

/// Static lung volumes [m^3].
struct LungVolumes {
  double functionalResidual = 0;  ///< FRC, gas at the end of a quiet breath
  double total = 0;               ///< TLC
  double residual = 0;            ///< RV, gas that cannot be breathed out

  double vitalCapacity() const { return total - residual; }
  double inspiratoryCapacity() const { return total - functionalResidual; }
  double expiratoryReserve() const { return functionalResidual - residual; }
};

/// Global Lung Function Initiative 2021 [Hall21], median curves:
///
///   FRC = exp(a + b ln age + c ln height),  TLC alike,  RV = exp(a + b age + c height)
///
/// age in years, height in cm, volume in litres.
/// Departure: the age splines are left out; between 20 and 60 years they change the result by a few
/// per cent.
LungVolumes predictLungVolumes(const Subject& subject);

/// What shares the cavity with the gas of FRC [m^3]: heart, vessels, lung tissue, lining. 1.4 l for
/// the man of 1.75 m, in proportion to FRC for others.
double predictThoracicTissue(const Subject& subject);

}  // namespace pneuma::breath
