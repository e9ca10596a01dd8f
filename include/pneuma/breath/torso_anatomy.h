#pragma once

#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/trunk.h"

/// What the breathing torso needs to know of a body: the anatomy's own description of its trunk.
namespace pneuma::breath {

using anatomy::RadialTable;
using anatomy::RibAnatomy;
using TorsoAnatomy = anatomy::TrunkAnatomy;

inline constexpr int kRibCount = anatomy::kMovingRibs;  ///< 11 and 12 go with the spine

/// The trunk of an expanded body in its own size: give it the body fitted to the person
/// (anatomy::fitToPerson). Throws InputError that names the missing landmark or table.
inline TorsoAnatomy readTorsoAnatomy(const anatomy::Body& body) {
  return anatomy::trunkAnatomy(body);
}

}  // namespace pneuma::breath
