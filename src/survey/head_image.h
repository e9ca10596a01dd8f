#pragma once

#include <filesystem>

#include "pneuma/survey/measure.h"

/// Heads of both sexes as tables of points over a square: eyelids, lips, nostrils and ears.
namespace pneuma::survey::internal {

inline constexpr const char* kHeadImage = "skin_head_image";
inline constexpr const char* kHeadImageFemale = "skin_head_female_image";

/// The left half of the surface of a head, from the neck up, as a plate of kImageSize x kImageSize
/// points without thickness. The characters share one topology, so both tables share one layout:
/// the same row and column is the same place of the face in a man and a woman.
///
///   lids closed; pockets nobody sees (eye sockets, mouth, canals) cut out and closed
///   smoothed by Catmull and Clark's rule, as the source is meant to be shown
///   laid over the measured head, and onto the measured skin along the neck
///   laid out on a square with the more room the more a place bends; sampled
Measurement measureHeadImage(const AnatomyPack& pack, const std::string& name,
                             const std::filesystem::path& characters);

}  // namespace pneuma::survey::internal
