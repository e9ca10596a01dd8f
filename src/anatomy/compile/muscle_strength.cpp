#include "pneuma/anatomy/muscle_strength.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/person.h"

namespace pneuma::anatomy {
namespace {

/// Muscle in a woman's lean mass relative to a man's [derived]: 30.6 against 38.4 % of the body
/// mass is muscle [seen, abstract of Janssen 2000, J Appl Physiol 89:81, 468 people], which by
/// bodyFatFraction is 0.47 against 0.52 of the lean mass (69 and 86 kg, the masses those shares
/// belong to, 1.63 and 1.76 m, 40 years).
constexpr double kWomensMuscle = 0.90;
/// Women lack 40 % of men's muscle above the waist and 33 % below, 36 % in all [seen, ibid.].
constexpr double kWomensUpper = 0.60 / 0.636, kWomensLower = 0.67 / 0.636;

/// Men's strength falls in a straight line from 25 years to 54-89 % at 75, women's from about 40
/// years to 48-92 % [seen, abstract of Danneskiold-Samsoe 2009, Acta Physiol 197 Suppl 673:1]; here
/// the middle of the range.
struct Decline {
  double from, at75;
};
constexpr Decline kMen{25, 0.715}, kWomen{40, 0.70};
constexpr double kOld = 75, kWeakest = 0.3;

const Decline& declineOf(const Person& p) {
  return p.sex == Sex::Male ? kMen : kWomen;
}

double muscleShare(const Person& p, MuscleRegion region) {
  if (p.sex == Sex::Male) return 1;
  return kWomensMuscle * (region == MuscleRegion::Leg ? kWomensLower : kWomensUpper);
}

/// Muscle over height, up to a constant.
double strengthOf(const Person& p, MuscleRegion region) {
  const Decline& decline = declineOf(p);
  // Lean mass before the decline: that loses strength and lean mass alike and counts once.
  Person young = p;
  young.age = std::min(p.age, decline.from);
  const double years = std::max(p.age - decline.from, 0.0) / (kOld - decline.from);
  const double left = std::max(1 - (1 - decline.at75) * years, kWeakest);
  return p.mass * (1 - bodyFatFraction(young)) * muscleShare(p, region) * left / p.height;
}

double crossSectionOf(const Muscle& m, double fiberLength) {
  if (m.pcsa > 0) return m.pcsa;
  if (m.volume) return *m.volume / fiberLength;
  return m.peakForce ? *m.peakForce / m.tension : 0.0;
}

}  // namespace

double peakForce(const Muscle& muscle, double fiberLength) {
  return muscle.peakForce ? *muscle.peakForce
                          : crossSectionOf(muscle, fiberLength) * muscle.tension;
}

MuscleArchitecture architectureOf(const Muscle& muscle, double restLength) {
  MuscleArchitecture a;
  a.fiberLength =
      muscle.fiberLength.value_or(restLength * (1 - muscle.tendonOrigin - muscle.tendonInsertion));
  a.crossSection = crossSectionOf(muscle, a.fiberLength);
  a.peakForce = peakForce(muscle, a.fiberLength);
  const double across = std::sin(muscle.pennation);
  const double along =
      std::sqrt(std::max(muscle.restFiber * muscle.restFiber - across * across, 0.0));
  a.tendonLength = restLength - a.fiberLength * along;
  return a;
}

double strengthRatio(const Person& person, const Person& subject, MuscleRegion region) {
  return strengthOf(person, region) / strengthOf(subject, region);
}

}  // namespace pneuma::anatomy
