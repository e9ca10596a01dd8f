#include "pneuma/skeleton/pose_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pneuma/skeleton/configuration.h"

namespace pneuma::skeleton {

namespace {
constexpr double kAtLimit = 1e-9;       // [rad] or [m]
constexpr double kSmallestGain = 1e-7;  // of the cost, relative: then it has converged
}  // namespace

Vec3 rotationVector(const Mat3& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis();
}

PoseFit::PoseFit(const Model& model, double restingWeight)
    : preferred(model.neutral),
      resting(VecX::Zero(model.dofCount())),
      model_(model),
      position_(static_cast<std::size_t>(model.dofCount()), -1),
      kinematics_(model),
      normal_(model.dofCount(), model.dofCount()),
      gradient_(model.dofCount()),
      step_(model.dofCount()),
      trial_(model.neutral),
      pointJacobian_(3, model.dofCount()),
      linkJacobian_(6, model.dofCount()),
      held_(static_cast<std::size_t>(model.dofCount())) {
  for (const CompiledMotion& m : model.motions) {
    if (m.code == MotionCode::Ball) continue;
    position_[static_cast<std::size_t>(m.dof)] = m.position;
    const Link& link = model.links[static_cast<std::size_t>(model.dofLink[m.dof])];
    if (link.joint != JointKind::Free) resting[m.dof] = restingWeight;
  }
}

bool PoseFit::atLimit(const VecX& q, int dof) const {
  const int p = position_[static_cast<std::size_t>(dof)];
  if (p < 0) return false;
  const DofResistance& r = model_.dofResistance[static_cast<std::size_t>(dof)];
  return q[p] <= r.lowerLimit + kAtLimit || q[p] >= r.upperLimit - kAtLimit;
}

void PoseFit::clamp(VecX& q) const {
  for (int j = 0; j < model_.dofCount(); ++j) {
    const int p = position_[static_cast<std::size_t>(j)];
    const DofResistance& r = model_.dofResistance[static_cast<std::size_t>(j)];
    if (p >= 0) q[p] = std::clamp(q[p], r.lowerLimit, r.upperLimit);
  }
}

double PoseFit::cost(std::span<const PointTarget> points,
                     std::span<const OrientationTarget> orientations, const VecX& q) {
  computePoses(model_, q, kinematics_);
  double sum = 0;
  for (const PointTarget& t : points)
    sum +=
        t.weight * t.weight *
        (t.position - kinematics_.X_WL[static_cast<std::size_t>(t.link)] * t.local).squaredNorm();
  for (const OrientationTarget& t : orientations)
    sum += t.weight * t.weight *
           rotationVector(t.rotation *
                          kinematics_.X_WL[static_cast<std::size_t>(t.link)].rotation.transpose())
               .squaredNorm();
  for (int j = 0; j < model_.dofCount(); ++j) {
    const int p = position_[static_cast<std::size_t>(j)];
    if (p >= 0) sum += std::pow(resting[j] * (q[p] - preferred[p]), 2);
  }
  return sum;
}

double PoseFit::assemble(std::span<const PointTarget> points,
                         std::span<const OrientationTarget> orientations, const VecX& q) {
  const double now = cost(points, orientations, q);
  normal_.setZero();
  gradient_.setZero();
  for (const PointTarget& t : points) {
    const Vec3 p = kinematics_.X_WL[static_cast<std::size_t>(t.link)] * t.local;
    computePointJacobian(model_, kinematics_, t.link, p, pointJacobian_);
    pointJacobian_ *= t.weight;
    normal_.selfadjointView<Eigen::Lower>().rankUpdate(pointJacobian_.transpose());
    gradient_.noalias() += pointJacobian_.transpose() * (t.weight * (t.position - p));
  }
  for (const OrientationTarget& t : orientations) {
    const Mat3& R = kinematics_.X_WL[static_cast<std::size_t>(t.link)].rotation;
    computeLinkJacobian(model_, kinematics_, t.link, linkJacobian_);
    pointJacobian_ = t.weight * linkJacobian_.topRows<3>();
    normal_.selfadjointView<Eigen::Lower>().rankUpdate(pointJacobian_.transpose());
    gradient_.noalias() +=
        pointJacobian_.transpose() * (t.weight * rotationVector(t.rotation * R.transpose()));
  }
  for (int j = 0; j < model_.dofCount(); ++j) {
    const int p = position_[static_cast<std::size_t>(j)];
    if (p < 0) continue;
    normal_(j, j) += resting[j] * resting[j];
    gradient_[j] += resting[j] * resting[j] * (preferred[p] - q[p]);
  }
  return now;
}

void PoseFit::releaseOrHold(const VecX& q) {
  for (int j = 0; j < model_.dofCount(); ++j) {
    const int p = position_[static_cast<std::size_t>(j)];
    const DofResistance& r = model_.dofResistance[static_cast<std::size_t>(j)];
    held_[static_cast<std::size_t>(j)] =
        p >= 0 && ((q[p] <= r.lowerLimit + kAtLimit && gradient_[j] < 0) ||
                   (q[p] >= r.upperLimit - kAtLimit && gradient_[j] > 0));
    if (!held_[static_cast<std::size_t>(j)]) continue;
    normal_.row(j).setZero();
    normal_.col(j).setZero();
    normal_(j, j) = 1;
    gradient_[j] = 0;
  }
}

int PoseFit::solve(std::span<const PointTarget> points,
                   std::span<const OrientationTarget> orientations, VecX& q, int mostSteps) {
  clamp(q);
  double damping = 1e-8;
  int steps = 0;
  while (steps < mostSteps) {
    ++steps;
    const double before = assemble(points, orientations, q);
    releaseOrHold(q);
    double after = before;
    for (; damping < 1e3; damping *= 10) {
      trial_ = q;
      MatX damped = normal_;
      damped.diagonal().array() += damping;
      step_ = damped.selfadjointView<Eigen::Lower>().llt().solve(gradient_);
      integrateConfiguration(model_, step_, trial_);
      clamp(trial_);
      after = cost(points, orientations, trial_);
      if (after <= before) break;
    }
    if (!(after <= before)) break;  // no better place nearby
    q = trial_;
    damping = std::max(1e-8, damping * 0.1);
    if (before - after <= kSmallestGain * before) break;
  }
  computePoses(model_, q, kinematics_);
  return steps;
}

}  // namespace pneuma::skeleton
