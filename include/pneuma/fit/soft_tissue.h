#pragma once

#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/fit/inside.h"

namespace pneuma::fit {

/// How much lies between bone and skin of one part of a character, beside our person's.
struct SoftTissueRow {
  anatomy::SkinPart part = anatomy::SkinPart::Chest;
  double low = 0, median = 0, high = 0;  ///< 5th, 50th and 95th hundredth of its vertices [m]
  double usual = 0;                      ///< median of our person of that sex, height and mass [m]
};

/// From every vertex of the registered skin to the nearest bone, on whichever side it lies: bones
/// that come through the skin are found by bonesOutside.
struct SoftTissue {
  std::vector<double> thickness;  ///< one per vertex of FittedFigure::skin [m]
  std::vector<SoftTissueRow> parts;
};
SoftTissue softTissue(const FittedFigure& fitted, const CarriedAnatomy& inside,
                      const anatomy::GeometryCache& cache);

}  // namespace pneuma::fit
