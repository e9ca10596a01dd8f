#include <cmath>

#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::skeleton {

namespace {

/// Rate of the rotation vector u when the frame exp(u) turns with omega in its own axes:
/// u' = omega + u x omega / 2 + beta u x (u x omega), beta = 1/x^2 - cot(x/2)/(2x), x = |u|.
Vec3 rotationVectorRate(const Vec3& u, const Vec3& omega) {
  const double x = u.norm();
  const double beta =
      x < 1e-2 ? 1. / 12 + x * x / 720 : 1 / (x * x) - 1 / (2 * x * std::tan(x / 2));
  const Vec3 cross = u.cross(omega);
  return omega + 0.5 * cross + beta * u.cross(cross);
}

/// Rate of the coordinates around the start of the step, at offset `step` from it.
void coordinateRate(const Model& model, const VecX& step, const VecX& v, VecX& rate) {
  rate = v;
  for (const CompiledMotion& m : model.motions)
    if (m.code == MotionCode::Ball)
      rate.segment<3>(m.dof) =
          rotationVectorRate(step.segment<3>(m.dof), Vec3(v.segment<3>(m.dof)));
}

}  // namespace

void stepRungeKutta4(const Model& model, State& state, StepWorkspace& w, double h) {
  constexpr double kOffset[4] = {0, 0.5, 0.5, 1}, kWeight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  VecX& step = w.rhs;
  w.rate.setZero();
  w.vDot.setZero();
  w.sumStep.setZero();
  w.sumVelocity.setZero();
  w.stage.time = state.time;
  for (int s = 0; s < 4; ++s) {
    step = kOffset[s] * h * w.rate;
    w.stage.q = state.q;
    w.stage.v = state.v + kOffset[s] * h * w.vDot;
    integrateConfiguration(model, step, w.stage.q);
    coordinateRate(model, step, w.stage.v, w.rate);
    computeAcceleration(model, w.stage, w, w.vDot);
    w.sumStep += kWeight[s] * h * w.rate;
    w.sumVelocity += kWeight[s] * h * w.vDot;
  }
  w.stage.q = state.q;
  w.stage.v = state.v + w.sumVelocity;
  w.stage.time = state.time + h;
  integrateConfiguration(model, w.sumStep, w.stage.q);
  checkFinite(model, w.stage);
  state = w.stage;
}

}  // namespace pneuma::skeleton
