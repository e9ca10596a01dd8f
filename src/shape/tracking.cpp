#include "pneuma/shape/tracking.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr std::size_t kTrackGrain = 256;  // vertices a thread takes at a time
constexpr double kLeastFar = 1e-3;        // [m]: what differs less is never an outlier

/// Gauss-Newton on pose and weights of a person's model.
class ModelFit {
 public:
  ModelFit(const PersonBreath& person, const std::vector<Triangle>& triangles,
           const RegistrationTarget& target, const RegistrationGuide& guide,
           const TrackConfig& config)
      : person_(person),
        triangles_(triangles),
        target_(target),
        guide_(guide),
        config_(config),
        weights_(VecX::Zero(person.componentCount())),
        shaped_(person.rest()) {
    place();
  }

  void round(double share) {
    const double reach =
        config_.free.firstReach * std::pow(config_.free.lastReach / config_.free.firstReach, share);
    match(reach);
    step();
  }

  const Pose& pose() const { return pose_; }
  const VecX& weights() const { return weights_; }
  const std::vector<Vec3>& positions() const { return x_; }

 private:
  void place() {
    person_.apply(weights_, shaped_);
    x_.resize(shaped_.size());
    for (std::size_t v = 0; v < x_.size(); ++v) x_[v] = pose_ * shaped_[v];
  }

  double trust(std::size_t v) const { return guide_.trust.empty() ? 1 : guide_.trust[v]; }

  void match(double reach) {
    const std::vector<Vec3> normals = vertexNormals({x_, triangles_});
    places_.resize(x_.size());
    const double least = std::cos(config_.free.angle);
    parallelFor(x_.size(), kTrackGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const int label = guide_.labels.empty() ? -1 : guide_.labels[v];
        places_[v] = target_.closest(x_[v], label);
        places_[v].counts = places_[v].counts && places_[v].distance < reach && trust(v) > 0 &&
                            places_[v].normal.dot(normals[v]) > least;
      }
    });
    if (std::ranges::none_of(places_, &RegistrationTarget::Place::counts))
      throw InputError("tracking: nothing of the surface lies near the person and faces its way");
  }

  /// How the place of a vertex changes with turn, shift and weights.
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(std::size_t v) const {
    Eigen::Matrix<double, 3, Eigen::Dynamic> J(3, 6 + weights_.size());
    J.leftCols<3>() = -skew(x_[v] - pose_.position);
    J.middleCols<3>(3).setIdentity();
    for (Index m = 0; m < weights_.size(); ++m)
      J.col(6 + m) = pose_.rotation * person_.components()[static_cast<std::size_t>(m)][v];
    return J;
  }

  /// One step of all unknowns together.
  void step() {
    std::vector<double> distances;
    for (const RegistrationTarget::Place& p : places_)
      if (p.counts) distances.push_back(p.distance);
    const double far = 2 * std::max(pneuma::internal::quantile(distances, 0.5), kLeastFar);
    const Index n = 6 + weights_.size();
    MatX A = MatX::Zero(n, n);
    VecX b = VecX::Zero(n);
    for (std::size_t v = 0; v < x_.size(); ++v) {
      const RegistrationTarget::Place& p = places_[v];
      if (!p.counts) continue;
      const double weight = trust(v) / (1 + std::pow(p.distance / far, 2));
      const VecX row = (p.plane.transpose() * jacobian(v)).transpose();
      A.selfadjointView<Eigen::Lower>().rankUpdate(row, weight);
      b += weight * p.plane.dot(p.point - x_[v]) * row;
    }
    for (const Anchor& a : guide_.anchors) {
      const auto J = jacobian(at(a.vertex));
      A.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
      b += J.transpose() * (a.place - x_[at(a.vertex)]);
    }
    for (Index m = 0; m < weights_.size(); ++m) {
      const double pull = std::pow(config_.spread / std::max(1e-9, person_.deviations()[m]), 2);
      A(6 + m, 6 + m) += pull;
      b[6 + m] -= pull * weights_[m];
    }
    const VecX d = A.selfadjointView<Eigen::Lower>().ldlt().solve(b);
    // The turn is about the pose's own origin, as in the jacobian.
    pose_ = {expRotation(d.head<3>()) * pose_.rotation, pose_.position + d.segment<3>(3)};
    weights_ += d.tail(weights_.size());
    place();
  }

  const PersonBreath& person_;
  const std::vector<Triangle>& triangles_;
  const RegistrationTarget& target_;
  const RegistrationGuide& guide_;
  const TrackConfig& config_;
  Pose pose_;
  VecX weights_;
  std::vector<Vec3> shaped_, x_;
  std::vector<RegistrationTarget::Place> places_;
};

}  // namespace

Tracker::Tracker(const PersonBreath& person)
    : person_(&person), registrar_({person.rest(), person.triangles()}) {}

Tracked Tracker::track(const RegistrationTarget& target, const RegistrationGuide& guide,
                       const TrackConfig& config) const {
  const std::size_t n = person_->rest().size();
  if ((!guide.trust.empty() && guide.trust.size() != n) ||
      (!guide.labels.empty() && guide.labels.size() != n) ||
      std::ranges::any_of(guide.anchors, [&](const Anchor& a) {
        return a.vertex < 0 || at(a.vertex) >= n || !a.place.allFinite();
      }))
    throw InputError("tracking: weights, labels or painted points do not fit the person");
  if (config.modelRounds < 1) throw InputError("tracking: needs at least one round of the model");
  ModelFit fit(*person_, person_->triangles(), target, guide, config);
  for (int i = 0; i < config.modelRounds; ++i)
    fit.round(config.modelRounds > 1 ? static_cast<double>(i) / (config.modelRounds - 1) : 1);
  const Registered freed = registrar_.run(fit.positions(), target, guide, config.free);
  return {freed.positions, fit.pose(), fit.weights(), freed.rms};
}

}  // namespace pneuma::shape
