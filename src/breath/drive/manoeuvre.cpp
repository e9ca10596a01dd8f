#include "pneuma/breath/manoeuvre.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {
namespace {

constexpr double kFull = 1.0;  // activation
// Beside a rectus that pulls with all it has, which the styles leave out: squeezed harder than the
// belly, the ribs only rise above it.
constexpr double kInternal = 0.42;
constexpr double kSlow = 1.5;        // ramp of a slow manoeuvre [s]
constexpr double kFullHold = 4;      // until the chest stands still at full lungs [s]
constexpr double kEmptyHold = 9;     // at the end the lungs empty through narrow airways [s]
constexpr double kRelaxHold = 6;     // [s]
constexpr double kPressureHold = 2;  // against a shut airway [s]
constexpr double kFastest = 0.1;     // ramp of the fastest effort [s]

const Airway kShut{.open = false};

Contractions between(const Contractions& a, const Contractions& b, double t) {
  return a * (1 - t) + b * t;
}

GreatestPressure shutAndPush(Examination& trial, const Contractions& effort) {
  const double shut = trial.time();
  trial.hold(effort, kShut, kPressureHold, 4 * kFastest);
  return {.pressure = trial.reading().alveolarPressure, .shut = shut, .trace = trial.trace()};
}

}  // namespace

Contractions fullInspiration(double effort) {
  return Contractions{.diaphragm = kFull,
                      .external = kFull,
                      .internal = 0,
                      .scalene = kFull,
                      .levator = kFull,
                      .rectus = 0,
                      .transverse = 0} *
         effort;
}

Contractions fullExpiration(double effort) {
  return Contractions{.diaphragm = 0,
                      .external = 0,
                      .internal = kInternal,
                      .scalene = 0,
                      .levator = 0,
                      .rectus = kFull,
                      .transverse = kFull} *
         effort;
}

Examination::Examination(const TorsoModel& model, double step)
    : model_(model), state_(makeRestState(model)), step_(step > 0 ? step : model.config.step) {
  updatePoints(model_, state_, workspace_);
}

void Examination::hold(const Contractions& contractions, const Airway& airway, double seconds,
                       double ramp) {
  const Contractions before = present_;
  const auto steps = static_cast<int>(std::lround(seconds / step_));
  for (int i = 0; i < steps; ++i) {
    const double t = ramp > 0 ? std::min(1.0, (i + 1) * step_ / ramp) : 1;
    present_ = between(before, contractions, t);
    MuscleDrive drive = makeDrive(model_.config, present_);
    drive.airway = airway;
    pneuma::breath::step(model_, state_, drive, workspace_, step_);
    meter_.add(model_.springs, workspace_.cage().drive(), workspace_.lengths());
    const TorsoReading& r = workspace_.reading();
    trace_.time.push_back(state_.time);
    trace_.gas.push_back(state_.cage.gas);
    trace_.flow.push_back(r.flow);
    trace_.alveolar.push_back(r.alveolarPressure);
    trace_.pleural.push_back(r.lungPressure);
    trace_.abdominal.push_back(r.gutPressure);
  }
}

TorsoMeasures Examination::now() {
  return measure(model_, state_, workspace_);
}

void Examination::clear() {
  trace_ = {};
  meter_.clear();
}

std::vector<RelaxationPoint> relaxationCurve(const TorsoModel& model,
                                             const std::vector<double>& pressures) {
  std::vector<RelaxationPoint> curve;
  const Lungs& lungs = model.lungs;
  for (const double p : pressures) {
    Examination trial(model);
    const TorsoMeasures rest = trial.now();
    // A large pressure at once would throw the wall about.
    for (int i = 1; i <= 10; ++i) trial.hold({}, {.mouthPressure = p * i / 10}, 0.1);
    trial.hold({}, {.mouthPressure = p}, kRelaxHold);
    const TorsoMeasures m = trial.now();
    RelaxationPoint point{.mouth = p, .gas = m.lungVolume - lungs.tissue};
    point.ribCage = m.ribCageVolume - rest.ribCageVolume;
    point.abdomen = m.abdomenVolume - rest.abdomenVolume;
    point.wall = p - lungs.recoil(point.gas);
    point.pleural = m.pleuralPressure;
    curve.push_back(point);
  }
  return curve;
}

RelaxationPoint relaxedAt(const TorsoModel& model, double gas) {
  double low = -60 * kCmH2O, high = 60 * kCmH2O;
  RelaxationPoint point;
  for (int i = 0; i < 9; ++i) {
    const double middle = 0.5 * (low + high);
    point = relaxationCurve(model, {middle}).front();
    (point.gas < gas ? low : high) = middle;
  }
  return point;
}

WallCompliance wallCompliance(const TorsoModel& model) {
  constexpr double kSmall = 3 * kCmH2O;
  const std::vector<RelaxationPoint> p = relaxationCurve(model, {-kSmall, kSmall});
  const double pressure = p[1].pleural - p[0].pleural;
  return {(p[1].ribCage - p[0].ribCage) / pressure, (p[1].abdomen - p[0].abdomen) / pressure};
}

VitalCapacity vitalCapacity(const TorsoModel& model, double effort) {
  VitalCapacity v;
  Examination trial(model);
  trial.hold(fullInspiration(effort), {}, kSlow + kFullHold, kSlow);
  v.atFull = trial.now();
  trial.hold(fullExpiration(effort), {}, kSlow + kEmptyHold, kSlow);
  v.atEmpty = trial.now();
  v.work = trial.work();
  v.trace = trial.trace();
  // As a spirometer reads it: the trunk may swing past where it comes to rest.
  const auto [least, most] = std::minmax_element(v.trace.gas.begin(), v.trace.gas.end());
  v.empty = *least;
  v.full = *most;
  return v;
}

GreatestPressure greatestPressureIn(const TorsoModel& model) {
  Examination trial(model);
  trial.hold(fullExpiration(), {}, kSlow + kEmptyHold, kSlow);
  return shutAndPush(trial, fullInspiration());
}

GreatestPressure greatestPressureOut(const TorsoModel& model) {
  Examination trial(model);
  trial.hold(fullInspiration(), {}, kSlow + kFullHold, kSlow);
  return shutAndPush(trial, fullExpiration());
}

Occlusion occlusion(const TorsoModel& model, const Contractions& contractions) {
  Examination trial(model);
  const TorsoMeasures rest = trial.now();
  trial.hold(contractions, kShut, kPressureHold, 4 * kFastest);
  const TorsoReading& r = trial.reading();
  return {r.alveolarPressure,
          (r.gutPressure - rest.gutPressure) - (r.lungPressure - rest.pleuralPressure)};
}

ForcedExpiration forcedExpiration(const TorsoModel& model) {
  Examination trial(model);
  trial.hold(fullInspiration(), {}, kSlow + kFullHold, kSlow);
  const double full = trial.gas();
  trial.clear();
  trial.hold(fullExpiration(), {}, kEmptyHold, kFastest);
  ForcedExpiration f;
  const Examination::Trace& t = trial.trace();
  f.vital = full - trial.gas();
  const double begin = t.time.front();
  for (std::size_t i = 0; i < t.time.size(); ++i) {
    const double out = full - t.gas[i], flow = -t.flow[i];
    f.time.push_back(t.time[i] - begin);
    f.volume.push_back(out);
    f.flow.push_back(flow);
    f.peak = std::max(f.peak, flow);
    if (t.time[i] - begin <= 1) f.firstSecond = out;
    if (out <= 0.25 * f.vital) f.at25 = flow;
    if (out <= 0.50 * f.vital) f.at50 = flow;
    if (out <= 0.75 * f.vital) f.at75 = flow;
  }
  return f;
}

double sternumPush(const TorsoModel& model, double depth) {
  TorsoModel pushed = model;
  const auto link = static_cast<std::size_t>(model.link[kSternum]);
  const Eigen::Index back = model.tree.links[link].firstDof + 2;
  double force = 50;
  for (int i = 0; i < 4; ++i) {
    pushed.restLinkLoad = model.restLinkLoad;
    pushed.restLinkLoad[back] -= force;
    Examination trial(pushed);
    trial.hold({}, {}, 4);
    const double reached = -trial.now().sternumForward;
    if (reached <= 0) break;
    force *= depth / reached;
  }
  return force;
}

}  // namespace pneuma::breath
