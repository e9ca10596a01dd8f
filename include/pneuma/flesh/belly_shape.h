#pragma once

#include <span>

#include "pneuma/anatomy/body.h"
#include "pneuma/flesh/belly_grid.h"

/// Rest shapes of bellies around an action line.
namespace pneuma::flesh {

/// A spindle around a line that encloses a volume [m^3].
BellyGrid makeFusiformOfVolume(const ActionLine& line, double volume, double exponent, int slices,
                               int around);

/// A spindle with the given radii [m], spread evenly from the belly's start to its end.
BellyGrid makeProfiled(const ActionLine& line, std::span<const double> radii, int slices,
                       int around);

/// Elliptic rings through the described cross-sections (at least one), which stand in the middle of
/// equal parts of the belly; before the first and after the last the belly tapers like the end of
/// an ellipsoid. The half-axes are scaled by one number so that it encloses `volume` [m^3]; 0: as
/// they are. `rotation` turns the sections about the line [rad].
BellyGrid makeSectioned(const ActionLine& line, std::span<const anatomy::BellySection> sections,
                        double volume, double rotation, int slices, int around);

/// The world axis that is most across a line, made perpendicular to it: a direction for rings.
Vec3 ringReference(std::span<const Vec3> points);

}  // namespace pneuma::flesh
