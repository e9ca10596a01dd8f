#include "pneuma/control/desired_acceleration.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::control {
namespace {

/// exp([r]) x.
Vec3 turned(const Vec3& r, const Vec3& x) {
  const double angle = r.norm();
  return angle > 0 ? Vec3(Eigen::AngleAxisd(angle, r / angle) * x) : x;
}

}  // namespace

MotionTarget::MotionTarget(const skeleton::Model& model)
    : q(model.neutral), v(VecX::Zero(model.dofCount())), vDot(v) {}

void validate(const TrackingGains& g, double h) {
  const auto refuse = [](const char* field, std::string message, std::string expected) {
    throw InputError(Diagnostic{.subject = "tracking gains",
                                .field = field,
                                .message = std::move(message),
                                .expected = std::move(expected)});
  };
  if (!(g.position > 0)) refuse("position", fmt::format("is {:g}", g.position), "> 0 [1/s^2]");
  if (!(g.largestError > 0)) refuse("largestError", fmt::format("is {:g}", g.largestError), "> 0");
  if (!(g.velocity > 0) || !(h * g.velocity < 2) || !(h * h * g.position + 2 * h * g.velocity < 4))
    refuse("velocity",
           fmt::format("is {:g} with a position gain of {:g} and steps of {:g} s", g.velocity,
                       g.position, h),
           "h kv < 2 and h^2 kp + 2 h kv < 4");
}

void computeDesiredAcceleration(const skeleton::Model& model, const skeleton::State& state,
                                const MotionTarget& target, const TrackingGains& gains,
                                VecX& vDot) {
  // The error goes into vDot first and is replaced joint by joint.
  skeleton::configurationDifference(model, state.q, target.q, vDot);
  const auto law = [&](double error, double v, double wantedV, double wantedVDot) {
    const double e = std::clamp(error, -gains.largestError, gains.largestError);
    return gains.position * e + gains.velocity * (wantedV - v) + wantedVDot;  // Eq. 12
  };
  for (const skeleton::CompiledMotion& m : model.motions) {
    if (m.code != skeleton::MotionCode::Ball) {
      const skeleton::DofResistance& r = model.dofResistance[static_cast<std::size_t>(m.dof)];
      const double wanted = std::clamp(target.q[m.position], r.lowerLimit, r.upperLimit);
      vDot[m.dof] =
          law(wanted - state.q[m.position], state.v[m.dof], target.v[m.dof], target.vDot[m.dof]);
      continue;
    }
    const Vec3 error = vDot.segment<3>(m.dof);
    const Vec3 wantedV = turned(error, target.v.segment<3>(m.dof));
    const Vec3 wantedVDot = turned(error, target.vDot.segment<3>(m.dof));
    for (int k = 0; k < 3; ++k)
      vDot[m.dof + k] = law(error[k], state.v[m.dof + k], wantedV[k], wantedVDot[k]);
  }
}

}  // namespace pneuma::control
