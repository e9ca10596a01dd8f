#pragma once

#include "pneuma/fit/figure_template.h"

namespace pneuma::fit::internal {

/// Mass of the person whose skin encloses that volume [kg]: tissue at its density by the share of
/// fat, and the gas in the lungs (anatomy::skinVolume). Kept within a body mass index of 12 to 60.
double massOfVolume(anatomy::Person person, double volume);

/// Which of two people of unlike sex a character's trunk is more like, and how surely.
///
///   e = mean over the trunk's cuts of (log w / w')^2 + (log d / d')^2      each over its own mean
///   confidence = 1 / (1 + exp(-(e_other - e) / s))
///
/// w, d are width and depth of the character's cuts, w', d' those of the person. s is calibrated on
/// the five shared characters, of whom a thin woman passes for a man: she must come out below 0.8,
/// where the caller should ask.
struct SexGuess {
  anatomy::Sex sex = anatomy::Sex::Male;
  double confidence = 0.5;
};
SexGuess guessSex(const BodyMeasures& character, const FigureTemplate& man,
                  const FigureTemplate& woman);

}  // namespace pneuma::fit::internal
