#include "pneuma/flesh/belly.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "flesh/belly/belly_forces.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {
namespace {

constexpr double kMuscleDensity = 1060;  // [kg/m^3]
// Rings do not follow a line beyond these widths over rest; and what a bend takes off the volume is
// made up for within limits, since a fold cannot be filled.
constexpr double kNarrowest = 0.6, kWidest = 2.0;
constexpr double kLeastCorrection = 0.7, kMostCorrection = 1.8;

void requireNotNegative(const char* field, double value) {
  if (!(value >= 0) || !std::isfinite(value))
    throw InputError(Diagnostic{.field = field,
                                .message = fmt::format("is {}", value),
                                .expected = "a finite number >= 0"});
}

/// Bound on the highest angular frequency by Gershgorin's rows of K / m: a linear spring adds at
/// most 2k to a particle's row, an angular spring 2k from its centre and k/2 + k/2 from each of two
/// neighbours.
double highestFrequency(const BellyConfig& c, double mass) {
  const double linear = 4 * (c.elasticityHorizontal + c.elasticityVertical);
  const double angular = 4 * (c.curvatureHorizontal + c.curvatureVertical);
  return std::sqrt((linear + angular + c.goalStiffness + c.shapeStiffness) / mass);
}

/// Volume within a closed surface, positions in three blocks.
double signedVolume(const Eigen::Ref<const VecX>& p, const std::vector<Triangle>& triangles) {
  const Eigen::Index n = p.size() / 3;
  const auto at = [&](Eigen::Index i) { return Vec3(p[i], p[n + i], p[2 * n + i]); };
  const Vec3 apex = at(0);
  double sixfold = 0;
  for (const Triangle& t : triangles)
    sixfold += (at(t[0]) - apex).dot((at(t[1]) - apex).cross(at(t[2]) - apex));
  return sixfold / 6;
}

/// Part of the step's stability region on the imaginary axis (oscillation) and on the real one
/// (damping).
struct StabilityLimit {
  double oscillation, damping;
};
StabilityLimit stabilityLimit(IntegratorKind kind) {
  switch (kind) {
    case IntegratorKind::RungeKutta4:
      return {2.8, 2.7};
    case IntegratorKind::SymplecticEuler:
      return {1.9, 1.0};
    case IntegratorKind::AdamsBashforth2:
    case IntegratorKind::AdamsBashforth3:
    case IntegratorKind::AdamsBashforth4:
      return {0.3, 0.25};
    case IntegratorKind::AdamsMoulton4:
      return {0.9, 0.9};
    case IntegratorKind::CashKarp54:
    case IntegratorKind::ImplicitEuler:
      return {1e9, 1e9};  // choose their own step, or need no limit
    default:
      return {0.3, 1.0};
  }
}

}  // namespace

BellyModel::BellyModel(const BellyGrid& rest, const BellyConfig& config)
    : slices_(rest.slices),
      around_(rest.around),
      config_(config),
      triangles_(bellyTriangles(rest.slices, rest.around)) {
  PNEUMA_CHECK(static_cast<int>(rest.points.size()) == rest.pointCount(), "{} points",
               rest.points.size());
  requireNotNegative("elasticity_horizontal", config.elasticityHorizontal);
  requireNotNegative("elasticity_vertical", config.elasticityVertical);
  requireNotNegative("curvature_horizontal", config.curvatureHorizontal);
  requireNotNegative("curvature_vertical", config.curvatureVertical);
  requireNotNegative("total_mass", config.totalMass);
  requireNotNegative("damping", config.damping);
  requireNotNegative("goal_stiffness", config.goalStiffness);
  requireNotNegative("shape_stiffness", config.shapeStiffness);
  requireNotNegative("sleep_speed", config.sleepSpeed);
  requireNotNegative("wake_distance", config.wakeDistance);
  restVolume_ = enclosedVolume(rest.points, triangles_);
  if (!(restVolume_ > 0)) throw InputError("a belly must enclose a positive volume at rest");
  const double mass = config.totalMass > 0 ? config.totalMass : kMuscleDensity * restVolume_;
  particleMass_ = mass / particleCount();
  BellyForces::measureRest(*this, rest.points);
  const StabilityLimit limit = stabilityLimit(config.integrator);
  const double damping = config.damping / particleMass_;
  stableStep_ = std::min(limit.oscillation / highestFrequency(config, particleMass_),
                         damping > 0 ? limit.damping / damping : 1e9);
}

Vec3 BellyState::position(int particle) const {
  const Eigen::Index n = x.size() / 6;
  return {x[particle], x[n + particle], x[2 * n + particle]};
}

void BellyState::positions(std::vector<Vec3>& out) const {
  const Eigen::Index n = x.size() / 6;
  out.resize(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i)
    out[static_cast<std::size_t>(i)] = position(static_cast<int>(i));
}

Belly::Belly(std::shared_ptr<const BellyModel> model, const BellyGrid& rest, ActionLine line,
             const Vec3& reference)
    : model_(std::move(model)),
      line_(std::move(line)),
      integrator_(makeIntegrator(model_->config().integrator)) {
  forces_ = std::make_unique<BellyForces>(*model_, goals_, carried_);
  const Eigen::Index n = model_->particleCount();
  state_.x = VecX::Zero(6 * n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      state_.x[axis * n + i] = rest.points[static_cast<std::size_t>(i)][axis];
  line_.bellyFrames(model_->slices() + 2, reference, frames_);
  nextFrames_ = frames_;
  restLength_ = line_.bellyLength();
  carried_ = state_.x.head(3 * n);
  for (int i = 0; i < model_->particleCount(); ++i)
    places_.push_back(frames_[frameOf(i)].inverse() * state_.position(i));
  for (int s = 0; s < model_->slices(); ++s) {
    middles_.emplace_back(Vec3::Zero());
    for (int a = 0; a < model_->around(); ++a)
      middles_.back() += places_[static_cast<std::size_t>(rest.index(s, a))] / model_->around();
  }
  before_ = state_;
}

Belly::~Belly() = default;

Belly::Belly(Belly&& other) noexcept
    : model_(std::move(other.model_)),
      line_(std::move(other.line_)),
      frames_(std::move(other.frames_)),
      nextFrames_(std::move(other.nextFrames_)),
      goals_(std::move(other.goals_)),
      places_(std::move(other.places_)),
      middles_(std::move(other.middles_)),
      carried_(std::move(other.carried_)),
      width_(other.width_),
      state_(std::move(other.state_)),
      before_(std::move(other.before_)),
      forces_(std::make_unique<BellyForces>(*model_, goals_, carried_)),  // refers to ours
      integrator_(std::move(other.integrator_)),
      restLength_(other.restLength_),
      lastInnerSteps_(other.lastInnerSteps_) {}

/// Rings get wider by what the belly gets shorter; in a bend, by what its shape then lacks.
double Belly::follow(std::span<const Vec3> points, const Vec3& reference) {
  line_.setPoints(points);
  line_.bellyFrames(model_->slices() + 2, reference, nextFrames_);
  double width = std::clamp(std::sqrt(restLength_ / line_.bellyLength()), kNarrowest, kWidest);
  if (model_->config().shapeStiffness > 0) {
    place(nextFrames_, width);
    const double carried = signedVolume(carried_, model_->triangles());
    width *=
        std::sqrt(std::clamp(model_->restVolume() / std::max(carried, 1e-9 * model_->restVolume()),
                             kLeastCorrection, kMostCorrection));
    place(nextFrames_, width);
  }
  return width;
}

void Belly::aim(std::span<const Vec3> points, const Vec3& reference) {
  width_ = follow(points, reference);
  frames_.swap(nextFrames_);
  state_.asleep = false;
}

void Belly::setPositions(const Eigen::Ref<const VecX>& positions) {
  PNEUMA_CHECK(positions.size() == 3 * model_->particleCount(), "{} numbers", positions.size());
  state_.x.head(positions.size()) = positions;
}

void Belly::moveLine(std::span<const Vec3> points, const Vec3& reference) {
  double moved = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    moved = std::max(moved, (points[i] - line_.points()[i]).norm());
  if (state_.asleep && moved <= model_->config().wakeDistance) return;
  if (moved > model_->config().wakeDistance) state_.asleep = false;
  const double width = follow(points, reference);
  // Each ring is carried from its old frame to its new one; extremities go with the outermost
  // frames.
  const int around = model_->around();
  const double widening = width / width_;
  carry(0, 1, 0, 1);
  for (int s = 0; s < model_->slices(); ++s) carry(1 + s * around, around, s + 1, widening);
  carry(model_->particleCount() - 1, 1, model_->slices() + 1, 1);
  frames_.swap(nextFrames_);
  width_ = width;
  integrator_->reset();
}

std::size_t Belly::frameOf(int particle) const {
  return static_cast<std::size_t>((particle - 1 + model_->around()) / model_->around());
}

void Belly::place(const std::vector<Pose>& frames, double width) {
  const Eigen::Index n = model_->particleCount();
  const auto put = [&](Eigen::Index i, const Vec3& p) {
    for (int axis = 0; axis < 3; ++axis) carried_[axis * n + i] = p[axis];
  };
  put(0, frames.front() * places_.front());
  put(n - 1, frames.back() * places_.back());
  Eigen::Index i = 1;
  for (std::size_t s = 0; s < middles_.size(); ++s) {
    const Vec3 middle = frames[s + 1] * middles_[s];
    const Mat3 spread = width * frames[s + 1].rotation;
    for (int a = 0; a < model_->around(); ++a, ++i)
      put(i, middle + spread * (places_[static_cast<std::size_t>(i)] - middles_[s]));
  }
}

void Belly::carry(int first, int count, int frame, double widening) {
  const auto r = static_cast<std::size_t>(frame);
  const Pose change = nextFrames_[r] * frames_[r].inverse();
  const Mat3& across = nextFrames_[r].rotation;
  const Eigen::Index n = model_->particleCount();
  Vec3 middle = Vec3::Zero();
  for (int i = first; i < first + count; ++i) middle += state_.position(i) / count;
  const Vec3 newMiddle = change * middle;
  for (int i = first; i < first + count; ++i) {
    Vec3 d = change.rotation * (state_.position(i) - middle);
    d += (widening - 1) * (d - across.col(2).dot(d) * across.col(2));
    const Vec3 v =
        change.rotation * Vec3(state_.x[3 * n + i], state_.x[4 * n + i], state_.x[5 * n + i]);
    for (int axis = 0; axis < 3; ++axis) {
      state_.x[axis * n + i] = newMiddle[axis] + d[axis];
      state_.x[(axis + 3) * n + i] = v[axis];
    }
  }
}

void Belly::moveGoal(std::size_t goal, const Vec3& target) {
  const double moved = (target - goals_[goal].target).norm();
  if (state_.asleep && moved <= model_->config().wakeDistance) return;
  if (moved > model_->config().wakeDistance) state_.asleep = false;
  goals_[goal].target = target;
}

void Belly::advance(double dt) {
  lastInnerSteps_ = 0;
  if (state_.asleep || !(dt > 0)) {
    state_.time += std::max(0.0, dt);
    return;
  }
  before_ = state_;
  const int steps = std::max(1, static_cast<int>(std::ceil(dt / model_->stableStep())));
  const double h = dt / steps;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = integrator_->step(*forces_, state_.time, h, state_.x);
    if (!report.ok || !state_.x.allFinite()) {
      const double failedAt = state_.time + h;
      state_ = before_;
      integrator_->reset();
      throw SimulationError(failedAt, "belly",
                            report.ok ? "the state is not finite" : std::string(report.problem));
    }
    state_.time += h;
  }
  lastInnerSteps_ = steps;
  if (model_->config().keepVolume) correctVolume();
  const Eigen::Index n = model_->particleCount();
  const double fastest = state_.x.tail(3 * n).cwiseAbs().maxCoeff();
  if (fastest < model_->config().sleepSpeed) {
    state_.asleep = true;
    state_.x.tail(3 * n).setZero();
  }
}

void Belly::restore(const BellyState& state) {
  PNEUMA_CHECK(state.x.size() == state_.x.size(), "state of {} numbers", state.x.size());
  state_ = state;
  integrator_->reset();
}

double Belly::volume() const {
  return signedVolume(state_.x.head(3 * model_->particleCount()), model_->triangles());
}

double Belly::elasticEnergy() const {
  return forces_->energy(state_.x.data());
}

void Belly::elasticForces(VecX& forces) const {
  forces.resize(3 * model_->particleCount());
  forces_->forces(state_.x.data(), forces.data());
}

void Belly::correctVolume() {
  // Newton on V(x + lambda dV/dx) = V0: moves every free particle along its own volume gradient.
  const Eigen::Index n = model_->particleCount();
  VecX& gradient = before_.x;  // scratch until the next advance
  for (int iteration = 0; iteration < 5; ++iteration) {
    const double missing = model_->restVolume() - volume();
    if (std::abs(missing) < 1e-9 * model_->restVolume()) return;
    gradient.head(3 * n).setZero();
    for (const Triangle& t : model_->triangles())
      for (int k = 0; k < 3; ++k) {
        const Vec3 g = state_.position(t[(k + 1) % 3]).cross(state_.position(t[(k + 2) % 3])) / 6;
        for (int axis = 0; axis < 3; ++axis)
          gradient[axis * n + t[static_cast<std::size_t>(k)]] += g[axis];
      }
    if (!model_->config().freeEnds)
      for (int axis = 0; axis < 3; ++axis) gradient[axis * n] = gradient[axis * n + n - 1] = 0;
    const double slope = gradient.head(3 * n).squaredNorm();
    if (!(slope > 0)) return;
    state_.x.head(3 * n) += missing / slope * gradient.head(3 * n);
  }
}

}  // namespace pneuma::flesh
