#pragma once

#include "anatomy/shape/distance_volume.h"

namespace pneuma::survey::internal {

/// The solid with what it encloses filled: a point from which nearly every direction runs into the
/// solid counts as inside (the cranial cavity, behind its foramina). Narrow gaps (sutures) close.
anatomy::internal::DistanceVolume filledEnclosed(const anatomy::internal::DistanceVolume& volume);

/// The solid with thin plates made at least `thickness` [m] thick; thicker places stay as they are.
/// A plate thinner than the grid of a fit would be lost.
anatomy::internal::DistanceVolume thickened(const anatomy::internal::DistanceVolume& volume,
                                            double thickness);

/// Largest depth (minus the distance) within `reach` [m] of each node.
anatomy::internal::DistanceVolume depthNearby(const anatomy::internal::DistanceVolume& volume,
                                              double reach);

}  // namespace pneuma::survey::internal
