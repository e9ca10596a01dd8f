#pragma once

#include <string>

namespace pneuma::stage {

/// What a run writes besides its tables and its GLB.
struct DrawnParts {
  bool stills = true, film = true;
  bool asset = false;                     ///< asset.glb, for games (asset.h)
  int width = 1280, height = 720;         ///< of the large still [pixels]
  int filmWidth = 960, filmHeight = 540;  ///< of the film [pixels], even
  std::string command = {};               ///< as typed, for the report
};

}  // namespace pneuma::stage
