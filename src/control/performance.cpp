#include "pneuma/control/performance.h"

#include <algorithm>
#include <cmath>

#include "pneuma/skeleton/configuration.h"

namespace pneuma::control {

Performance::Performance(const anatomy::CompiledBody& compiled, const ControlConfig& config,
                         const muscle::DrivenBodyConfig& body)
    : body_(compiled, body),
      controller_(body_, compiled, config),
      target_(body_.model()),
      error_(VecX::Zero(body_.model().dofCount())) {}

void Performance::set(Exercise exercise) {
  exercise_ = std::move(exercise);
}

void Performance::hold(const std::string& load, const std::string& subject) {
  loads_.push_back(parseLoad(load, body_.model(), subject));
  controller_.loads().add(loads_.back().load);
}

void Performance::placeLoad(int load, const Vec3& local) {
  loads_[static_cast<std::size_t>(load)].load.local = local;
  controller_.loads().setPlace(load, local);
}

void Performance::push(int load, const Vec3& force) {
  LoadSchedule& schedule = loads_[static_cast<std::size_t>(load)];
  LoadSchedule::Stage now = schedule.at(time());
  now.time = time();
  now.force = force;
  schedule.stages = {now};
}

void Performance::prescribe() {
  for (const GivenActivation& g : exercise_.given) controller_.prescribe(g.muscle, g.at(time()));
}

void Performance::start() {
  VecX away = error();
  for (const int j : controller_.plan().passive()) away[j] = 0;
  skeleton::integrateConfiguration(body_.model(), away, body_.state().skeleton.q);
  // As fast as the track there: a walk that starts from rest is a shove of several g.
  body_.state().skeleton.v = target_.v;
  for (const int j : controller_.plan().passive()) body_.state().skeleton.v[j] = 0;
  prescribe();
  controller_.settle(target_);
}

void Performance::step() {
  exercise_.track.sample(time(), target_.q, target_.v, target_.vDot);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const LoadSchedule::Stage now = loads_[i].at(time());
    controller_.loads().setMass(static_cast<int>(i), now.mass);
    controller_.loads().setForce(static_cast<int>(i), now.force);
  }
  prescribe();
  controller_.step(target_);
}

const VecX& Performance::error() {
  exercise_.track.sample(time(), target_.q, target_.v, target_.vDot);
  skeleton::configurationDifference(body_.model(), body_.state().skeleton.q, target_.q, error_);
  return error_;
}

double Performance::largestError(int* dof) {
  const VecX& e = error();
  double largest = 0;
  for (const int j : controller_.plan().driven())
    if (std::abs(e[j]) > largest) {
      largest = std::abs(e[j]);
      if (dof != nullptr) *dof = j;
    }
  return largest;
}

}  // namespace pneuma::control
