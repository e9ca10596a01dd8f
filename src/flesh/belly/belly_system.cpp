#include "pneuma/flesh/belly_system.h"

#include <algorithm>
#include <cmath>

#include "flesh/belly/belly_part.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {

using internal::BellyPart;
using internal::LinkWrenches;

struct BellySystem::Data {
  Data(const BellyPlan& plan, const skeleton::Model& model)
      : tree(model),
        bellies(*plan.body, plan.lines, model, figureConfig(plan.config)),
        restGravity(model.gravity),
        wrench(model.links.size()),
        twist(model.links.size()),
        predicted(model.links.size()) {}

  static FigureBellyConfig figureConfig(const BodyBellyConfig& c) {
    FigureBellyConfig config;
    // All coefficients of a belly in proportion, so that the one that holds it to its line gives
    // the swing asked for; bellies without zones are a little stiffer (up to 8 %).
    const BellyConfig& b = config.belly;
    const double sum = 4 * (b.elasticityHorizontal + b.elasticityVertical + b.curvatureHorizontal +
                            b.curvatureVertical) +
                       b.goalStiffness + b.shapeStiffness;
    config.highestFrequency = c.swing * std::sqrt(sum / b.shapeStiffness);
    config.dampingRate = 2 * c.damping * c.swing;
    return config;
  }

  /// Adds J^T of all wrenches that the links got.
  void project(VecX& force) {
    const std::vector<Vec6>& axis = kinematics->axis;
    for (int l = tree.linkCount() - 1; l >= 0; --l) {
      const skeleton::Link& link = tree.links[static_cast<std::size_t>(l)];
      const Vec6& f = wrench[static_cast<std::size_t>(l)];
      for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
        force[j] += axis[static_cast<std::size_t>(j)].dot(f);
      if (link.parent >= 0) wrench[static_cast<std::size_t>(link.parent)] += f;
    }
  }

  template <class Get>
  void collect(const Get& get) {
    for (Vec6& f : wrench) f.setZero();
    for (const BellyPart& part : parts) {
      const LinkWrenches& from = get(part);
      for (std::size_t k = 0; k < part.links.size(); ++k)
        wrench[static_cast<std::size_t>(part.links[k])] += from[k];
    }
  }

  const skeleton::Model& tree;
  FigureBellies bellies;
  Vec3 restGravity;
  std::vector<BellyPart> parts;
  BelliesState* state = nullptr;
  const skeleton::Kinematics* kinematics = nullptr;  // of the step that runs
  std::vector<Vec6> acceleration;                    // known, by link
  std::vector<Vec6> wrench, twist;                   // scratch, by link
  std::vector<Pose> predicted;                       // links at the step's end without forces
  std::vector<int> freeIndex;                        // of each degree of freedom, or -1
  MatX gains;
  double h = 0, factoredFor = 0;
  VecX ahead;  // particles there
  VecX none;
};

void BelliesState::save(io::StateWriter& out) const {
  out.put(position);
  out.put(velocity);
}

void BelliesState::load(io::StateReader& in) {
  in.get(position);
  in.get(velocity);
}

BellySystem::BellySystem(const BellyPlan& plan, const skeleton::Model& tree)
    : data_(std::make_unique<Data>(plan, tree)) {
  Eigen::Index offset = 0;
  for (int b = 0; b < data_->bellies.count(); ++b) {
    data_->parts.emplace_back(data_->bellies, b, offset, plan.config);
    offset += 3 * data_->parts.back().n;
  }
}

BellySystem::~BellySystem() = default;

const FigureBellies& BellySystem::bellies() const {
  return data_->bellies;
}

BelliesState BellySystem::makeState(const skeleton::Kinematics& k) {
  Data& d = *data_;
  d.bellies.aim(k.X_WL);
  BelliesState s;
  Eigen::Index size = 0;
  for (const BellyPart& part : d.parts) size += 3 * part.n;
  s.position.resize(size);
  s.velocity.resize(size);
  for (BellyPart& part : d.parts) {
    s.position.segment(part.offset, 3 * part.n) = d.bellies.belly(part.index).carried();
    part.findCarriers(d.bellies);
    part.carryVelocities(k, s);
  }
  return s;
}

void BellySystem::bind(BelliesState& state) {
  data_->state = &state;
}

void BellySystem::place(const BelliesState& state, const skeleton::Kinematics& k) {
  Data& d = *data_;
  for (const BellyPart& part : d.parts)
    d.bellies.setPositions(part.index, state.position.segment(part.offset, 3 * part.n));
  d.bellies.aim(k.X_WL);
}

double BellySystem::mass() const {
  double sum = 0;
  for (const BellyPart& part : data_->parts) sum += part.mass * static_cast<double>(part.n);
  return sum;
}

Vec3 BellySystem::momentum(const BelliesState& s) const {
  Vec3 sum = Vec3::Zero();
  for (const BellyPart& part : data_->parts)
    sum += part.mass * part.in(s.velocity).colwise().sum().transpose();
  return sum;
}

Vec3 BellySystem::angularMomentum(const BelliesState& s, const Vec3& about) const {
  Vec3 sum = Vec3::Zero();
  for (const BellyPart& part : data_->parts)
    for (Eigen::Index i = 0; i < part.n; ++i) {
      const Vec3 arm = part.in(s.position).row(i).transpose() - about;
      sum += part.mass * arm.cross(Vec3(part.in(s.velocity).row(i).transpose()));
    }
  return sum;
}

namespace {

using Blocks = Eigen::Map<const BellyPart::Rows>;

/// Three blocks x, y, z of n particles as rows; velocities may come behind them.
Blocks rowsOf(const VecX& blocks, Eigen::Index n) {
  return {blocks.data(), n, 3};
}

}  // namespace

void BellySystem::readPlaces(std::vector<Vec3>& places) const {
  places.clear();
  for (const BellyPart& part : data_->parts) {
    const Blocks x = rowsOf(data_->bellies.belly(part.index).state().x, part.n);
    for (Eigen::Index i = 0; i < x.rows(); ++i) places.emplace_back(x.row(i).transpose());
  }
}

void BellySystem::readSwings(std::vector<Vec3>& swings) const {
  swings.clear();
  for (const BellyPart& part : data_->parts) {
    const Belly& belly = data_->bellies.belly(part.index);
    const Blocks x = rowsOf(belly.state().x, part.n), c = rowsOf(belly.carried(), part.n);
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      swings.emplace_back((x.row(i) - c.row(i)).transpose());
  }
}

double BellySystem::largestSwing() const {
  double most = 0;
  for (const BellyPart& part : data_->parts) {
    const Belly& belly = data_->bellies.belly(part.index);
    most = std::max(most, (rowsOf(belly.carried(), part.n) - rowsOf(belly.state().x, part.n))
                              .rowwise()
                              .norm()
                              .maxCoeff());
  }
  return most;
}

void BellySystem::carry(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                        std::span<const std::uint8_t> known, double h) {
  Data& d = *data_;
  PNEUMA_CHECK(d.state != nullptr, "bellies step without a state");
  d.kinematics = &k;
  d.h = h;
  d.acceleration.assign(acceleration.begin(), acceleration.end());
  for (BellyPart& part : d.parts) part.setKnown(known);
}

void BellySystem::evaluate(const skeleton::Model& model, const skeleton::State&,
                           const skeleton::Kinematics& k, double h, VecX& force) {
  Data& d = *data_;
  // Everything at the step's end, as far as velocities bring it.
  for (std::size_t l = 0; l < d.predicted.size(); ++l) {
    const Vec6& V = k.velocity[l];
    const double angle = h * V.head<3>().norm();
    const Pose& X = k.X_WL[l];
    d.predicted[l] = X;
    if (angle > 0)
      d.predicted[l].rotation =
          Eigen::AngleAxisd(angle, V.head<3>().normalized()).toRotationMatrix() * X.rotation;
    d.predicted[l].position += h * skeleton::pointVelocity(k, static_cast<int>(l), X.position);
  }
  d.ahead = d.state->position;
  d.ahead += h * d.state->velocity;
  for (const BellyPart& part : d.parts)
    d.bellies.setPositions(part.index, d.ahead.segment(part.offset, 3 * part.n));
  d.bellies.aim(d.predicted);
  const internal::BellyView view{d.bellies,     k, d.tree, *d.state, d.acceleration, model.gravity,
                                 d.restGravity, h};
  for (BellyPart& part : d.parts) part.evaluate(view);
  d.collect([](const BellyPart& part) -> const LinkWrenches& { return part.held; });
  d.project(force);
}

/// The own block serves as long as the step keeps its size; what ties bellies to links that move
/// freely is that of the step.
bool BellySystem::linearise(const skeleton::State&, std::span<const std::uint8_t> prescribed,
                            double h) {
  Data& d = *data_;
  const bool anew = d.factoredFor != h;
  if (anew)
    for (BellyPart& part : d.parts) part.factor(d.bellies.belly(part.index).model(), h);
  d.factoredFor = h;
  d.freeIndex.assign(prescribed.size(), -1);
  int count = 0;
  for (std::size_t j = 0; j < prescribed.size(); ++j)
    if (!prescribed[j]) d.freeIndex[j] = count++;
  d.gains.setZero(count, count);
  bool coupled = false;
  for (BellyPart& part : d.parts) {
    if (!part.coupled) continue;
    coupled = true;
    part.condense(d.kinematics->origin);
    part.addGains(d.tree, *d.kinematics, d.freeIndex, d.gains);
  }
  return anew || coupled;
}

void BellySystem::addGains(MatX& gains) const {
  gains += data_->gains;
}

void BellySystem::solve() {
  Data& d = *data_;
  for (BellyPart& part : d.parts) part.solve(d.kinematics->origin);
}

void BellySystem::addReaction(VecX& residual) const {
  data_->collect([](const BellyPart& part) -> const LinkWrenches& { return part.pulled; });
  data_->project(residual);
}

const VecX& BellySystem::pressureGradient(int) const {
  return data_->none;
}
const VecX& BellySystem::condensedGradient(int) const {
  return data_->none;
}

void BellySystem::check(std::span<const double>, const VecX& dv, double time) {
  Data& d = *data_;
  for (std::size_t l = 0; l < d.tree.links.size(); ++l) {
    const skeleton::Link& link = d.tree.links[l];
    d.twist[l] =
        link.parent < 0 ? Vec6(Vec6::Zero()) : d.twist[static_cast<std::size_t>(link.parent)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      if (d.freeIndex[static_cast<std::size_t>(j)] >= 0)
        d.twist[l] += dv[j] * d.kinematics->axis[static_cast<std::size_t>(j)];
  }
  for (BellyPart& part : d.parts) {
    if (part.coupled) part.answer(d.twist, d.kinematics->origin);
    if (!part.change.allFinite())
      throw SimulationError(time, "belly '" + d.bellies.name(part.index) + "'",
                            "its particles are not at finite places");
  }
}

void BellySystem::advance(std::span<const double>, double h) {
  BelliesState& s = *data_->state;
  for (const BellyPart& part : data_->parts) {
    part.in(s.velocity) += part.change;
    part.in(s.position) += h * part.in(s.velocity);
  }
}

double BellySystem::elasticEnergy() const {
  double sum = 0;
  for (const BellyPart& part : data_->parts)
    sum += data_->bellies.belly(part.index).elasticEnergy();
  return sum;
}

double BellySystem::kineticEnergy() const {
  double sum = 0;
  for (const BellyPart& part : data_->parts)
    sum += 0.5 * part.mass * part.in(data_->state->velocity).squaredNorm();
  return sum;
}

}  // namespace pneuma::flesh
