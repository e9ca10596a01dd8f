#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/breath_model.h"
#include "pneuma/shape/gradients.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

/// What breathing in adds is positive, so that a sign does not depend on the data's order.
double signByVolume(const ShapeTemplate& shape, std::span<const Vec3> rest,
                    const std::vector<Vec3>& u) {
  std::vector<Vec3> moved(rest.begin(), rest.end());
  for (std::size_t v = 0; v < u.size(); ++v) moved[v] += u[v];
  return gainedVolumes(shape, rest, moved).all() < 0 ? -1 : 1;
}

/// Chest and back as one part: what turns them both is posture, what turns one is breath.
ShapeTemplate withOneThorax(ShapeTemplate shape) {
  const auto number = [&](const char* name) {
    return static_cast<int>(std::ranges::find(shape.partNames, name) - shape.partNames.begin());
  };
  const int chest = number("chest"), back = number("back");
  const auto parts = static_cast<int>(shape.partNames.size());
  if (chest == parts || back == parts) return shape;
  for (int& part : shape.partOfTriangle) {
    if (part == back) part = chest;
    if (part > back) --part;
  }
  shape.partNames.erase(shape.partNames.begin() + back);
  return shape;
}

/// Whether a part's turn counts as the pose of breath; belly and hips swell, they do not turn.
bool breathTurns(std::string_view part) {
  return part != "abdomen" && part != "pelvis";
}

std::vector<Vec3> mixed(const std::vector<std::vector<Vec3>>& modes, const VecX& shares) {
  std::vector<Vec3> u(modes.front().size(), Vec3::Zero());
  for (std::size_t m = 0; m < modes.size(); ++m)
    for (std::size_t v = 0; v < u.size(); ++v) u[v] += shares[static_cast<Index>(m)] * modes[m][v];
  return u;
}

}  // namespace

PersonBreath::PersonBreath(const BreathModel& model, std::vector<Vec3> rest, double poseIntensity)
    : model_(&model), rest_(std::move(rest)) {
  if (rest_.size() != model.mesh.vertexCount())
    throw InputError(fmt::format("breath: a skin of {} vertices; the model was learned on {}",
                                 rest_.size(), model.mesh.vertexCount()));
  const ShapeTemplate shape = model.shape();
  area_ = torsoArea(shape, rest_);
  chooseComponents(shape);
  if (poseIntensity != 1) scaleTurns(shape, poseIntensity);
  measureVolume();
}

void PersonBreath::scaleTurns(const ShapeTemplate& shape, double intensity) {
  const ShapeTemplate turning = withOneThorax(shape);
  const GradientMap map(turning);
  const PlaneGradients D = map.gradients(rest_);
  for (std::size_t m = 0; m < components_.size(); ++m) {
    std::vector<Vec3>& u = components_[m];
    const double step = std::max(1e-9, deviations_[static_cast<Index>(m)]);
    std::vector<Vec3> moved = rest_;
    for (std::size_t v = 0; v < u.size(); ++v) moved[v] += step * u[v];
    const std::vector<Mat3> R = partRotations(turning, rest_, moved);
    PlaneGradients turns(D.size(), PlaneGradient::Zero());
    for (std::size_t t = 0; t < D.size(); ++t) {
      const int part = turning.partOfTriangle[t];
      if (breathTurns(turning.partNames[at(part)]))
        turns[t] = skew(logRotation(R[at(part)]) / step) * D[t];
    }
    const std::vector<Vec3> p =
        map.vertices(turns, std::vector<Vec3>(u.size(), Vec3(Vec3::Zero())));
    for (std::size_t v = 0; v < u.size(); ++v) u[v] += (intensity - 1) * p[v];
  }
}

/// W^T <f^T f> W = V sigma^2 V^T: the person's own principal components.
void PersonBreath::chooseComponents(const ShapeTemplate& shape) {
  const BreathFunction all = model_->function.of(model_->identity.scores(shape, rest_));
  const MatX& W = all.weights();
  const Eigen::SelfAdjointEigenSolver<MatX> solver(W.transpose() * model_->featureMoments * W);
  const Index modes = W.cols(), count = std::min({model_->components, modes, W.rows()});
  MatX V(modes, count);
  deviations_.resize(count);
  for (Index k = 0; k < count; ++k) {
    V.col(k) = solver.eigenvectors().col(modes - 1 - k);
    deviations_[k] = std::sqrt(std::max(0.0, solver.eigenvalues()[modes - 1 - k]));
    std::vector<Vec3> u = mixed(model_->modes, V.col(k));
    const double sign = signByVolume(shape, rest_, u);
    V.col(k) *= sign;
    for (Vec3& d : u) d *= sign;
    components_.push_back(std::move(u));
  }
  function_ = all.times(V);
}

double PersonBreath::volumeAt(const VecX& w) const {
  std::vector<Vec3> x(rest_.size());
  apply(w, x);
  return enclosedVolume(x, model_->mesh.triangles);
}

/// V is a cubic in w: its odd part at small steps gives slopes, its even part exactly w^T H w.
void PersonBreath::measureVolume() {
  const Index count = componentCount();
  const double before = enclosedVolume(rest_, model_->mesh.triangles);
  const auto even = [&](const VecX& w) { return 0.5 * (volumeAt(w) + volumeAt(-w)) - before; };
  const auto step = [&](Index m) { return std::max(1e-9, deviations_[m]); };
  slope_.resize(count), bend_.resize(count, count);
  for (Index m = 0; m < count; ++m) {
    const VecX w = step(m) * VecX::Unit(count, m);
    slope_[m] = (volumeAt(1e-3 * w) - volumeAt(-1e-3 * w)) / (2e-3 * step(m));
    bend_(m, m) = even(w) / (step(m) * step(m));
  }
  for (Index m = 0; m < count; ++m)
    for (Index n = 0; n < m; ++n) {
      const double a = step(m), b = step(n);
      const double both = even(a * VecX::Unit(count, m) + b * VecX::Unit(count, n));
      bend_(m, n) = bend_(n, m) =
          0.5 * (both - a * a * bend_(m, m) - b * b * bend_(n, n)) / (a * b);
    }
}

double PersonBreath::volumeOf(const VecX& w) const {
  return slope_.dot(w) + w.dot(bend_ * w);
}

VecX PersonBreath::weights(const BreathMoment& moment) const {
  return function_(moment).transpose();
}

VecX PersonBreath::weights(double volume, double flow, double type) const {
  VecX w = weights(momentOf(type, volume / area_, flow / area_, model_->bellyLead));
  const VecX freedom = deviations_.cwiseAbs2();
  for (int step = 0; step < 2; ++step) {
    const VecX gradient = slope_ + 2 * (bend_ * w), way = freedom.cwiseProduct(gradient);
    const double gain = gradient.dot(way);
    if (gain > 0) w += (volume - volumeOf(w)) / gain * way;
  }
  return w;
}

void PersonBreath::apply(const VecX& w, std::span<Vec3> positions) const {
  PNEUMA_CHECK(positions.size() == rest_.size() && w.size() == componentCount(),
               "{} places and {} weights for {} vertices and {} components", positions.size(),
               w.size(), rest_.size(), componentCount());
  std::ranges::copy(rest_, positions.begin());
  for (Index m = 0; m < w.size(); ++m) {
    if (w[m] == 0) continue;
    const std::vector<Vec3>& u = components_[static_cast<std::size_t>(m)];
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += w[m] * u[v];
  }
}

}  // namespace pneuma::shape
