#pragma once

#include "pneuma/flesh/embedded/body_flesh.h"

namespace pneuma::flesh::embedded {

/// Gives the fibres of each line the strength and length of that line, and tendons to the muscles
/// that end before their bones:
///
/// *Strength.* Force over PCSA, as the body file has them, instead of FibreLaw::maximumStress.
///
/// *Length.* Fibres stand where the line's stand at rest, but no further than at their best length:
/// the measured shape is at rest, so nothing may pull in it.
///
/// *Tendons.* From within the belly of a measured muscle to the bone runs a tendon along the path.
/// It is in series with the belly, so it is as strong as the belly is active (a relaxed one would
/// only bind flesh that slides in people) and never shortens by itself: it stands where the active
/// curve begins, slack at rest and pulling with the line's force when it is stretched by
/// `tendonStrain`. A spring holds it on its bone. Tubes, whose belly nobody measured, have none.
void addArchitecture(const FleshAnatomy& anatomy, const TissueConstants& constants,
                     BodyFlesh& flesh);

}  // namespace pneuma::flesh::embedded
