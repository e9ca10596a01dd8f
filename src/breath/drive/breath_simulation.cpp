#include "pneuma/breath/breath_simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

constexpr double kLayerInterval = 0.008;  // between steps of shoulders and arms [s]

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t strideOf(double interval, double step) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(interval / step)));
}

/// After this the start of a recording, which finds the torso at rest, no longer counts [s].
constexpr double kFirstBreath = 5;

anatomy::Body fittedBody(const BreathSettings& s) {
  if (!s.body)
    throw InputError({.field = "body", .message = "there is no body", .expected = "a loaded body"});
  anatomy::checkPerson(s.person);
  return anatomy::fitToPerson(*s.body, s.person);
}

}  // namespace

BreathSimulation::BreathSimulation(BreathSettings settings)
    : settings_(std::move(settings)),
      body_(fittedBody(settings_)),
      model_(makeTorsoModel(readTorsoAnatomy(body_), settings_.torso)),
      state_(makeRestState(model_)) {
  step_ = settings_.step > 0 ? settings_.step : settings_.torso.step;
  if (!(step_ >= 1e-5 && step_ <= 0.05))
    throw InputError({.field = "step", .message = "out of range", .expected = "1e-5 .. 0.05 s"});
  sampleStride_ = strideOf(settings_.sampleInterval, step_);
  layerStride_ = strideOf(kLayerInterval, step_);
  if (settings_.arms) layer_.emplace(model_, body_, makeShoulderConfig(settings_.torso));
  const BreathStyle& style = settings_.style;
  if (style.name.empty())
    throw InputError({.field = "style", .message = "there is no style", .expected = "a style"});
  if (settings_.target) {
    follower_.emplace(model_.config, style.inspire, style.expire, *settings_.target,
                      [&](const Contractions& c) { return steadyVolume(model_, c); });
  } else {
    if (settings_.tidalVolume) findEffort();
    player_.emplace(model_.config, style, settings_.knobs, settings_.seed);
  }
  if (settings_.ballMass) state_.cage.ball = makeLeadBall(model_, *settings_.ballMass);
  if (settings_.ball) state_.cage.ball = *settings_.ball;
  measureNow();
}

void BreathSimulation::measureNow() {
  samples_.push_back(measure(model_, state_, workspace_));
  if (layer_) samples_.back().shoulderUp = layer_->shoulderRise();
}

/// Secant steps on short runs: volume is nearly linear in effort.
void BreathSimulation::findEffort() {
  const double wanted = *settings_.tidalVolume;
  if (!(wanted > 0 && wanted < 10e-3))
    throw InputError({.field = "tidal", .message = "out of range", .expected = "1 .. 10000 mL"});
  const auto tidal = [&](double effort) {
    BreathSettings probe = settings_;
    probe.tidalVolume.reset();
    probe.arms = false;
    probe.knobs.effort = effort;
    probe.knobs.variability = 0;
    BreathSimulation run(probe);
    run.run(3 * std::max(0.5, run.player_->meanPeriod()));
    return run.summary().tidalVolume;
  };
  double effort = settings_.knobs.effort;
  for (int pass = 0; pass < 4; ++pass) {
    const double found = tidal(effort);
    if (std::abs(found - wanted) < 0.005 * wanted || found <= 0) break;
    effort = std::clamp(effort * wanted / found, 0.0, 20.0);
  }
  settings_.knobs.effort = effort;
}

void BreathSimulation::run(double until, const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto last = static_cast<std::uint64_t>(std::llround(until / step_));
  while (state_.steps < last) {
    const auto begin = Clock::now();
    const std::uint64_t first = state_.steps;
    const std::uint64_t chunk = std::min(last, (state_.steps / sampleStride_ + 1) * sampleStride_);
    while (state_.steps < chunk) {
      MuscleDrive drive;
      if (follower_) {
        if (state_.steps == 0) updatePoints(model_, state_, workspace_);
        drive = follower_->advance(state_.time, step_,
                                   workspace_.reading().lungVolume - model_.restLung);
      } else {
        drive = player_->advance(state_.time, step_);
      }
      pneuma::breath::step(model_, state_, drive, workspace_, step_);
      if (layer_ && state_.steps % layerStride_ == 0) {
        const auto layerBegin = Clock::now();
        layer_->step(state_, static_cast<double>(layerStride_) * step_);
        layerSeconds_ += secondsSince(layerBegin);
      }
    }
    stepSeconds_ += secondsSince(begin);
    simulated_ += static_cast<double>(state_.steps - first) * step_;
    if (state_.steps % sampleStride_ == 0) measureNow();
    if (progress) progress(state_.time);
  }
}

double BreathSimulation::realTimeFactor() const {
  const double trunk = stepSeconds_ - layerSeconds_;
  return trunk > 0 ? simulated_ / trunk : 0;
}

double BreathSimulation::settledTime() const {
  if (follower_) return std::min(kFirstBreath, 0.5 * state_.time);
  const double period = player_->meanPeriod();
  const double breaths = model_.config.preset == "zordan2005" ? 10 : 2;
  return std::min(breaths * period, 0.5 * state_.time);
}

double BreathSimulation::followingError() const {
  if (!follower_) return 0;
  double sum = 0;
  int count = 0;
  for (const TorsoMeasures& s : samples_) {
    if (s.time < kFirstBreath) continue;
    const double e = s.lungVolume - model_.restLung - follower_->target().at(s.time);
    sum += e * e;
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) / follower_->target().range() : 0;
}

void BreathSimulation::save(io::StateWriter& out) const {
  state_.save(out);
  if (player_) player_->save(out);
  if (follower_) follower_->save(out);
  if (layer_) layer_->save(out);
  out.put(workspace_.reading());
  out.putAll(std::span<const TorsoMeasures>(samples_));
}

void BreathSimulation::load(io::StateReader& in) {
  state_.load(in);
  if (player_) player_->load(in);
  if (follower_) follower_->load(in);
  if (layer_) layer_->load(in, state_);
  updatePoints(model_, state_, workspace_);
  in.get(workspace_.reading());
  samples_ = in.getAll<TorsoMeasures>();
}

}  // namespace pneuma::breath
