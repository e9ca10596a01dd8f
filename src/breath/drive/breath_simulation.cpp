#include "pneuma/breath/breath_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/log.h"

namespace pneuma::breath {
namespace {

constexpr double kLayerInterval = 0.008;  // between steps of shoulders and arms [s]

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t strideOf(double interval, double step) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(interval / step)));
}

anatomy::Body fittedBody(const BreathSettings& s) {
  if (!s.body)
    throw InputError(
        Diagnostic{.field = "body", .message = "there is no body", .expected = "a loaded body"});
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
    throw InputError(
        Diagnostic{.field = "step", .message = "out of range", .expected = "1e-5 .. 0.05 s"});
  sampleStride_ = strideOf(settings_.sampleInterval, step_);
  layerStride_ = strideOf(kLayerInterval, step_);
  if (settings_.arms) layer_.emplace(model_, body_, makeShoulderConfig(settings_.torso));
  const BreathStyle& style = settings_.style;
  if (style.name.empty())
    throw InputError(
        Diagnostic{.field = "style", .message = "there is no style", .expected = "a style"});
  findDrive();
  if (settings_.target)
    driver_ = BreathDriver(model_.config, style, *settings_.target,
                           [&](const Contractions& c) { return steadyVolume(model_, c); });
  else
    driver_ = BreathDriver(model_.config, style, settings_.knobs, settings_.seed);
  if (settings_.ballMass) state_.cage.ball = makeLeadBall(model_, *settings_.ballMass);
  if (settings_.ball) state_.cage.ball = *settings_.ball;
  measureNow();
}

void BreathSimulation::measureNow() {
  TorsoMeasures now = measure(model_, state_, workspace_);
  meter_.add(model_.springs, workspace_.cage().drive(), workspace_.lengths());
  now.work = meter_.work().done;
  if (layer_) now.shoulderUp = layer_->shoulderRise();
  addSample(samples_, state_.steps / sampleStride_, now);
}

/// Short runs of the style without its variability answer for each pair of commands. A recording
/// is followed with the commands that give its median breath the wanted share.
void BreathSimulation::findDrive() {
  const std::optional<double> share = settings_.chestShare;
  std::optional<double> volume = settings_.tidalVolume;
  if (settings_.target) volume = share ? std::optional(settings_.target->medianBreath()) : volume;
  if (!share && (settings_.target || !volume)) return;
  if (volume && !(*volume > 0 && *volume < 10e-3))
    throw InputError(
        Diagnostic{.field = "tidal", .message = "out of range", .expected = "1 .. 10000 mL"});
  const auto respond = [&](const BreathMix& mix) -> Compartments {
    BreathSettings probe = settings_;
    probe.tidalVolume.reset();
    probe.target.reset();
    probe.arms = false;
    probe.ball.reset();
    probe.ballMass.reset();
    probe.chestShare.reset();
    probe.knobs.variability = 0;
    probe.style.inspire = mix.of(settings_.style.inspire);
    BreathSimulation run(probe);
    run.run(3 * std::max(0.5, run.driver_.meanPeriod()));
    const BreathSummary b = run.summary();
    return {b.ribCageShare * b.tidalVolume, (1 - b.ribCageShare) * b.tidalVolume};
  };
  const BreathWish wish{.volume = volume ? *volume : respond({}).total(), .share = share};
  found_ = solveMix(respond, wish);
  settings_.style.inspire = found_->mix.of(settings_.style.inspire);
  if (found_->exact) return;
  logWarning(fmt::format(
      "{:.0f} mL{} cannot be reached: the muscles of this person give {:.0f} mL, {:.0f} % of it by "
      "the rib cage",
      1e6 * wish.volume, share ? fmt::format(" with a chest share of {:.0f} %", 100 * *share) : "",
      1e6 * found_->reached.total(), 100 * found_->reached.share()));
}

BreathSummary BreathSimulation::summary() const {
  BreathSummary b = summarize(model_, samples_, settledTime());
  if (b.breathsPerMinute == 0 && driver_.meanPeriod() > 0 && settings_.knobs.rate.value_or(1) > 0)
    b.breathsPerMinute = 60 / driver_.meanPeriod();
  return b;
}

void BreathSimulation::run(double until, const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto last = static_cast<std::uint64_t>(std::llround(until / step_));
  while (state_.steps < last) {
    const auto begin = Clock::now();
    const std::uint64_t first = state_.steps;
    const std::uint64_t chunk = std::min(last, (state_.steps / sampleStride_ + 1) * sampleStride_);
    while (state_.steps < chunk) {
      if (state_.steps == 0) updatePoints(model_, state_, workspace_);
      const MuscleDrive drive =
          driver_.advance(state_.time, step_, workspace_.reading().lungVolume - model_.restLung);
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
  return driver_.settledTime(state_.time, model_.config.preset == "zordan2005" ? 10 : 2);
}

double BreathSimulation::followingError() const {
  return driver_.followingError(samples_, model_.restLung);
}

void BreathSimulation::save(io::StateWriter& out) const {
  state_.save(out);
  driver_.save(out);
  if (layer_) layer_->save(out);
  out.put(workspace_.reading());
  meter_.save(out);
  out.putAll(std::span<const TorsoMeasures>(samples_));
}

void BreathSimulation::load(io::StateReader& in) {
  state_.load(in);
  driver_.load(in);
  if (layer_) layer_->load(in, state_);
  updatePoints(model_, state_, workspace_);
  in.get(workspace_.reading());
  meter_.load(in);
  samples_ = in.getAll<TorsoMeasures>();
}

}  // namespace pneuma::breath
