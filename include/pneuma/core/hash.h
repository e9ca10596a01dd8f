#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace pneuma {

/// 64-bit FNV-1a over bytes, fed piece by piece. For state hashes and cache keys, not for security.
class Hash64 {
 public:
  Hash64& bytes(const void* data, std::size_t size);
  Hash64& text(std::string_view s) { return value(s.size()).bytes(s.data(), s.size()); }
  template <class T>
  Hash64& value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    return bytes(&v, sizeof v);
  }
  Hash64& values(std::span<const double> v) { return bytes(v.data(), v.size_bytes()); }

  std::uint64_t digest() const { return state_; }
  std::string hex() const;  ///< 16 lower-case digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

}  // namespace pneuma
