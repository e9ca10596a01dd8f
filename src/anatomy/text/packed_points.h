#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/types.h"

/// Many points as one piece of text: for every point the offsets x, y, z from a middle as 16-bit
/// integers, least significant byte first, in steps of 10 micrometres, all of it in base64. Line
/// breaks and blanks do not count.
namespace pneuma::anatomy::internal {

inline constexpr double kPackedStep = 1e-5;  ///< [m]

/// Throws InputError when a point lies farther than 0.327 m from the middle along an axis.
std::string packPoints(std::span<const Vec3> points, const Vec3& middle);
/// Nothing when the text is damaged.
std::optional<std::vector<Vec3>> unpackPoints(std::string_view text, const Vec3& middle);

/// The middle of the box around the points, in the mid-plane, in whole millimetres.
Vec3 packingMiddle(std::span<const Vec3> points);

}  // namespace pneuma::anatomy::internal
