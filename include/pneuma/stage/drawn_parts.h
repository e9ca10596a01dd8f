#pragma once

namespace pneuma::stage {

/// What a run writes besides its tables and its GLB.
struct DrawnParts {
  bool stills = true, film = true;
  bool asset = false;  ///< asset.glb, for games (asset.h)
};

}  // namespace pneuma::stage
