#include "pneuma/breath/breath_driver.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {
namespace {

/// After this the start of a recording, which finds the chest at rest, no longer counts [s].
constexpr double kFirstBreath = 5;

}  // namespace

BreathDriver::BreathDriver(const TorsoConfig& config, const BreathStyle& style,
                           const BreathKnobs& knobs, std::uint64_t seed) {
  player_.emplace(config, style, knobs, seed);
}

BreathDriver::BreathDriver(const TorsoConfig& config, const BreathStyle& style, VolumeTarget target,
                           const std::function<double(const Contractions&)>& steady) {
  follower_.emplace(config, style.inspire, style.expire, std::move(target), steady);
}

MuscleDrive BreathDriver::advance(double time, double dt, double volume) {
  if (follower_) return follower_->advance(time, dt, volume);
  return player_ ? player_->advance(time, dt) : MuscleDrive{};
}

double BreathDriver::meanPeriod() const {
  return player_ ? player_->meanPeriod() : 0;
}

double BreathDriver::settledTime(double time, double breaths) const {
  return std::min(follower_ ? kFirstBreath : breaths * meanPeriod(), 0.5 * time);
}

double BreathDriver::followingError(std::span<const TorsoMeasures> samples, double rest) const {
  if (!follower_) return 0;
  double sum = 0;
  int count = 0;
  for (const TorsoMeasures& s : samples) {
    if (s.time < kFirstBreath) continue;
    const double e = s.lungVolume - rest - follower_->target().at(s.time);
    sum += e * e;
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) / follower_->target().range() : 0;
}

void BreathDriver::save(io::StateWriter& out) const {
  if (player_) player_->save(out);
  if (follower_) follower_->save(out);
}

void BreathDriver::load(io::StateReader& in) {
  if (player_) player_->load(in);
  if (follower_) follower_->load(in);
}

}  // namespace pneuma::breath
