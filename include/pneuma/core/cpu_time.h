#pragma once

#include <ctime>

/// Processor time, for measures of speed: other work on the machine does not count in it.
namespace pneuma {

namespace internal {

inline double clockSeconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace internal

/// Spent by the calling thread since it began [s].
inline double threadCpuSeconds() {
  return internal::clockSeconds(CLOCK_THREAD_CPUTIME_ID);
}

/// Spent by all threads of the process since it began [s].
inline double processCpuSeconds() {
  return internal::clockSeconds(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace pneuma
