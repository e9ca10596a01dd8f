#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/core/progress.h"
#include "pneuma/survey/measure_pack.h"

/// Measuring bellies: where real muscles lie along the action lines, how wide and how thick.
namespace pneuma::survey {

/// What was measured of one belly.
struct MeasuredBelly {
  anatomy::Belly belly;                 ///< as described, with sections renewed
  bool mirror = false;                  ///< a left one that stands for both sides
  double volume = 0;                    ///< of its share of the real muscles [m^3]
  double start = 0, end = 1;            ///< where it lies, as fractions of the line
  double described = 0;                 ///< volume in the body file [m^3]
  double bellyStart = 0, bellyEnd = 1;  ///< by the tendons of the body file
};

/// Measures the bellies of a body as measured (not fitted to a person) that name real muscles, left
/// and middle ones; the right muscles count mirrored, so that left and right are averaged.
///
/// A muscle of several bellies is shared out: every bit of it belongs to the nearest of their
/// lines. A section is the ellipse with the area and the second moments of what lies in its part of
/// the belly; its flatness is limited to 6.
std::vector<MeasuredBelly> measureBellies(const AnatomyPack& pack, const anatomy::Body& body,
                                          Progress& progress);

/// Body text: one `[[belly]]` each.
std::string belliesText(const std::vector<MeasuredBelly>& bellies, const std::string& credit);

}  // namespace pneuma::survey
