#pragma once

#include <cstddef>
#include <cstdint>

namespace pneuma {

/// The place in a vector of a vertex, triangle, bone or link that files and meshes number with 32
/// bits.
constexpr std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace pneuma
