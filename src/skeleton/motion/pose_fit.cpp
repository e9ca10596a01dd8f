#include "pneuma/skeleton/pose_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/pose_maker.h"

namespace pneuma::skeleton {

namespace {
constexpr double kAtLimit = 1e-9;       // [rad] or [m]
constexpr double kSmallestGain = 1e-7;  // of the cost, relative: then it has converged
}  // namespace

Vec3 rotationVector(const Mat3& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis();
}

// A rhythm is one unknown for all joints that share it: a fit that turned vertebrae one by one
// would kink the spine wherever a target is noisy.
std::vector<PoseCoordinate> poseCoordinates(const anatomy::CompiledBody& body, const Model& model,
                                            std::span<const int> links) {
  std::vector<bool> open(static_cast<std::size_t>(model.dofCount()), false);
  for (const int link : links)
    for (const DofRange& range : model.ancestorRanges(link))
      std::fill(open.begin() + range.begin, open.begin() + range.end, true);
  std::vector<PoseCoordinate> all;
  const PoseMaker maker(body, model);
  const auto add = [&](std::span<const std::pair<int, double>> shares) {
    PoseCoordinate c;
    double parts = 0;
    for (const auto& [i, part] : shares) {
      const int dof = maker.freedoms()[static_cast<std::size_t>(i)].dof;
      if (!open[static_cast<std::size_t>(dof)]) return;
      c.dofs.emplace_back(dof, part);
      parts += part;
    }
    if (c.dofs.empty()) return;
    for (auto& [dof, part] : c.dofs) open[static_cast<std::size_t>(dof)] = false, part /= parts;
    all.push_back(std::move(c));
  };
  for (const Freedom& sum : maker.freedoms()) {
    if (sum.shares.empty()) continue;
    const std::span<const std::pair<int, double>> shares = sum.shares;
    const int last = maker.freedoms()[static_cast<std::size_t>(shares.back().first)].dof;
    const bool ends =
        std::ranges::find(links, model.dofLink[static_cast<std::size_t>(last)]) != links.end();
    const std::size_t own = ends ? std::min<std::size_t>(2, shares.size()) : 0;
    add(shares.first(shares.size() - own));
    add(shares.last(own));
  }
  for (int j = 0; j < model.dofCount(); ++j)
    if (open[static_cast<std::size_t>(j)]) all.push_back({{{j, 1.0}}});
  return all;
}

namespace {

std::vector<PoseCoordinate> everyDof(const Model& model) {
  std::vector<PoseCoordinate> all;
  for (int j = 0; j < model.dofCount(); ++j) all.push_back({{{j, 1.0}}});
  return all;
}

}  // namespace

PoseFit::PoseFit(const Model& model, double restingWeight)
    : PoseFit(model, restingWeight, everyDof(model)) {}

/// Everything is sized here, for a fit is solved for each frame of a clip. A coordinate that moves
/// several joints has the narrowest of their limits, each seen through its part of the bend; free
/// joints have no rest to return to.
PoseFit::PoseFit(const Model& model, double restingWeight, std::vector<PoseCoordinate> coordinates)
    : preferred(model.neutral),
      resting(VecX::Zero(model.dofCount())),
      model_(model),
      coordinates_(std::move(coordinates)),
      position_(static_cast<std::size_t>(model.dofCount()), -1),
      kinematics_(model),
      trial_(model.neutral),
      away_(model.dofCount()),
      dofStep_(VecX::Zero(model.dofCount())),
      pointJacobian_(3, model.dofCount()),
      carrierJacobian_(3, model.dofCount()),
      linkJacobian_(6, model.dofCount()) {
  const auto n = static_cast<Eigen::Index>(coordinates_.size());
  normal_.resize(n, n);
  gradient_.resize(n);
  step_.resize(n);
  reduced_.resize(3, n);
  for (const CompiledMotion& m : model.motions) {
    const Link& link = model.links[static_cast<std::size_t>(model.dofLink[m.dof])];
    const bool ball = m.code == MotionCode::Ball;
    if (!ball) position_[static_cast<std::size_t>(m.dof)] = m.position;
    if (link.joint != JointKind::Free)
      resting.segment(m.dof, ball ? 3 : 1).setConstant(restingWeight);
  }
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (const PoseCoordinate& c : coordinates_) {
    Limits limits{-kNone, kNone};
    for (const auto& [dof, part] : c.dofs) {
      const DofResistance& r = model.dofResistance[static_cast<std::size_t>(dof)];
      limits.lower = std::max(limits.lower, r.lowerLimit / part);
      limits.upper = std::min(limits.upper, r.upperLimit / part);
    }
    limits_.push_back(limits);
  }
}

bool PoseFit::atLimit(const VecX& q, int dof) const {
  const int p = position_[static_cast<std::size_t>(dof)];
  if (p < 0) return false;
  const DofResistance& r = model_.dofResistance[static_cast<std::size_t>(dof)];
  return q[p] <= r.lowerLimit + kAtLimit || q[p] >= r.upperLimit - kAtLimit;
}

/// Of a hinge, a slide or a sum of them.
double PoseFit::valueOf(const PoseCoordinate& c, const VecX& q) const {
  double value = 0;
  for (const auto& [dof, part] : c.dofs) value += q[position_[static_cast<std::size_t>(dof)]];
  return value;
}

/// Brings every coordinate into its range, and the members of a sum to their parts.
void PoseFit::clamp(VecX& q) const {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const PoseCoordinate& c = coordinates_[i];
    if (position_[static_cast<std::size_t>(c.dofs.front().first)] < 0) continue;
    const double value = std::clamp(valueOf(c, q), limits_[i].lower, limits_[i].upper);
    for (const auto& [dof, part] : c.dofs)
      q[position_[static_cast<std::size_t>(dof)]] = c.dofs.size() > 1 ? part * value : value;
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
  for (const Glide* glide : glides)
    for (const Glide::Contact& c : glide->contacts())
      sum += std::pow(glideWeight * glide->departure(c, kinematics_).distance, 2);
  configurationDifference(model_, q, preferred, away_);
  for (const PoseCoordinate& c : coordinates_) {
    double away = 0;
    for (const auto& [dof, part] : c.dofs) away += away_[dof];
    sum += std::pow(resting[c.dofs.front().first] * away, 2);
  }
  return sum;
}

/// Adds three rows J v = error of a weight to the normal equations, in coordinates.
template <class Jacobian>
void PoseFit::addRows(const Jacobian& J, const Vec3& error, double weight) {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    reduced_.col(column).setZero();
    for (const auto& [dof, part] : coordinates_[i].dofs)
      reduced_.col(column) += weight * part * J.col(dof);
  }
  normal_.selfadjointView<Eigen::Lower>().rankUpdate(reduced_.transpose());
  gradient_.noalias() += reduced_.transpose() * (weight * error);
}

/// One row for each contact: how fast its point leaves the surface, which moves as well.
void PoseFit::addGlides() {
  for (const Glide* glide : glides)
    for (const Glide::Contact& contact : glide->contacts()) {
      const Glide::Departure d = glide->departure(contact, kinematics_);
      computePointJacobian(model_, kinematics_, contact.link, d.point, pointJacobian_);
      computePointJacobian(model_, kinematics_, glide->on(), d.point, carrierJacobian_);
      pointJacobian_ = d.normal * (d.normal.transpose() * (pointJacobian_ - carrierJacobian_));
      addRows(pointJacobian_, -d.distance * d.normal, glideWeight);
    }
}

double PoseFit::assemble(std::span<const PointTarget> points,
                         std::span<const OrientationTarget> orientations, const VecX& q) {
  const double now = cost(points, orientations, q);
  normal_.setZero();
  gradient_.setZero();
  for (const PointTarget& t : points) {
    if (t.weight == 0) continue;
    const Vec3 p = kinematics_.X_WL[static_cast<std::size_t>(t.link)] * t.local;
    computePointJacobian(model_, kinematics_, t.link, p, pointJacobian_);
    addRows(pointJacobian_, t.position - p, t.weight);
  }
  for (const OrientationTarget& t : orientations) {
    if (t.weight == 0) continue;
    const Mat3& R = kinematics_.X_WL[static_cast<std::size_t>(t.link)].rotation;
    computeLinkJacobian(model_, kinematics_, t.link, linkJacobian_);
    addRows(linkJacobian_.topRows<3>(), rotationVector(t.rotation * R.transpose()), t.weight);
  }
  addGlides();
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    double away = 0;
    for (const auto& [dof, part] : coordinates_[i].dofs) away += away_[dof];
    const double r = resting[coordinates_[i].dofs.front().first];
    normal_(c, c) += r * r;
    gradient_[c] += r * r * away;
  }
  return now;
}

void PoseFit::releaseOrHold(const VecX& q) {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    if (position_[static_cast<std::size_t>(coordinates_[i].dofs.front().first)] < 0) continue;
    const auto c = static_cast<Eigen::Index>(i);
    const double value = valueOf(coordinates_[i], q);
    const bool held = (value <= limits_[i].lower + kAtLimit && gradient_[c] < 0) ||
                      (value >= limits_[i].upper - kAtLimit && gradient_[c] > 0);
    if (!held) continue;
    normal_.row(c).setZero();
    normal_.col(c).setZero();
    normal_(c, c) = 1;
    gradient_[c] = 0;
  }
}

int PoseFit::solve(std::span<const PointTarget> points,
                   std::span<const OrientationTarget> orientations, VecX& q, int mostSteps) {
  clamp(q);
  if (!glides.empty()) computePoses(model_, q, kinematics_);
  for (const Glide* glide : glides) glide->prefer(kinematics_, preferred);
  double damping = 1e-8;
  int steps = 0;
  while (steps < mostSteps) {
    ++steps;
    const double before = assemble(points, orientations, q);
    releaseOrHold(q);
    double after = before;
    for (; damping < 1e3; damping *= 10) {
      trial_ = q;
      damped_ = normal_;
      damped_.diagonal().array() += damping;
      step_ = damped_.selfadjointView<Eigen::Lower>().llt().solve(gradient_);
      for (std::size_t i = 0; i < coordinates_.size(); ++i)
        for (const auto& [dof, part] : coordinates_[i].dofs)
          dofStep_[dof] = part * step_[static_cast<Eigen::Index>(i)];
      integrateConfiguration(model_, dofStep_, trial_);
      clamp(trial_);
      after = cost(points, orientations, trial_);
      if (after <= before) break;
    }
    if (!(after <= before)) break;  // no better place nearby
    q = trial_;
    damping = std::max(1e-8, damping * 0.1);
    if (before - after <= kSmallestGain * before) break;
  }
  remaining_ = cost(points, orientations, q);  // leaves the poses of q
  return steps;
}

}  // namespace pneuma::skeleton
