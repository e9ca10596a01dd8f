#include "pneuma/breath/work_meter.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {

double MuscleWork::positive() const {
  double sum = 0;
  for (const double w : done) sum += std::max(0.0, w);
  return sum;
}

void WorkMeter::add(const SpringSet& s, const MuscleDrive& drive,
                    const std::vector<double>& length) {
  if (lengths_.empty()) {
    lengths_ = length;
    return;
  }
  std::array<double, kGroupCount> tension{}, strength{};
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!(s.active[i] > 0)) continue;
    const auto c = static_cast<std::size_t>(s.channels[i]);
    const auto g = static_cast<std::size_t>(s.groups[i]);
    const double t = s.activeTension(i, drive.alpha[c], drive.ratio[c], length[i]);
    work_.done[g] -= t * (length[i] - lengths_[i]);
    lengths_[i] = length[i];
    if (!std::isfinite(s.strength[i])) continue;
    tension[g] += t;
    strength[g] += s.strength[i];
    const double most = s.greatestTension(i, length[i]);
    if (most > 0) work_.greatestLoad = std::max(work_.greatestLoad, t / most);
  }
  for (std::size_t g = 0; g < kGroupCount; ++g)
    if (strength[g] > 0) work_.load[g] = std::max(work_.load[g], tension[g] / strength[g]);
}

void WorkMeter::save(io::StateWriter& out) const {
  out.put(work_);
  out.put(lengths_);
}

void WorkMeter::load(io::StateReader& in) {
  in.get(work_);
  in.get(lengths_);
}

}  // namespace pneuma::breath
