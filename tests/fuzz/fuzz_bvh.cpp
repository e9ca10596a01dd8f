#include <cstdlib>

#include "fuzz_target.h"
#include "pneuma/io/bvh.h"

PNEUMA_FUZZ(content) {
  using namespace pneuma::io;
  const auto bvh = parseBvh(content, "fuzz.bvh");
  if (!bvh) return;
  for (std::size_t j = 0; j < bvh->joints.size(); ++j)
    if (bvh->joints[j].parent >= static_cast<int>(j)) std::abort();
  if (bvh->frameCount > 0 && bvh->poses(bvh->frameCount - 1).size() != bvh->joints.size())
    std::abort();
}
