// Time until the default body is ready for a solver: read and expanded, fitted to its person, one
// articulation compiled, and every bone's surface taken from the geometry cache (filled
// beforehand).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/figures.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"

namespace {

using namespace pneuma;

/// One start of a program [s].
double loadOnce(const anatomy::GeometryCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::Body body = anatomy::fitToPerson(measured, measured.person);
  const auto compiled = anatomy::compileBody(body, "upper-body").valueOrThrow();
  std::size_t triangles = 0;
  for (const anatomy::Shape& s : body.shapes) triangles += cache.boneMesh(s.shape).triangles.size();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} links, {} muscles, {} triangles of bone: {:.3f} s\n", compiled.links.size(),
             compiled.muscles.size(), triangles, seconds.count());
  return seconds.count();
}

}  // namespace

int main() {
  const anatomy::GeometryCache cache;
  loadOnce(cache);  // fills the cache where it is empty
  double least = 1e300;
  for (int i = 0; i < 5; ++i) least = std::min(least, loadOnce(cache));
  bench::Figures().set("body.load_seconds", least);
}
