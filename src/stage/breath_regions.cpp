#include "stage/breath_regions.h"

#include <algorithm>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"

namespace pneuma::stage {
namespace internal {
namespace {

constexpr int kSpreadRounds = 400;  // enough to cross the back of a skin of 20,000 triangles
constexpr int kSoftenRounds = 6;    // borders some six triangles wide
constexpr std::size_t kValueGrain = 4096;

/// Neighbours of each vertex, one list after another.
struct Neighbours {
  std::vector<std::size_t> begin;
  std::vector<std::int32_t> list;
};

Neighbours neighboursOf(std::size_t count, std::span<const Triangle> triangles) {
  Neighbours n;
  n.begin.assign(count + 1, 0);
  for (const Triangle& t : triangles)
    for (const std::int32_t v : t) n.begin[static_cast<std::size_t>(v) + 1] += 1;
  for (std::size_t v = 0; v < count; ++v) n.begin[v + 1] += n.begin[v];
  n.list.resize(n.begin[count]);
  std::vector<std::size_t> next(n.begin.begin(), n.begin.end() - 1);
  // The corner after v in each triangle around it: on a closed surface each neighbour once.
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k)
      n.list[next[static_cast<std::size_t>(t[k])]++] = t[(k + 1) % 3];
  return n;
}

/// One round of averaging over neighbours, for the vertices that `moves` names.
template <class Moves>
void average(const Neighbours& n, std::vector<Membership>& values, std::vector<Membership>& scratch,
             const Moves& moves) {
  parallelFor(values.size(), kValueGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      scratch[v] = values[v];
      const std::size_t first = n.begin[v], last = n.begin[v + 1];
      if (first == last || !moves(v)) continue;
      Membership sum = {0, 0, 0};
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = 0; k < 3; ++k)
          sum[k] += values[static_cast<std::size_t>(n.list[i])][k];
      for (std::size_t k = 0; k < 3; ++k)
        scratch[v][k] = sum[k] / static_cast<double>(last - first);
    }
  });
  values.swap(scratch);
}

}  // namespace

std::vector<Membership> memberships(std::span<const BreathRegion> regions,
                                    std::span<const Triangle> triangles,
                                    std::span<const double> chestShare) {
  const Neighbours n = neighboursOf(regions.size(), triangles);
  std::vector<Membership> values(regions.size(), Membership{0.5, 0.5, 0}), scratch = values;
  for (std::size_t v = 0; v < regions.size(); ++v)
    if (regions[v] != BreathRegion::Between) {
      values[v] = {0, 0, 0};
      values[v][static_cast<std::size_t>(regions[v])] = 1;
    }
  const bool anyBetween = std::ranges::count(regions, BreathRegion::Between) > 0;
  for (int round = 0; anyBetween && round < kSpreadRounds; ++round)
    average(n, values, scratch, [&](std::size_t v) { return regions[v] == BreathRegion::Between; });
  for (int round = 0; round < kSoftenRounds; ++round)
    average(n, values, scratch, [](std::size_t) { return true; });
  for (std::size_t v = 0; v < chestShare.size(); ++v) {
    const double trunk = values[v][0] + values[v][1];
    values[v][0] = trunk * chestShare[v];
    values[v][1] = trunk * (1 - chestShare[v]);
  }
  return values;
}

}  // namespace internal

BreathRegion breathRegion(std::string_view skinPart) {
  struct Entry {
    std::string_view part;
    BreathRegion region;
  };
  constexpr std::array<Entry, 13> kEntries = {{{"chest", BreathRegion::Chest},
                                               {"abdomen", BreathRegion::Belly},
                                               {"pelvis", BreathRegion::Belly},
                                               {"thigh", BreathRegion::Belly},
                                               {"shank", BreathRegion::Belly},
                                               {"foot", BreathRegion::Belly},
                                               {"back", BreathRegion::Between},
                                               {"shoulder", BreathRegion::Shoulders},
                                               {"neck", BreathRegion::Shoulders},
                                               {"head", BreathRegion::Shoulders},
                                               {"upper_arm", BreathRegion::Shoulders},
                                               {"forearm", BreathRegion::Shoulders},
                                               {"hand", BreathRegion::Shoulders}}};
  std::vector<std::string> names;
  for (const Entry& e : kEntries) {
    if (e.part == skinPart) return e.region;
    names.emplace_back(e.part);
  }
  throw InputError(Diagnostic{.subject = "part of the skin",
                              .message = "unknown name '" + std::string(skinPart) + "'",
                              .nearest = nearestName(skinPart, names)});
}

}  // namespace pneuma::stage
