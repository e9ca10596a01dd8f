#pragma once

#include "anatomy/distance_volume.h"

namespace pneuma::anatomy::internal {

/// The solid with what it encloses filled: a point from which nearly every direction runs into the
/// solid counts as inside (the cranial cavity, behind its foramina). Narrow gaps (sutures) close.
DistanceVolume filledEnclosed(const DistanceVolume& volume);

}  // namespace pneuma::anatomy::internal
