#pragma once

#include "pneuma/anatomy/body.h"

/// How children differ from small adults: sizes by age.
namespace pneuma::anatomy {

/// A body that still grows, against the grown one it becomes. All factors of shape hold at equal
/// height and are 1 from 18 years on.
///
///   stature, massIndex   medians of the CDC growth charts 2000 over those at 20 years (stature of
///                        girls from 13 on and index of boys to 9 read, the rest recalled)
///   legs                 height below the seat, (1 - s) / (1 - 0.523) with s the sitting height
///                        over stature: 0.578 at 3 and 0.556 at 6 years (Hybrid III dummies of that
///                        age, NHTSA, read); 0.530 at 10, 0.523 from 13 on (recalled)
///   arms                 shoulder to elbow to fingertip over stature: 0.468 at 6 (the same dummy,
///                        read) against 0.484 (ANSUR II, recalled)
///   cranium              its length and breadth: those of Feingold & Bossert (equations of
///                        medicalalgorithms.com after Hall 1995, read) over the adult's, which the
///                        girls reach at 14, the boys at 17 years; Farkas 1992 agrees (abstract)
///   faceHeight           from the eyes to the chin, over the adult's (Farkas 1994, recalled)
///   maturity             share of the grown body's differences of sex in breadth, 0 before 9
///   (girls)
///                        or 11 years (boys), 1 from 16 or 18 on; a choice
struct Growth {
  double stature = 1, massIndex = 1;
  double legs = 1, arms = 1;
  double cranium = 1, faceHeight = 1, faceBreadth = 1;
  double maturity = 1;
};

/// At an age of 5 years or more; 1 throughout from 20 years on.
Growth growthOf(Sex sex, double age);

/// The medians themselves; from 20 years on those of 20.
struct Medians {
  double stature = 0;    ///< [m]
  double massIndex = 0;  ///< [kg/m^2]
};
Medians mediansOf(Sex sex, double age);

/// Children are those below 18 years: figures of adults say nothing about them.
constexpr double kGrownAge = 18;
inline bool isChild(const Person& person) {
  return person.age < kGrownAge;
}

/// What a person is called: man, woman, boy or girl.
const char* wordFor(Sex sex, double age);

}  // namespace pneuma::anatomy
