#pragma once

#include <array>
#include <span>
#include <vector>

#include "pneuma/flesh/figure_bellies.h"

/// Which links hold the rings of a belly.
namespace pneuma::flesh::internal {

struct Carrier {
  int link = 0;
  double weight = 0;
};

/// The links of the line's points before and behind a ring; one of them when both are the same.
struct Carriers {
  std::array<Carrier, 2> list;
  std::size_t count = 0;
  std::span<const Carrier> all() const { return {list.data(), count}; }
};

/// Ring of a particle: 0 and slices + 1 are the ends.
inline std::size_t ringOf(const BellyModel& model, int particle) {
  return static_cast<std::size_t>((particle - 1 + model.around()) / model.around());
}

/// Of all rings of a belly, as its line is now.
void findCarriers(const FigureBellies& bellies, int belly, std::vector<Carriers>& carriers);

}  // namespace pneuma::flesh::internal
