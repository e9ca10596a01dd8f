#include "pneuma/body/living_simulation.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::body {
namespace {

void checkSettings(const LivingSettings& s) {
  if (s.motion.empty())
    throw InputError(
        Diagnostic{.field = "motion", .message = "a living body needs a pose or a motion"});
  if (!(s.step >= 1e-4 && s.step <= 0.02))
    throw InputError(
        Diagnostic{.field = "step", .message = "out of range", .expected = "1e-4 .. 0.02 s"});
  if (!(s.sampleInterval > 0))
    throw InputError(Diagnostic{.field = "sampleInterval", .message = "must be positive"});
  if (s.target && !s.style)
    throw InputError(
        Diagnostic{.field = "style", .message = "a recording needs a style for its muscles"});
}

}  // namespace

double steadyVolume(const LivingModel& model, const LivingState& rest,
                    const breath::Contractions& contractions, double h) {
  constexpr double kSeconds = 4, kRamp = 1.5;
  LivingState probe = rest;
  probe.tree.v.setZero();
  probe.cage.velocity.setZero();
  probe.bellies.velocity.setZero();
  probe.shoulderBodies.velocity.setZero();
  for (flesh::GridState& g : probe.gridMuscles) g.v.setZero();
  LivingWorkspace scratch(model);
  refresh(model, probe, scratch);
  const double before = scratch.cage().reading().lungVolume;
  LivingInputs inputs;
  const double begin = probe.time();
  while (probe.time() - begin < kSeconds) {
    const double ramp = std::min(1.0, (probe.time() - begin) / kRamp);
    inputs.drive = breath::makeDrive(model.cage.config, contractions * ramp);
    step(model, probe, inputs, scratch, h);
  }
  refresh(model, probe, scratch);
  return scratch.cage().reading().lungVolume - before;
}

LivingSimulation::LivingSimulation(const LivingModel& model, LivingSettings settings)
    : model_(&model), settings_(std::move(settings)), workspace_(model) {
  checkSettings(settings_);
  stride_ = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(settings_.sampleInterval / settings_.step)));
  // Come to rest in the first pose; then take up its speed.
  VecX q = model.tree.neutral, v = VecX::Zero(model.tree.dofCount()), vDot = v;
  settings_.motion.sample(0, q, v, vDot);
  state_ = makeLivingState(model, q);
  settled_ = settle(model, state_, workspace_, settings_.step);
  meter_.emplace(model, workspace_);
  for (Eigen::Index j = 0; j < v.size(); ++j)
    if (model.given[static_cast<std::size_t>(j)]) state_.tree.v[j] = v[j];
  skeleton::Kinematics moving(model.tree);
  skeleton::computeKinematics(model.tree, state_.tree.q, state_.tree.v, moving);
  state_.cage.velocity = breath::makeCageState(model.cage, model.tree, moving).velocity;
  if (!model.bellies.empty())
    state_.bellies.velocity =
        flesh::BellySystem(model.bellies, model.tree).makeState(moving).velocity;
  for (std::size_t i = 0; i < model.gridMuscles.size(); ++i)
    state_.gridMuscles[i].v =
        flesh::GridLinkSystem(model.gridMuscles[i], model.tree).makeState(moving).v;
  if (!model.shoulderBodies.empty())
    state_.shoulderBodies.velocity =
        flesh::SealedLinkSystem(model.shoulderBodies, model.tree).makeState(moving).velocity;

  if (settings_.target)
    driver_ = breath::BreathDriver(model.cage.config, *settings_.style, *settings_.target,
                                   [&](const breath::Contractions& c) {
                                     return steadyVolume(model, state_, c, settings_.step);
                                   });
  else if (settings_.style)
    driver_ =
        breath::BreathDriver(model.cage.config, *settings_.style, settings_.knobs, settings_.seed);
  measureNow();
}

const LivingWorkspace& LivingSimulation::now() {
  refresh(*model_, state_, workspace_);
  return workspace_;
}

void LivingSimulation::measureNow() {
  refresh(*model_, state_, workspace_);
  breath::TorsoMeasures now = meter_->measure(workspace_, state_.time());
  now.gas = state_.cage.gas;
  breath::addSample(samples_, state_.steps / stride_, now);
}

void LivingSimulation::run(double until, const std::function<void(double)>& progress) {
  const auto last = static_cast<std::uint64_t>(std::llround(until / settings_.step));
  LivingInputs inputs;
  inputs.motion = &settings_.motion;
  while (state_.steps < last) {
    const double volume = workspace_.cage().reading().lungVolume - settled_.lungVolume;
    inputs.drive = driver_.advance(state_.time(), settings_.step, volume);
    step(*model_, state_, inputs, workspace_, settings_.step);
    if (state_.steps % stride_ != 0) continue;
    measureNow();
    if (progress) progress(state_.time());
  }
}

double LivingSimulation::meanPeriod() const {
  return driver_.meanPeriod();
}

double LivingSimulation::settledTime() const {
  return driver_.settledTime(state_.time());
}

breath::BreathSummary LivingSimulation::summary() const {
  breath::BreathSummary all =
      breath::summarize(settled_.lungVolume, settled_.gutVolume, samples_, settledTime());
  if (const auto apart = gait()) {
    all.tidalVolume = apart->tidalVolume;
    all.breathsPerMinute = apart->breathsPerMinute;
  }
  return all;
}

std::optional<GaitMeasures> LivingSimulation::gait() const {
  if (!settings_.motion.cyclic()) return std::nullopt;
  return measureGait(samples_, settings_.motion.duration(), settledTime(), meanPeriod());
}

void LivingSimulation::save(io::StateWriter& out) const {
  state_.save(out);
  driver_.save(out);
  // The controller reads the volume of the last step's beginning.
  out.put(workspace_.cage().reading());
  out.putAll(std::span<const breath::TorsoMeasures>(samples_));
}

void LivingSimulation::load(io::StateReader& in) {
  state_.load(in);
  driver_.load(in);
  refresh(*model_, state_, workspace_);
  in.get(workspace_.cage().reading());
  samples_ = in.getAll<breath::TorsoMeasures>();
}

}  // namespace pneuma::body
