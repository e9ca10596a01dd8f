#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace pneuma {

/// A broken promise of our own code: never the user's fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace internal {
[[noreturn]] void failCheck(const char* condition, const char* file, int line,
                            const std::string& detail);
}  // namespace internal
}  // namespace pneuma

/// Always on, for cheap conditions. Further arguments are a format string and its values:
///   PNEUMA_CHECK(i < n, "link {} of {}", i, n);
#define PNEUMA_CHECK(condition, ...)                                \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::pneuma::internal::failCheck(#condition, __FILE__, __LINE__, \
                                    ::fmt::format("" __VA_ARGS__)); \
  } while (false)

/// Debug builds only, for inner loops.
#ifdef NDEBUG
#define PNEUMA_ASSERT(condition, ...) static_cast<void>(0)
#else
#define PNEUMA_ASSERT(condition, ...) PNEUMA_CHECK(condition, __VA_ARGS__)
#endif
