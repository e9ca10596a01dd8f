#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/fit/inside.h"

namespace pneuma::fit {

/// How far a bone comes through a character's skin.
struct BoneOutside {
  std::string bone;
  std::size_t vertices = 0;  ///< that were looked at
  std::size_t outside = 0;   ///< of them
  double worst = 0;          ///< how far the farthest lies outside [m]
};

/// Vertices of the carried bones outside a closed surface in the body frame, by its winding number
/// (skin::windingNumber < 1/2). Skull and mandible are left out: eyes and mouth of a character are
/// pockets that reach into the head, and down to the neck. What lies in such a pocket is not
/// outside the character: a vertex counts only where it is also outside our skin on it
/// (`registered`), which has none. Of hands, whose skin is registered by their arms alone, the
/// character's surface decides.
std::vector<BoneOutside> bonesOutside(const FigureTemplate& figure, const CarriedAnatomy& inside,
                                      const TriangleMesh& surface, const TriangleMesh& registered,
                                      const anatomy::GeometryCache& cache);

/// All of them together, or those that count; `bone` is the worst, or empty.
BoneOutside summed(std::span<const BoneOutside> bones,
                   bool (*counts)(const std::string& bone) = nullptr);
bool isOfHand(const std::string& bone);

}  // namespace pneuma::fit
