#pragma once

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/io/gltf_writer.h"

namespace pneuma::anatomy {

/// What of a body goes into a glTF scene.
struct SceneOptions {
  bool bones = true;
  bool muscles = true;
  double tolerance = kLightBone;  ///< of bone surfaces [m]; 0: every triangle there is
};

/// The body as a glTF scene at rest: one node per link in the tree of the articulation, placed at
/// its joint's centre; below it one node per bone with its surface; muscle lines as children of the
/// root. All nodes carry the names of the body file.
io::GltfScene bodyScene(const Body& body, const CompiledBody& compiled, const GeometryCache& cache,
                        const SceneOptions& options = {});

}  // namespace pneuma::anatomy
