#include "flesh/belly/belly_carriers.h"

namespace pneuma::flesh::internal {

void findCarriers(const FigureBellies& bellies, int b, std::vector<Carriers>& carriers) {
  const ActionLine& line = bellies.belly(b).line();
  const auto& points = bellies.linePoints(b);
  const int rings = bellies.belly(b).model().slices() + 2;
  carriers.resize(static_cast<std::size_t>(rings));
  for (int r = 0; r < rings; ++r) {
    const double s = line.bellyStart() + line.bellyLength() * r / (rings - 1);
    const auto [before, share] = line.between(s);
    const int from = points[before].link, to = points[before + 1].link;
    Carriers& c = carriers[static_cast<std::size_t>(r)];
    if (from == to)
      c = {{Carrier{from, 1}, {}}, 1};
    else
      c = {{Carrier{from, 1 - share}, Carrier{to, share}}, 2};
  }
}

}  // namespace pneuma::flesh::internal
