#pragma once

#include "pneuma/breath/cage_model.h"
#include "pneuma/stage/cast.h"

/// The soft organs of a breathing trunk as they are shown.
namespace pneuma::stage::internal {

/// All points of the cage in a frame.
using CagePoints = std::function<Vec3(const body::Frame&, std::int32_t point)>;

/// Diaphragm, gut and both lungs, smooth in pictures and coarse in files:
///
/// - the diaphragm is the dome of the cage;
/// - the gut is the closed body below it, a little inside its wall;
/// - a lung is the half of the cavity above the dome beyond the mediastinum, closed towards it and
/// a
///   little inside pleura and ribs. Its lobes are told by colour, parted by fissures: the oblique
///   one from the back at the height of the third or fourth vertebra to the front end of the sixth
///   rib, on the right a level one besides at the fourth rib. They are drawn where textbooks have
///   them; the cage knows no lobes.
std::vector<SoftPart> organParts(const breath::CageModel& cage, const CagePoints& points);

}  // namespace pneuma::stage::internal
