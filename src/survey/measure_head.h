#pragma once

#include <filesystem>
#include <string>

#include "anatomy/shape/distance_volume.h"

/// Heads of both sexes for the skin, from a folder of character bodies.
namespace pneuma::survey::internal {

/// Size and place of a head: what two heads are laid over one another by.
struct HeadFrame {
  double vertex = 0, menton = 0;     ///< heights [m]
  double occiput = 0, glabella = 0;  ///< depths in the mid-plane [m]
  double breadth = 0;                ///< above the ears [m]
};
HeadFrame headFrame(const TriangleMesh& body);

/// Puts the head of a character (`<folder>/<character>.obj` with the eye markers of
/// `characters.json`) on the measured body: `skin` holds the distances of the measured skin, `body`
/// is its mesh. The two fields change over into one another along the neck, so that head and neck
/// are one surface; the eye sockets, open pockets in the source, are filled with eyeballs.
void putHeadOn(anatomy::internal::DistanceVolume& skin, const TriangleMesh& body,
               const std::filesystem::path& folder, const std::string& character);

}  // namespace pneuma::survey::internal
