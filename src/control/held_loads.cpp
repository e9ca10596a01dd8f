#include "pneuma/control/held_loads.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::control {
namespace {

void requireMass(const std::string& name, double mass) {
  if (!(mass >= 0) || !std::isfinite(mass))
    throw InputError(Diagnostic{.subject = fmt::format("load '{}'", name),
                                .field = "mass",
                                .message = fmt::format("is {:g} kg", mass),
                                .expected = ">= 0 [kg]"});
}

}  // namespace

int HeldLoads::add(const HeldLoad& load) {
  requireMass(load.name, load.mass);
  loads_.push_back(load);
  sensed_.push_back({load.mass, load.force});
  return static_cast<int>(loads_.size()) - 1;
}

void HeldLoads::setMass(int load, double mass) {
  HeldLoad& l = loads_[static_cast<std::size_t>(load)];
  requireMass(l.name, mass);
  l.mass = mass;
}

void HeldLoads::sense(double sigma, double h) {
  const double kept = std::exp(-sigma * h);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    sensed_[i].mass = loads_[i].mass + kept * (sensed_[i].mass - loads_[i].mass);
    sensed_[i].force = loads_[i].force + kept * (sensed_[i].force - loads_[i].force);
  }
}

/// Fills the Jacobian of the load's point; returns Jdot v, its acceleration with joints that keep
/// their velocity.
Vec3 HeldLoads::prepare(const HeldLoad& load, const skeleton::Kinematics& k) {
  const Vec3 p = k.X_WL[static_cast<std::size_t>(load.link)] * load.local;
  skeleton::computePointJacobian(model_, k, load.link, p, jacobian_);
  const Vec6& bias = k.biasAcceleration[static_cast<std::size_t>(load.link)];
  const Vec6& V = k.velocity[static_cast<std::size_t>(load.link)];
  const Vec3 r = p - k.origin, omega = V.head<3>();
  return bias.tail<3>() + bias.head<3>().cross(r) + omega.cross(V.tail<3>() + omega.cross(r));
}

void HeldLoads::addLoads(const skeleton::Model& model, const skeleton::State& state,
                         const skeleton::Kinematics& kinematics, skeleton::Loads& out) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Amount& load = sensed_[i];
    const Vec3 bias = prepare(loads_[i], kinematics);
    const Vec3 force = load.force + load.mass * (model.gravity - bias);
    const bool inertia = out.weights.derivatives();
    const Vec3 pull = inertia ? Vec3(load.mass / out.weights.velocity * (jacobian_ * state.v))
                              : Vec3(Vec3::Zero());
    for (const skeleton::DofRange range : model.ancestorRanges(loads_[i].link))
      for (int j = range.begin; j < range.end; ++j) {
        const Vec3 column = jacobian_.col(j);
        out.force[j] += column.dot(force);
        if (!inertia) continue;
        out.dampingForce[j] -= column.dot(pull);
        for (const skeleton::DofRange other : model.ancestorRanges(loads_[i].link))
          for (int l = other.begin; l < other.end && l <= j; ++l)
            out.symmetric(j, l) += load.mass * column.dot(jacobian_.col(l));
      }
  }
}

void HeldLoads::addUnsensed(const skeleton::State& state, skeleton::StepWorkspace& w, double h) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const double mass = loads_[i].mass - sensed_[i].mass;
    const Vec3 force = loads_[i].force - sensed_[i].force;
    if (mass == 0 && force.isZero(0)) continue;
    const Vec3 bias = prepare(loads_[i], w.dynamics.kinematics);
    const Vec3 momentum =
        mass * (jacobian_ * state.v) + h * (force + mass * (model_.gravity - bias));
    for (const skeleton::DofRange range : model_.ancestorRanges(loads_[i].link))
      for (int j = range.begin; j < range.end; ++j) {
        const Vec3 column = jacobian_.col(j);
        w.rhs[j] += column.dot(momentum);
        for (const skeleton::DofRange other : model_.ancestorRanges(loads_[i].link))
          for (int l = other.begin; l < other.end; ++l)
            w.loads.matrix(j, l) += mass * column.dot(jacobian_.col(l));
      }
  }
}

void HeldLoads::save(io::StateWriter& out) const {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    out.put(loads_[i].mass), out.put(loads_[i].force);
    out.put(sensed_[i].mass), out.put(sensed_[i].force);
  }
}

void HeldLoads::load(io::StateReader& in) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    in.get(loads_[i].mass), in.get(loads_[i].force);
    in.get(sensed_[i].mass), in.get(sensed_[i].force);
  }
}

}  // namespace pneuma::control
