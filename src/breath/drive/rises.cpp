#include "breath/drive/rises.h"

#include <algorithm>

namespace pneuma::breath::internal {

std::vector<Rise> findRises(std::span<const double> signal, double band) {
  std::vector<Rise> rises;
  if (signal.empty()) return rises;
  double extreme = signal.front(), trough = extreme;
  std::size_t peak = 0;
  bool rising = false;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const double x = signal[i];
    if (!rising) {
      extreme = std::min(extreme, x);
      if (!(x > extreme + band)) continue;
      trough = extreme;
      rising = true;
      extreme = x, peak = i;
    } else {
      if (x > extreme) extreme = x, peak = i;
      if (!(x < extreme - band)) continue;
      rises.push_back({extreme - trough, peak});
      rising = false;
      extreme = x;
    }
  }
  return rises;
}

}  // namespace pneuma::breath::internal
