#pragma once

#include "pneuma/core/index.h"
#include "skin/control_net.h"

namespace pneuma::skin::internal {

/// A net whose points and quads are there, before it is evened out.
struct NetDraft {
  ControlNet net;
  std::vector<std::int32_t> trunk;  ///< points of the trunk at Layout::trunkPlace, -1: none
  std::vector<std::int32_t> seams;  ///< points where the limbs start
};

/// Finds neighbours, fills in what the rays did not see, and evens out spacing and shares near the
/// seams.
void finishNet(const Layout& layout, const RestSkin& skin, NetDraft& draft);

}  // namespace pneuma::skin::internal
