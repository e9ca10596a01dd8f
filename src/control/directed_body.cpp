#include "pneuma/control/directed_body.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::control {
namespace {

// An exercise begins when every joint is so near to its first pose, and so slow.
constexpr double kArrived = 0.005, kStill = 0.05;  // [rad] or [m], and per second

}  // namespace

DirectedBody::DirectedBody(const anatomy::CompiledBody& compiled, const ControlConfig& config,
                           const muscle::DrivenBodyConfig& body)
    : body_(compiled, body),
      controller_(body_, compiled, config),
      follower_(body_.model(), controller_.plan().prescribed()),
      dragged_(compiled, body_.model(), body_.state().skeleton.q),
      target_(body_.model()),
      first_(body_.model().neutral),
      away_(VecX::Zero(body_.model().dofCount())) {
  const skeleton::State& state = body_.state().skeleton;
  follower_.start(state.q, state.v);
  target_.q = state.q;
  controller_.settle(target_);
}

void DirectedBody::leaveExercise() {
  if (!exercise_) return;
  for (const GivenActivation& g : exercise_->given) controller_.release(g.muscle);
  if (begun_ >= 0) follower_.start(target_.q, target_.v);
  begun_ = -1;
  exercise_.reset();
}

void DirectedBody::perform(std::optional<Exercise> exercise) {
  leaveExercise();
  dragged_.releaseAll();
  exercise_ = std::move(exercise);
}

bool DirectedBody::canBeDragged(int link) const {
  const std::vector<int>& driven = controller_.plan().driven();
  for (const skeleton::DofRange& range : body_.model().ancestorRanges(link))
    for (int j = range.begin; j < range.end; ++j)
      if (std::ranges::find(driven, j) != driven.end()) return true;
  return false;
}

void DirectedBody::drag(const Grasp& grasp) {
  if (!canBeDragged(grasp.link))
    throw InputError(Diagnostic{.subject = "drag",
                                .field = body_.model().links.at(at(grasp.link)).name,
                                .message = "is held by the world",
                                .expected = "a link that muscles move"});
  dragged_.drag(grasp);
  leaveExercise();
}

void DirectedBody::release(int link) {
  dragged_.release(link);
}

void DirectedBody::releaseAll() {
  dragged_.releaseAll();
}

bool DirectedBody::arrived(const MotionTarget& led) {
  skeleton::configurationDifference(body_.model(), led.q, first_, away_);
  const std::vector<std::uint8_t>& prescribed = controller_.plan().prescribed();
  for (std::size_t j = 0; j < prescribed.size(); ++j) {
    const auto dof = static_cast<Eigen::Index>(j);
    if (prescribed[j] && (std::abs(away_[dof]) > kArrived || std::abs(led.v[dof]) > kStill))
      return false;
  }
  return true;
}

const MotionTarget& DirectedBody::nextTarget() {
  const double h = body_.config().step;
  if (!exercise_) return follower_.lead(dragged_.pose(), h);
  if (begun_ < 0) {
    exercise_->track.sample(0, first_);
    const MotionTarget& led = follower_.lead(first_, h);
    if (!arrived(led)) return led;
    begun_ = time();
  }
  const double t = time() - begun_;
  exercise_->track.sample(std::fmod(t, exercise_->seconds), target_.q, target_.v, target_.vDot);
  for (const GivenActivation& g : exercise_->given) controller_.prescribe(g.muscle, g.at(t));
  return target_;
}

void DirectedBody::step() {
  const MotionTarget& target = nextTarget();
  skeleton::configurationDifference(body_.model(), body_.state().skeleton.q, target.q, away_);
  controller_.step(target);
  error_ = 0;
  for (const int j : controller_.plan().driven()) error_ = std::max(error_, std::abs(away_[j]));
  share_ = 1;
  for (int r = 0; r < controller_.plan().rowCount(); ++r)
    share_ = std::min(share_, controller_.report().share(r));
  farthest_ = 0;
  for (const Grasp& g : dragged_.grasps())
    farthest_ =
        std::max(farthest_, (body_.kinematics().X_WL[at(g.link)] * g.local - g.position).norm());
}

void DirectedBody::save(io::StateWriter& out) const {
  controller_.save(out);
  follower_.save(out);
  dragged_.save(out);
  out.put(target_.q), out.put(target_.v);
  for (const double v : {begun_, error_, farthest_, share_}) out.put(v);
}

void DirectedBody::load(io::StateReader& in) {
  controller_.load(in);
  follower_.load(in);
  dragged_.load(in);
  in.get(target_.q), in.get(target_.v);
  for (double* v : {&begun_, &error_, &farthest_, &share_}) in.get(*v);
}

}  // namespace pneuma::control
