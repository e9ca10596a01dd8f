// Time until the default body is ready for a solver and a picture: read and expanded, fitted to its
// person, one articulation compiled, and every bone's surface, as pictures, files and skin take it,
// from the geometry cache (filled beforehand). On one thread, processor time.
#include <fmt/format.h>

#include <algorithm>

#include "bench/figures.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/parallel.h"

namespace {

using namespace pneuma;

/// One start of a program [s].
double loadOnce(const anatomy::GeometryCache& cache) {
  const double start = threadCpuSeconds();
  const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::Body body = anatomy::fitToPerson(measured, measured.person);
  const auto compiled = anatomy::compileBody(body, "upper-body").valueOrThrow();
  std::size_t triangles = 0;
  for (const anatomy::Shape& s : body.shapes)
    triangles += cache.boneMesh(s.shape, anatomy::kLightBone).triangles.size();
  const double seconds = threadCpuSeconds() - start;
  fmt::print("{} links, {} muscles, {} triangles of bone: {:.3f} s\n", compiled.links.size(),
             compiled.muscles.size(), triangles, seconds);
  return seconds;
}

}  // namespace

int main() {
  setThreadCount(1);
  const anatomy::GeometryCache cache;
  loadOnce(cache);  // fills the cache where it is empty
  double least = 1e300;
  for (int i = 0; i < 5; ++i) least = std::min(least, loadOnce(cache));
  bench::Figures().set("body.load_seconds", least);
}
