#include "pneuma/core/parallel.h"

/// Parallel loops where there are no threads. Chunks run in order, so results have the same bits.
namespace pneuma {

int setThreadCount(int) {
  return 1;
}
int threadCount() {
  return 1;
}

namespace internal {

void runChunks(std::size_t chunks, const std::function<void(std::size_t)>& body) {
  for (std::size_t c = 0; c < chunks; ++c) body(c);
}

}  // namespace internal
}  // namespace pneuma
