#include "pneuma/breath/breath_control.h"

#include <algorithm>
#include <cmath>

#include "breath/drive/rises.h"
#include "core/quantile.h"
#include "pneuma/breath/breath_mix.h"
#include "pneuma/muscle/activation.h"

namespace pneuma::breath {
namespace {

constexpr double kFade = 0.01;  // contraction below which a muscle fades to passive

void set(MuscleDrive& drive, int channel, double contraction) {
  const auto c = static_cast<std::size_t>(channel);
  drive.alpha[c] = std::clamp(contraction / kFade, 0.0, 1.0);
  drive.ratio[c] = std::max(0.0, 1 - contraction);
}

double graded(double top, double bottom, int k) {
  return top + (bottom - top) * k / 8.0;
}

/// Contraction of an intercostal space, see TorsoConfig::recruitment.
double recruited(const TorsoConfig& k, double gradient, double effort) {
  return effort * (gradient + k.recruitment * (1 - gradient) * std::min(1.0, effort));
}

double filtered(double level, double input, double rise, double fall, double dt) {
  if (rise <= 0 || fall <= 0) return input;
  return muscle::stepActivation({.riseTime = rise, .fallTime = fall}, level, input, dt);
}

}  // namespace

MuscleDrive makeDrive(const TorsoConfig& k, const Contractions& c) {
  MuscleDrive drive;
  for (int i = 0; i < 9; ++i) {
    set(drive, channel::kExternal + i,
        k.elevatorGain * recruited(k, graded(k.externalTop, k.externalBottom, i), c.external));
    set(drive, channel::kInternal + i, c.internal * graded(k.internalTop, k.internalBottom, i));
    set(drive, channel::kLevator + i,
        k.elevatorGain * c.levator * graded(k.levatorTop, k.levatorBottom, i));
  }
  set(drive, channel::kScalene, k.elevatorGain * c.scalene);
  set(drive, channel::kDiaphragm, k.diaphragmGain * c.diaphragm);
  set(drive, channel::kRectus, c.rectus);
  set(drive, channel::kTransverse, c.transverse);
  return drive;
}

StylePlayer::StylePlayer(const TorsoConfig& config, BreathStyle style, BreathKnobs knobs,
                         std::uint64_t seed)
    : config_(config), style_(std::move(style)), knobs_(knobs), random_(seed) {
  validate(knobs_);
  if (knobs_.variability) style_.variability = *knobs_.variability;
  if (knobs_.chestShare) {
    const double chest = 2 * *knobs_.chestShare;
    style_.inspire = BreathMix{.diaphragm = 2 - chest, .ribs = chest}.of(style_.inspire);
  }
  startBreath(0);
}

double StylePlayer::meanPeriod() const {
  const double rate = knobs_.rate.value_or(
      config_.preset == "zordan2005" && style_.paper ? style_.paper->rate : style_.ratePerMinute());
  return rate > 0 ? 60 / rate : 0;
}

double StylePlayer::plainPeriod() const {
  const Breath& b = style_.breaths[index_ % style_.breaths.size()];
  const double scale = knobs_.rate && *knobs_.rate > 0 ? style_.ratePerMinute() / *knobs_.rate : 1;
  return scale * b.period;
}

void StylePlayer::startBreath(double time) {
  const auto vary = [&] { return std::exp(style_.variability * random_.normal()); };
  const bool varies = style_.variability > 0;
  start_ = time;
  period_ = plainPeriod() * (varies ? std::clamp(vary(), 0.4, 2.5) : 1);
  depth_ = varies ? std::clamp(vary(), 0.4, 2.5) : 1;
}

void StylePlayer::takeOver(const StylePlayer& former, double time) {
  const double phase = std::clamp((time - former.start_) / former.period_, 0.0, 1.0);
  random_ = former.random_;
  index_ = former.index_;
  period_ = plainPeriod();
  start_ = time - phase * period_;
  depth_ = former.depth_;
  inspire_ = former.inspire_;
  expire_ = former.expire_;
}

MuscleDrive StylePlayer::advance(double time, double dt) {
  if (knobs_.rate && *knobs_.rate == 0) return makeDrive(config_, {});
  if (config_.preset == "zordan2005" && style_.paper) return paperDrive(time);
  while (time >= start_ + period_) {
    ++index_;
    startBreath(start_ + period_);
  }
  const Breath& b = style_.breaths[index_ % style_.breaths.size()];
  const BreathLevels now = levels(b, (time - start_) / period_);
  const TorsoConfig& c = config_;
  inspire_ = filtered(inspire_, depth_ * now.inspire, c.riseTime, c.fallTime, dt);
  expire_ = filtered(expire_, now.expire, c.riseTime, c.fallTime, dt);
  MuscleDrive drive =
      makeDrive(config_, (style_.inspire * inspire_ + style_.expire * expire_) * knobs_.effort);
  drive.airway = now.airway;
  return drive;
}

/// Section 7: a step for the diaphragm, sines out of phase for the two layers of intercostals.
MuscleDrive StylePlayer::paperDrive(double time) const {
  const PaperControl& p = *style_.paper;
  const double period = meanPeriod();
  const double phase = std::fmod(time / period, 1.0);
  const double wave = knobs_.effort * p.swing * std::sin(2 * kPi * phase);
  const double mean = 1 - knobs_.effort * (1 - p.mean);
  MuscleDrive drive;
  for (int i = 0; i < 9; ++i) {
    const auto external = static_cast<std::size_t>(channel::kExternal + i);
    const auto internal = static_cast<std::size_t>(channel::kInternal + i);
    drive.alpha[external] = drive.alpha[internal] = 1;
    drive.ratio[external] = std::max(0.0, mean - wave);
    drive.ratio[internal] = std::max(0.0, mean + wave);
  }
  const bool inhaling = phase < 0.5;
  drive.alpha[channel::kDiaphragm] = inhaling ? 1 : 0;
  drive.ratio[channel::kDiaphragm] = std::max(0.0, 1 - knobs_.effort * (1 - p.diaphragm));
  if (p.rectus && !inhaling) {
    drive.alpha[channel::kRectus] = 1;
    drive.ratio[channel::kRectus] = *p.rectus;
  }
  return drive;
}

void StylePlayer::save(io::StateWriter& out) const {
  out.put(random_.state());
  out.put(index_);
  for (const double v : {start_, period_, depth_, inspire_, expire_}) out.put(v);
}

void StylePlayer::load(io::StateReader& in) {
  random_ = Random(in.get<std::uint64_t>());
  in.get(index_);
  for (double* v : {&start_, &period_, &depth_, &inspire_, &expire_}) in.get(*v);
}

double VolumeTarget::at(double time) const {
  const double x = std::clamp(time * rate, 0.0, static_cast<double>(volumes.size() - 1));
  const auto i = std::min(static_cast<std::size_t>(x), volumes.size() - 2);
  const double t = x - static_cast<double>(i);
  return (1 - t) * volumes[i] + t * volumes[i + 1];
}

double VolumeTarget::slope(double time) const {
  constexpr double kWindow = 0.04;  // [s]
  return (at(time + kWindow) - at(time - kWindow)) / (2 * kWindow);
}

double VolumeTarget::range() const {
  const auto [low, high] = std::minmax_element(volumes.begin(), volumes.end());
  return *high - *low;
}

double VolumeTarget::medianBreath() const {
  std::vector<double> heights;
  constexpr double kBand = 0.25;  // of the range
  for (const internal::Rise& r : internal::findRises(volumes, kBand * range()))
    heights.push_back(r.height);
  return heights.empty() ? range() : pneuma::internal::quantile(heights, 0.5);
}

double steadyVolume(const TorsoModel& model, const Contractions& contractions) {
  TorsoState state = makeRestState(model);
  TorsoWorkspace workspace;
  constexpr double kSeconds = 4, kRamp = 1.5;
  while (state.time < kSeconds)
    step(model, state, makeDrive(model.config, contractions * std::min(1.0, state.time / kRamp)),
         workspace, model.config.step);
  updatePoints(model, state, workspace);
  return workspace.reading().lungVolume - model.restLung;
}

VolumeControl::VolumeControl(const TorsoConfig& config, Contractions inspire, Contractions expire,
                             const std::function<double(const Contractions&)>& steady)
    : config_(config), inspire_(inspire), expire_(expire) {
  inspireGain_ = std::max(1e-6, steady(inspire));
  expireGain_ = std::max(1e-6, -steady(expire));
}

MuscleDrive VolumeControl::advance(double wanted, double error, double dt) {
  constexpr double kProportional = 2.5, kIntegral = 8;  // [-], [1/s]
  const double wish = wanted + kProportional * error + integral_;
  const double gain = wish >= 0 ? inspireGain_ : expireGain_;
  const double effort = std::clamp(wish / gain, -3.0, 12.0);
  // No wind-up while the effort is at its limit.
  if (effort * gain == wish) integral_ += dt * kIntegral * error;
  return makeDrive(config_, effort >= 0 ? inspire_ * effort : expire_ * -effort);
}

VolumeFollower::VolumeFollower(const TorsoConfig& config, Contractions inspire, Contractions expire,
                               VolumeTarget target,
                               const std::function<double(const Contractions&)>& steady)
    : control_(config, inspire, expire, steady), target_(std::move(target)) {}

MuscleDrive VolumeFollower::advance(double time, double dt, double volume) {
  // A recording may begin anywhere in a breath; the torso begins at rest.
  constexpr double kEaseIn = 0.5;  // [s]
  const double ease = std::min(1.0, time / kEaseIn);
  const double error = ease * (target_.at(time) - volume);
  const double ahead = target_.at(time) + VolumeControl::kLag * target_.slope(time);
  return control_.advance(ease * ahead, error, dt);
}

LiveVolume::LiveVolume(const TorsoConfig& config, Contractions inspire, Contractions expire,
                       const std::function<double(const Contractions&)>& steady)
    : control_(config, inspire, expire, steady) {}

void LiveVolume::start(double volume) {
  first_ = second_ = volume;
}

MuscleDrive LiveVolume::advance(double told, double volume, double dt) {
  constexpr double kSmoothing = 0.04;                 // tau [s]
  const double part = -std::expm1(-dt / kSmoothing);  // exact for a value that is held
  first_ += part * (told - first_);
  second_ += part * (first_ - second_);
  const double slope = (first_ - second_) / kSmoothing;
  const double wanted = second_ + (2 * kSmoothing + VolumeControl::kLag) * slope;
  return control_.advance(wanted, first_ - volume, dt);
}

void LiveVolume::save(io::StateWriter& out) const {
  control_.save(out);
  out.put(first_);
  out.put(second_);
}

void LiveVolume::load(io::StateReader& in) {
  control_.load(in);
  in.get(first_);
  in.get(second_);
}

}  // namespace pneuma::breath
