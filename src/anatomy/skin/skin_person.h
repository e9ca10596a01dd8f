#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"

/// From the measured envelope to a person's, beyond the map of proportions: fat and sex.
namespace pneuma::anatomy::internal {

/// The lean envelope of a woman differs from the measured man's by more than her skeleton: takes a
/// point of hers to the place on his it belongs to (waist, hips, chest, neck).
Vec3 femaleToMale(const Vec3& subject);

/// How much slimmer a woman's lean arm is all around at a height of the subject [m].
double femaleArm(double subjectY);

/// Share of the fat layer at a place on the subject, about 1 on the trunk; smooth, and a function
/// of the place alone.
double fatWeight(const Vec3& subject, Sex sex, bool arm);

/// Breasts, added to the trunk of a woman, in the subject's frame.
void addBreasts(BoneShape& trunk);

}  // namespace pneuma::anatomy::internal
