#include "pneuma/body/living_examination.h"

#include <algorithm>
#include <cmath>

#include "pneuma/breath/breath_control.h"

namespace pneuma::body {
namespace {

constexpr double kStep = 0.004;   // [s]
constexpr double kSlow = 1.5;     // ramp of a slow manoeuvre [s]
constexpr double kFullHold = 4;   // until the chest stands still at full lungs [s]
constexpr double kEmptyHold = 9;  // at the end the lungs empty through narrow airways [s]
constexpr double kRelaxRamp = 1;  // a pressure at once would throw the wall about [s]
constexpr double kRelaxHold = 6;  // [s]
constexpr double kPressureRamp = 0.4, kPressureHold = 2;  // against a shut airway [s]

LivingState settledIn(const LivingModel& m, const VecX& q, LivingWorkspace& w) {
  LivingState s = makeLivingState(m, q);
  settle(m, s, w, kStep);
  refresh(m, s, w);
  return s;
}

}  // namespace

LivingExamination::LivingExamination(const LivingModel& model, const VecX& q)
    : model_(&model),
      workspace_(model),
      state_(settledIn(model, q, workspace_)),
      meter_(model, workspace_) {}

void LivingExamination::hold(const breath::Contractions& contractions, const breath::Airway& airway,
                             double seconds, double ramp) {
  const breath::Contractions before = present_;
  const double pressed = mouth_;
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  LivingInputs inputs;
  for (int i = 0; i < steps; ++i) {
    const double t = ramp > 0 ? std::min(1.0, (i + 1) * kStep / ramp) : 1;
    present_ = before * (1 - t) + contractions * t;
    mouth_ = pressed * (1 - t) + airway.mouthPressure * t;
    inputs.drive = breath::makeDrive(model_->cage.config, present_);
    inputs.drive.airway = airway;
    inputs.drive.airway.mouthPressure = mouth_;
    step(*model_, state_, inputs, workspace_, kStep);
  }
}

breath::TorsoMeasures LivingExamination::now() {
  refresh(*model_, state_, workspace_);
  return meter_.measure(workspace_, state_.time());
}

breath::WallCompliance wallCompliance(const LivingModel& model, const VecX& q) {
  constexpr double kSmall = 3 * breath::kCmH2O;
  const auto relaxedAt = [&](double mouth) {
    LivingExamination trial(model, q);
    trial.hold({}, {.mouthPressure = mouth}, kRelaxRamp + kRelaxHold, kRelaxRamp);
    return trial.now();
  };
  const breath::TorsoMeasures low = relaxedAt(-kSmall), high = relaxedAt(kSmall);
  const double pressure = high.pleuralPressure - low.pleuralPressure;
  return {(high.ribCageVolume - low.ribCageVolume) / pressure,
          (high.abdomenVolume - low.abdomenVolume) / pressure};
}

LivingVitalCapacity vitalCapacity(const LivingModel& model, const VecX& q) {
  LivingExamination trial(model, q);
  trial.hold(breath::fullInspiration(), {}, kSlow + kFullHold, kSlow);
  const double full = trial.gas();
  trial.hold(breath::fullExpiration(), {}, kSlow + kEmptyHold, kSlow);
  return {full, trial.gas()};
}

double greatestPressureIn(const LivingModel& model, const VecX& q) {
  LivingExamination trial(model, q);
  trial.hold(breath::fullExpiration(), {}, kSlow + kEmptyHold, kSlow);
  trial.hold(breath::fullInspiration(), {.open = false}, kPressureHold, kPressureRamp);
  return trial.reading().alveolarPressure;
}

}  // namespace pneuma::body
