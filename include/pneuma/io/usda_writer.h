#pragma once

#include <filesystem>
#include <string>

#include "pneuma/io/gltf_writer.h"

namespace pneuma::io {

/// How a scene becomes USD.
struct UsdaOptions {
  double framesPerSecond = 30;  ///< of the time codes; keys of animations are sampled at these
  std::string animation;        ///< one of the scene's, by name; empty: all of them together
};

/// A scene (gltf_writer.h) as USD text (.usda): metres, +Y up.
///
///   /body              SkelRoot
///     materials        UsdPreviewSurface each
///     skeleton         Skeleton: every node of the scene is one of its joints
///     animation        SkelAnimation: translations, rotations and scales of the joints that move,
///                      and blend-shape weights, at every time code
///     <mesh>...        Mesh, or BasisCurves for lines, with its BlendShapes; bound to the joints
///     of
///                      its skin, or to its own node alone
///
/// A stage plays one animation: those of a scene run together, what is shorter than the longest is
/// repeated, and a channel that two of them move is the first one's. Levels of detail and tangents
/// are left out; targets move points, not normals. Throws InputError for what toGlb would refuse
/// and for an unknown animation.
std::string toUsda(const GltfScene& scene, const UsdaOptions& options = {});
/// Writes it atomically.
void writeUsda(const std::filesystem::path& path, const GltfScene& scene,
               const UsdaOptions& options = {});

}  // namespace pneuma::io
