#pragma once

#include <string>
#include <vector>

#include "pneuma/io/gltf_writer.h"

/// The animations of a scene at the time codes of a USD stage.
namespace pneuma::io::internal {

/// Everything that moves, by time code.
struct SampledScene {
  std::size_t frames = 1;
  std::vector<int> nodes;                    ///< that move, rising
  std::vector<std::vector<Vec3>> places;     ///< of each of them, by time code
  std::vector<std::vector<Quat>> turns;      ///< alike
  std::vector<std::vector<Vec3>> scales;     ///< alike
  std::vector<int> morphing;                 ///< nodes whose targets move, rising
  std::vector<std::vector<double>> weights;  ///< of each of them: by time code, then target
};

/// Samples an animation of that name, or with "" all of them together: a channel that two of them
/// move is the first one's, and what is shorter than the longest is repeated. Keys are linear in
/// between, turns along the shortest arc. Throws InputError with the nearest name when there is no
/// such animation.
SampledScene sampleScene(const GltfScene& scene, const std::string& animation,
                         double framesPerSecond);

}  // namespace pneuma::io::internal
