#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace pneuma::anatomy {

/// Pieces of a body that a fit carries each by a map of its own.
enum class FittedPart {
  Trunk,   ///< pelvis, spine, cage, neck, head
  Girdle,  ///< clavicle and scapula: from the cage to the shoulder joint
  UpperArm,
  Forearm,
  Hand,
  Thigh,
  Shank,
  Foot
};
inline constexpr std::size_t kFittedParts = 8;
/// As body files name them.
inline constexpr std::array<const char*, kFittedParts> kFittedPartNames{
    "trunk", "girdle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot"};
FittedPart fittedPartOf(const std::string& bone);

}  // namespace pneuma::anatomy
