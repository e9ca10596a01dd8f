#pragma once

#include <filesystem>
#include <vector>

#include "pneuma/fit/breath_transfer.h"
#include "pneuma/io/gltf_writer.h"

namespace pneuma::fit {

/// One looping breath of the skin that lies on a character.
struct CharacterBreath {
  /// "breath_chest", "breath_belly"...: offsets of the skin's vertices, body frame [m].
  std::vector<io::MorphTarget> targets;
  std::vector<double> times;    ///< of the keys [s], rising from 0; the last key closes the loop
  std::vector<double> weights;  ///< keys x targets, in [0, 1]
};

/// What to write.
struct CharacterOutput {
  double framesPerSecond = 30;  ///< of point caches, > 0
  bool mergedClips = true;      ///< see io::GltfLoop
};

/// What was written, and what the breath does to the character.
struct CharacterFiles {
  std::vector<std::filesystem::path> files;  ///< the character first
  double largestOffset = 0;                  ///< of any vertex in the loop [m]
  double seam = 0;                           ///< largest distance from last to first key [m]
};

/// Gives a character back, breathing, into a folder.
///
/// - glTF: the file as it was (io::GltfEdit) with targets on every mesh that moves, with the change
///   of their normals, and the looping animation `breath`.
/// - OBJ: the file byte for byte, and a point cache (PC2, in the file's units, the order of its
///   vertices) per object; PLY, STL and FBX become an OBJ first, quads kept. Beside them
///   `<name>_preview.glb`: the same with targets and animation.
///
/// Nothing of Pneuma's own anatomy is in these files: offsets of the character's vertices alone.
/// Throws InputError when a file would overwrite the character itself.
CharacterFiles writeBreathingCharacter(const std::filesystem::path& folder,
                                       const Character& character, const BodyFrame& frame,
                                       const BreathTransfer& transfer,
                                       const CharacterBreath& breath,
                                       const CharacterOutput& output = {});

/// Change of the normals of Character::surface when its vertices move by `offsets`: each normal is
/// turned as the smooth normal of its place is. `normals` may be of any length but zero; a zero one
/// does not change.
std::vector<Vec3> normalChanges(const Character& character, std::span<const Vec3> normals,
                                std::span<const Vec3> offsets);

}  // namespace pneuma::fit
