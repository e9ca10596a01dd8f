#include "pneuma/flesh/sealed_link_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flesh/pressure/sealed_part.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::flesh {

using internal::SealedPart;

void takeSealedMass(const SealedBodyPlan& plan, skeleton::Model& tree) {
  constexpr double kMost = 0.5;  // of the link
  const int heaviest =
      *std::max_element(plan.carrier.begin(), plan.carrier.end(), [&](int a, int b) {
        return tree.links[at(a)].inertia.mass < tree.links[at(b)].inertia.mass;
      });
  skeleton::Link& link = tree.links[at(heaviest)];
  if (!(plan.config.mass < kMost * link.inertia.mass))
    throw InputError(
        Diagnostic{.subject = fmt::format("soft body '{}'", plan.name),
                   .message = fmt::format("weighs {:.2f} kg, link '{}' {:.2f} kg", plan.config.mass,
                                          link.name, link.inertia.mass),
                   .expected = "a body of less than half of what carries it"});
  const double left = 1 - plan.config.mass / link.inertia.mass;
  link.inertia.mass *= left;
  link.inertia.inertia *= left;
}

void SealedState::save(io::StateWriter& out) const {
  out.put(position);
  out.put(velocity);
}

void SealedState::load(io::StateReader& in) {
  in.get(position);
  in.get(velocity);
}

struct SealedLinkSystem::Data {
  explicit Data(const skeleton::Model& model)
      : tree(model), wrench(model.links.size()), twist(model.links.size()) {}

  /// Adds J^T of what the parts' links got.
  template <class Get>
  void project(std::span<const SealedPart> from, const Get& get, VecX& force) {
    for (Vec6& f : wrench) f.setZero();
    for (const SealedPart& part : from)
      for (std::size_t s = 0; s < part.links().size(); ++s)
        wrench[at(part.links()[s])] += get(part)[s];
    for (int l = tree.linkCount() - 1; l >= 0; --l) {
      const skeleton::Link& link = tree.links[at(l)];
      for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
        force[j] += kinematics->axis[at(j)].dot(wrench[at(l)]);
      if (link.parent >= 0) wrench[at(link.parent)] += wrench[at(l)];
    }
  }

  const skeleton::Model& tree;
  std::vector<SealedPart> parts;
  Eigen::Index size = 0;  // numbers of a state
  SealedState* state = nullptr;
  const skeleton::Kinematics* kinematics = nullptr;  // of the step that runs
  std::vector<Vec6> acceleration;                    // known, by link
  std::vector<Vec6> wrench, twist;                   // scratch, by link
  std::vector<int> freeIndex;                        // of each degree of freedom, or -1
  MatX gains;
  double factoredFor = 0;
  VecX none;                    // a volume of no link
  std::vector<VecX> condensed;  // gradients
};

SealedLinkSystem::SealedLinkSystem(const std::vector<SealedBodyPlan>& plans,
                                   const skeleton::Model& tree)
    : data_(std::make_unique<Data>(tree)) {
  for (const SealedBodyPlan& plan : plans) {
    data_->parts.emplace_back(plan, tree, data_->size);
    data_->size += 3 * data_->parts.back().size();
  }
  data_->none = VecX::Zero(tree.dofCount());
  data_->condensed.assign(plans.size(), data_->none);
}

SealedLinkSystem::~SealedLinkSystem() = default;

SealedState SealedLinkSystem::makeState(const skeleton::Kinematics& k) const {
  SealedState s;
  s.position.resize(data_->size);
  s.velocity.resize(data_->size);
  for (const SealedPart& part : data_->parts)
    for (Eigen::Index i = 0; i < part.size(); ++i) {
      const Vec3 place = part.carriedPlace(k, i);
      const int link = part.plan().carrier[static_cast<std::size_t>(i)];
      part.in(s.position).row(i) = place.transpose();
      part.in(s.velocity).row(i) = skeleton::pointVelocity(k, link, place).transpose();
    }
  return s;
}

void SealedLinkSystem::bind(SealedState& state) {
  data_->state = &state;
}

int SealedLinkSystem::count() const {
  return static_cast<int>(data_->parts.size());
}

double SealedLinkSystem::mass() const {
  double sum = 0;
  for (const SealedPart& part : data_->parts) sum += part.plan().config.mass;
  return sum;
}

Vec3 SealedLinkSystem::momentum(const SealedState& s) const {
  Vec3 sum = Vec3::Zero();
  for (const SealedPart& part : data_->parts)
    sum += part.vertexMass() * part.in(s.velocity).colwise().sum().transpose();
  return sum;
}

double SealedLinkSystem::largestVolumeError(const SealedState& s) const {
  double most = 0;
  for (const SealedPart& part : data_->parts)
    most = std::max(most, std::abs(part.volumeOf(s) / part.restVolume() - 1));
  return most;
}

double SealedLinkSystem::largestSwing(const SealedState& s, const skeleton::Kinematics& k) const {
  double most = 0;
  for (const SealedPart& part : data_->parts)
    for (Eigen::Index i = 0; i < part.size(); ++i)
      most =
          std::max(most, (part.in(s.position).row(i).transpose() - part.carriedPlace(k, i)).norm());
  return most;
}

void SealedLinkSystem::readVertices(const SealedState& s, std::size_t body,
                                    std::span<Vec3> out) const {
  const SealedPart& part = data_->parts[body];
  for (Eigen::Index i = 0; i < part.size(); ++i)
    out[static_cast<std::size_t>(i)] = part.in(s.position).row(i).transpose();
}

void SealedLinkSystem::carry(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                             std::span<const std::uint8_t> known, double) {
  Data& d = *data_;
  PNEUMA_CHECK(d.state != nullptr, "soft bodies step without a state");
  d.kinematics = &k;
  d.acceleration.assign(acceleration.begin(), acceleration.end());
  for (SealedPart& part : d.parts) part.setKnown(known);
}

void SealedLinkSystem::evaluate(const skeleton::Model& model, const skeleton::State&,
                                const skeleton::Kinematics& k, double h, VecX& force) {
  Data& d = *data_;
  for (SealedPart& part : d.parts) part.evaluate(k, *d.state, d.acceleration, model.gravity, h);
  d.project(
      d.parts, [](const SealedPart& p) -> const auto& { return p.held(); }, force);
}

/// The own block serves as long as the step keeps its size; what ties bodies to links that move
/// freely is that of the step.
bool SealedLinkSystem::linearise(const skeleton::State&, std::span<const std::uint8_t> prescribed,
                                 double h) {
  Data& d = *data_;
  const bool anew = d.factoredFor != h;
  if (anew)
    for (SealedPart& part : d.parts) part.factor(h);
  d.factoredFor = h;
  d.freeIndex.assign(prescribed.size(), -1);
  int free = 0;
  for (std::size_t j = 0; j < prescribed.size(); ++j)
    if (!prescribed[j]) d.freeIndex[j] = free++;
  d.gains.setZero(free, free);
  bool coupled = false;
  for (SealedPart& part : d.parts) {
    if (!part.coupled()) continue;
    coupled = true;
    part.condense(d.kinematics->origin);
    part.addGains(d.tree, *d.kinematics, d.freeIndex, d.gains);
  }
  return anew || coupled;
}

void SealedLinkSystem::addGains(MatX& gains) const {
  gains += data_->gains;
}

void SealedLinkSystem::solve() {
  Data& d = *data_;
  for (std::size_t i = 0; i < d.parts.size(); ++i) {
    d.parts[i].solve(d.kinematics->origin);
    d.condensed[i].setZero();
    d.project(
        std::span(d.parts).subspan(i, 1),
        [](const SealedPart& p) -> const auto& { return p.pressed(); }, d.condensed[i]);
  }
}

void SealedLinkSystem::addReaction(VecX& residual) const {
  data_->project(
      data_->parts, [](const SealedPart& p) -> const auto& { return p.pulled(); }, residual);
}

double SealedLinkSystem::pressureGain(int k) const {
  return data_->parts[at(k)].pressureGain();
}
const VecX& SealedLinkSystem::pressureGradient(int) const {
  return data_->none;
}
const VecX& SealedLinkSystem::condensedGradient(int k) const {
  return data_->condensed[at(k)];
}
double SealedLinkSystem::gradientOfMotion(int k) const {
  return data_->parts[at(k)].gradientOfMotion();
}
double SealedLinkSystem::gradientOfGradient(int k, int j) const {
  return k == j ? data_->parts[at(k)].gradientOfGradient() : 0;
}

void SealedLinkSystem::check(std::span<const double> factors, const VecX& dv, double time) {
  Data& d = *data_;
  for (std::size_t l = 0; l < d.tree.links.size(); ++l) {
    const skeleton::Link& link = d.tree.links[l];
    d.twist[l] = link.parent < 0 ? Vec6(Vec6::Zero()) : d.twist[at(link.parent)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      if (d.freeIndex[at(j)] >= 0) d.twist[l] += dv[j] * d.kinematics->axis[at(j)];
  }
  for (std::size_t i = 0; i < d.parts.size(); ++i) {
    d.parts[i].answer(d.twist, factors[i]);
    if (!d.parts[i].finite())
      throw SimulationError(time, "soft body '" + d.parts[i].plan().name + "'",
                            "its vertices are not at finite places");
  }
}

void SealedLinkSystem::advance(std::span<const double>, double h) {
  for (const SealedPart& part : data_->parts) part.advance(*data_->state, h);
}

double SealedLinkSystem::elasticEnergy() const {
  double sum = 0;
  for (const SealedPart& part : data_->parts) sum += part.elasticEnergy(*data_->kinematics);
  return sum;
}

double SealedLinkSystem::kineticEnergy() const {
  double sum = 0;
  for (const SealedPart& part : data_->parts)
    sum += 0.5 * part.vertexMass() * part.in(data_->state->velocity).squaredNorm();
  return sum;
}

}  // namespace pneuma::flesh
