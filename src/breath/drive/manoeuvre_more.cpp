#include <algorithm>
#include <cmath>

#include "pneuma/breath/manoeuvre.h"

/// Manoeuvres beyond the spirometer's: compartments, ventilation, sniff, Campbell's diagram.
namespace pneuma::breath {
namespace {

constexpr double kSample = 0.02;  // between points of a diagram [s]

/// Runs a trial in short stretches and keeps a point of each.
class Sampler {
 public:
  explicit Sampler(const TorsoModel& model) : trial_(model), rest_(trial_.now()) {}

  void hold(const Contractions& to, const Airway& airway, double seconds, double ramp,
            std::vector<CompartmentPoint>& out) {
    const Contractions from = present_;
    for (double t = kSample; t <= seconds + 1e-9; t += kSample) {
      const double x = ramp > 0 ? std::min(1.0, t / ramp) : 1;
      present_ = from * (1 - x) + to * x;
      trial_.hold(present_, airway, kSample, kSample);
      const TorsoMeasures m = trial_.now();
      out.push_back({.time = trial_.time(),
                     .gas = trial_.gas(),
                     .ribCage = m.ribCageVolume - rest_.ribCageVolume,
                     .abdomen = m.abdomenVolume - rest_.abdomenVolume,
                     .pleural = m.pleuralPressure - rest_.pleuralPressure,
                     .abdominal = m.gutPressure - rest_.gutPressure});
    }
  }
  const Examination& trial() const { return trial_; }

 private:
  Examination trial_;
  TorsoMeasures rest_;
  Contractions present_;
};

/// Recoil of the relaxed wall against rest at a volume of gas, linear between the points [Pa].
double wallAt(const std::vector<RelaxationPoint>& curve, double gas, double restWall) {
  std::size_t k = 0;
  while (k + 2 < curve.size() && curve[k + 1].gas < gas) ++k;
  const RelaxationPoint &a = curve[k], &b = curve[k + 1];
  return a.wall + (gas - a.gas) / (b.gas - a.gas) * (b.wall - a.wall) - restWall;
}

}  // namespace

/// The belly is drawn in while the chest takes up its volume, and let go, on a shut airway: both
/// together, so that the gas is hardly pressed.
Isovolume isovolume(const TorsoModel& model) {
  const Airway shut{.open = false};
  const Contractions shift{.external = 0.2, .levator = 0.3, .transverse = 0.25};
  Isovolume out;
  Sampler sampler(model);
  for (int round = 0; round < 2; ++round) {
    sampler.hold(shift, shut, 1.5, 1.5, out.points);
    sampler.hold({}, shut, 1.5, 1.5, out.points);
  }
  double x = 0, y = 0, xx = 0, xy = 0, low = 0, high = 0;
  const auto n = static_cast<double>(out.points.size());
  for (const CompartmentPoint& p : out.points) x += p.abdomen / n, y += p.ribCage / n;
  for (const CompartmentPoint& p : out.points) {
    xx += (p.abdomen - x) * (p.abdomen - x);
    xy += (p.abdomen - x) * (p.ribCage - y);
    low = std::min(low, p.ribCage);
    high = std::max(high, p.ribCage);
  }
  out.slope = xx > 0 ? xy / xx : 0;
  out.shifted = high - low;
  return out;
}

Ventilation maximalVentilation(const TorsoModel& model, double breathsPerMinute) {
  constexpr double kSeconds = 12, kInhaling = 0.5, kFirst = 2;  // [s], of a breath, [s]
  constexpr double kFastest = 0.12;                             // of an effort [s]
  const double period = 60 / breathsPerMinute;
  Examination trial(model);
  for (double t = 0; t < kSeconds + kFirst; t += period) {
    trial.hold(fullInspiration(), {}, kInhaling * period, kFastest);
    trial.hold(fullExpiration(), {}, (1 - kInhaling) * period, kFastest);
  }
  Ventilation v{.perMinute = 0, .tidal = 0, .rate = breathsPerMinute / 60, .trace = trial.trace()};
  double in = 0, seconds = 0;
  for (std::size_t i = 0; i < v.trace.time.size(); ++i) {
    if (v.trace.time[i] < kFirst) continue;
    in += std::max(0.0, v.trace.flow[i]) * trial.step();
    seconds += trial.step();
  }
  v.perMinute = in / seconds;
  v.tidal = v.perMinute / v.rate;
  return v;
}

Sniff sniff(const TorsoModel& model) {
  constexpr double kEffort = 0.3, kRise = 0.15;  // of the effort [s]
  Examination trial(model);
  const TorsoMeasures rest = trial.now();
  trial.hold(fullInspiration(), {.open = false}, kEffort, kRise);
  trial.hold({}, {.open = false}, kEffort, kRise);
  Sniff out{.alveolar = 0, .transdiaphragmatic = 0, .trace = trial.trace()};
  for (std::size_t i = 0; i < out.trace.time.size(); ++i) {
    out.alveolar = std::min(out.alveolar, out.trace.alveolar[i]);
    out.transdiaphragmatic =
        std::max(out.transdiaphragmatic, (out.trace.abdominal[i] - rest.gutPressure) -
                                             (out.trace.pleural[i] - rest.pleuralPressure));
  }
  return out;
}

/// The relaxed wall is found by pressures at the mouth up to the volume that the breath reaches.
Campbell campbell(const TorsoModel& model, const Contractions& contractions, double seconds) {
  const Lungs& lungs = model.lungs;
  Campbell c;
  Sampler sampler(model);
  sampler.hold(contractions, {}, seconds, seconds, c.breath);
  const double top = sampler.trial().gas();
  c.volume = top - lungs.rest;
  c.fibres = sampler.trial().work().positive();
  const std::size_t inspired = c.breath.size();
  sampler.hold({}, {}, 1.5 * seconds, 0.3 * seconds, c.breath);
  // From rest past the top: the system gives 80 to 150 mL/cmH2O there.
  constexpr double kSoft = 80e-6 / kCmH2O;  // [m^3/Pa]
  std::vector<double> pressures{0};
  for (int k = 1; k <= 4; ++k) pressures.push_back(0.25 * k * c.volume / kSoft);
  c.relaxed = relaxationCurve(model, pressures);
  const double restWall = c.relaxed.front().wall;
  double before = lungs.rest, last = 0, lastLung = 0, lastWall = 0;
  for (std::size_t i = 0; i < inspired; ++i) {
    const CompartmentPoint& p = c.breath[i];
    const double dV = p.gas - before;
    const double wall = wallAt(c.relaxed, p.gas, restWall);
    const double lung = lungs.recoil(p.gas) - lungs.recoil(lungs.rest);
    const double muscle = wall - p.pleural;
    c.total += 0.5 * (muscle + last) * dV;
    c.elasticLung += 0.5 * (lung + lastLung) * dV;
    c.elasticWall += 0.5 * (wall + lastWall) * dV;
    before = p.gas, last = muscle, lastLung = lung, lastWall = wall;
  }
  c.resistive = c.total - c.elasticLung - c.elasticWall;
  return c;
}

double occlusionAtTenth(const TorsoModel& model, const BreathStyle& style) {
  constexpr double kTenth = 0.1;           // [s]
  constexpr double kOnset = 0.1 * kCmH2O;  // seen as the start [Pa]
  StylePlayer player(model.config, style, {}, 1);
  TorsoState state = makeRestState(model);
  TorsoWorkspace workspace;
  const double h = model.config.step, most = player.meanPeriod();
  double onset = most;
  while (state.time < std::min(onset + kTenth, most) - 0.5 * h) {
    MuscleDrive drive = player.advance(state.time, h);
    drive.airway.open = false;
    step(model, state, drive, workspace, h);
    updatePoints(model, state, workspace);
    if (onset == most && workspace.reading().alveolarPressure < -kOnset) onset = state.time;
  }
  return workspace.reading().alveolarPressure;
}

double dynamicLungCompliance(const TorsoModel& model, const BreathStyle& style) {
  StylePlayer player(model.config, style, {}, 1);
  TorsoState state = makeRestState(model);
  TorsoWorkspace workspace;
  const double h = model.config.step, period = player.meanPeriod();
  struct End {
    double gas, pressure;
  };
  End low{1, 0}, high{0, 0};
  while (state.time < 4 * period - 0.5 * h) {
    step(model, state, player.advance(state.time, h), workspace, h);
    if (state.time < 3 * period) continue;  // the fourth breath is settled
    updatePoints(model, state, workspace);
    const TorsoReading& r = workspace.reading();
    const End now{state.cage.gas, r.alveolarPressure - r.lungPressure};
    if (now.gas < low.gas) low = now;
    if (now.gas > high.gas) high = now;
  }
  return (high.gas - low.gas) / (high.pressure - low.pressure);
}

}  // namespace pneuma::breath
