#include "pneuma/control/target_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::control {

TargetFollower::TargetFollower(const skeleton::Model& model, std::span<const std::uint8_t> led,
                               const FollowerConfig& config)
    : model_(model),
      led_(led.begin(), led.end()),
      config_(config),
      target_(model),
      goal_(model.neutral),
      way_(VecX::Zero(model.dofCount())),
      step_(way_),
      turn_(model.links.size()) {
  PNEUMA_CHECK(static_cast<int>(led.size()) == model.dofCount());
  PNEUMA_CHECK(config.rate > 0 && config.largestTurn > 0);
}

void TargetFollower::start(const VecX& q, const VecX& v) {
  target_.q = q;
  target_.v = v;
  for (Eigen::Index j = 0; j < v.size(); ++j)
    if (!led_[static_cast<std::size_t>(j)]) target_.v[j] = 0;
  target_.vDot.setZero();
}

void TargetFollower::keepWithinRanges(const VecX& goal) {
  goal_ = goal;
  outOfRange_ = 0;
  for (const skeleton::CompiledMotion& m : model_.motions) {
    if (m.code == skeleton::MotionCode::Ball) {
      // A quaternion that is none turns nowhere.
      const double length = goal_.segment<4>(m.position).norm();
      if (length > 0) goal_.segment<4>(m.position) /= length;
      if (!(length > 0)) goal_.segment<4>(m.position) = target_.q.segment<4>(m.position);
      continue;
    }
    const skeleton::DofResistance& r = model_.dofResistance[static_cast<std::size_t>(m.dof)];
    double& x = goal_[m.position];
    outOfRange_ += x < r.lowerLimit || x > r.upperLimit;
    x = std::clamp(x, r.lowerLimit, r.upperLimit);
  }
}

/// Over all links, the way of the joints that carry it: at least the angle that the link turns by.
double TargetFollower::largestTurn() const {
  double largest = 0;
  for (std::size_t l = 0; l < model_.links.size(); ++l) {
    const skeleton::Link& link = model_.links[l];
    const double own = way_.segment(link.firstDof, link.dofCount).norm();
    turn_[l] = own + (link.parent < 0 ? 0 : turn_[static_cast<std::size_t>(link.parent)]);
    largest = std::max(largest, turn_[l]);
  }
  return largest;
}

const MotionTarget& TargetFollower::lead(const VecX& goal, double h) {
  PNEUMA_CHECK(goal.size() == target_.q.size(), "{} numbers, {} expected", goal.size(),
               target_.q.size());
  if (!goal.allFinite())
    throw InputError(Diagnostic{
        .subject = "target pose", .message = "holds what is not finite", .expected = "numbers"});
  target_.v += h * target_.vDot;
  step_ = h * target_.v;
  skeleton::integrateConfiguration(model_, step_, target_.q);
  keepWithinRanges(goal);
  skeleton::configurationDifference(model_, target_.q, goal_, way_);
  for (Eigen::Index j = 0; j < way_.size(); ++j)
    if (!led_[static_cast<std::size_t>(j)]) way_[j] = 0;
  const double turn = largestTurn(), omega = config_.rate;
  const double share = turn > config_.largestTurn ? config_.largestTurn / turn : 1;
  target_.vDot = omega * (omega * share * way_ - 2 * target_.v);
  return target_;
}

void TargetFollower::save(io::StateWriter& out) const {
  out.put(target_.q), out.put(target_.v), out.put(target_.vDot);
}

void TargetFollower::load(io::StateReader& in) {
  in.get(target_.q), in.get(target_.v), in.get(target_.vDot);
}

}  // namespace pneuma::control
