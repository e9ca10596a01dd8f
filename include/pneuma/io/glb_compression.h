#pragma once

#include <string>
#include <string_view>

namespace pneuma::io {

/// How much of its numbers a compressed GLB keeps: they are rounded to whole multiples of these.
struct GlbRounding {
  double position = 0x1p-15;  ///< [m] positions, offsets of targets and keys of movement: 0.03 mm
  double direction = 0x1p-7;  ///< of normals and tangents
  double rotation = 0x1p-15;  ///< of the numbers of a quaternion
};

/// A GLB written by Pneuma, with its buffer views compressed (EXT_meshopt_compression) after
/// rounding: about a quarter of the size. Only readers with a meshopt decoder open it (three.js,
/// Babylon.js; not Blender), so it serves pages that bring one along, not the files of a run.
std::string compressedGlb(std::string_view glb, const GlbRounding& rounding = {});

}  // namespace pneuma::io
