#include "pneuma/core/hash.h"

#include <fmt/format.h>

namespace pneuma {

Hash64& Hash64::bytes(const void* data, std::size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ p[i]) * 0x100000001b3ull;
  return *this;
}

std::string Hash64::hex() const {
  return fmt::format("{:016x}", state_);
}

}  // namespace pneuma
