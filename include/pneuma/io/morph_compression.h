#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/io/gltf_writer.h"

namespace pneuma::io {

/// How closely few morph targets must follow all frames.
struct MorphCompressionConfig {
  double tolerance = 1e-4;  ///< largest distance of any vertex in any frame [m], > 0
  int mostTargets = 0;      ///< stop at so many even above the tolerance; 0: no limit
  bool normals = true;      ///< fit the normals as well (needs triangles)
};

/// A sequence of frames as a base shape and a few morph targets.
struct MorphSequence {
  std::vector<Vec3> base;            ///< mean of the frames [m]
  std::vector<Vec3> baseNormals;     ///< with config.normals
  std::vector<MorphTarget> targets;  ///< "mode_01", ... by falling importance
  std::vector<double> weights;       ///< frames x targets, frame by frame, each in [-1, 1]
  std::size_t frameCount = 0;
  /// Largest distance between a vertex of a frame and the same vertex rebuilt from the rounded
  /// (32-bit) values that go into the file [m]. Measured over all vertices and frames.
  double largestError = 0;

  std::size_t targetCount() const { return targets.size(); }
};

/// Turns N frames of one surface into K morph targets and weight curves: the truncated singular
/// value decomposition of the frames' deviations from their mean,
///
///   x_i = base + sum_k w_ik t_k,   X = U S V^T,  w = U S (scaled to [-1, 1]),  t = V^T,
///
/// with the smallest K whose largest vertex error is below the tolerance. U and S come from the
/// N x N matrix X X^T, so memory beyond the frames stays small (300 frames of 300 000 vertices are
/// fine). Parallel; the same bits for any thread count.
///
/// X X^T squares the condition: motions below about 1e-8 of the largest one drown in rounding, far
/// below what 32-bit positions can hold.
///
/// All frames must have the same number of vertices. Throws InputError otherwise, and for a
/// tolerance <= 0 or a non-finite vertex.
MorphSequence compressFrames(std::span<const std::vector<Vec3>> frames,
                             std::span<const Triangle> triangles,
                             const MorphCompressionConfig& config = {});

/// The vertices of one frame, rebuilt.
std::vector<Vec3> rebuildFrame(const MorphSequence& sequence, std::size_t frame);

/// Adds the sequence to a scene as a mesh and an animated node; returns the node. `times` [s] has
/// one entry per frame.
int addSequence(GltfScene& scene, const std::string& name, const MorphSequence& sequence,
                std::span<const Triangle> triangles, std::vector<double> times, int material = -1);

}  // namespace pneuma::io
