#include <cstdlib>

#include "fuzz_target.h"
#include "pneuma/io/point_cache.h"

PNEUMA_FUZZ(content) {
  const auto cache = pneuma::io::parsePointCache(content, "fuzz.pc2");
  if (!cache) return;
  for (const auto& frame : cache->frames)
    if (frame.size() != cache->pointCount) std::abort();
}
