#pragma once

namespace pneuma::stage {

/// What a run writes besides its tables and its GLB.
struct DrawnParts {
  bool stills = true, film = true;
  bool asset = false;              ///< asset.glb, for games (asset.h)
  int width = 1280, height = 720;  ///< of the large still [pixels]
};

}  // namespace pneuma::stage
