#pragma once

#include <string>

namespace pneuma::test {

/// A value as it lies in memory, to put binary files together.
std::string bytesOf(const auto& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace pneuma::test
