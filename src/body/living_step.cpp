#include "pneuma/body/living_step.h"

#include <cmath>

#include "body/cartilage_follower.h"
#include "body/held_weight.h"
#include "pneuma/core/hash.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::body {

/// The engine's step and everything attached to it.
struct LivingWorkspace::Data {
  explicit Data(const LivingModel& m)
      : cage(m.cage, m.tree),
        springs(m.springs),
        bellies(m.bellies.empty() ? nullptr
                                  : std::make_unique<flesh::BellySystem>(m.bellies, m.tree)),
        gridMuscles(makeGridMuscles(m)),
        shoulderBodies(m.shoulderBodies.empty()
                           ? nullptr
                           : std::make_unique<flesh::SealedLinkSystem>(m.shoulderBodies, m.tree)),
        held(m),
        step(m.tree, {&joints, &springs, &held}, parts()),
        followers(internal::findFollowers(m)),
        before(m.tree),
        target(VecX::Zero(m.tree.dofCount())),
        effort(target),
        difference(target),
        q(m.tree.neutral) {}

  using GridMuscles = std::vector<std::unique_ptr<flesh::GridLinkSystem>>;
  static GridMuscles makeGridMuscles(const LivingModel& m) {
    GridMuscles all;
    for (const flesh::GridMusclePlan& plan : m.gridMuscles)
      all.push_back(std::make_unique<flesh::GridLinkSystem>(plan, m.tree));
    return all;
  }

  std::vector<skeleton::Subsystem*> parts() {
    std::vector<skeleton::Subsystem*> all{&cage};
    if (bellies) all.push_back(bellies.get());
    for (const auto& muscle : gridMuscles) all.push_back(muscle.get());
    if (shoulderBodies) all.push_back(shoulderBodies.get());
    return all;
  }

  breath::CageSystem cage;
  skeleton::JointResistanceSource joints;
  skeleton::LinkElementSource springs;
  std::unique_ptr<flesh::BellySystem> bellies;
  GridMuscles gridMuscles;
  std::unique_ptr<flesh::SealedLinkSystem> shoulderBodies;
  internal::HeldWeight held;
  skeleton::StepWorkspace step;
  std::vector<internal::CartilageFollower> followers;
  skeleton::Kinematics before;  // of the step at hand
  VecX target, effort, difference, q;
};

namespace {

/// Of the chest as its joints are told to move; nothing when one of them is free.
std::optional<Vec6> chestAcceleration(const LivingModel& m, const LivingWorkspace::Data& d) {
  const int chest = m.cage.carriers.chest;
  Vec6 a = d.before.biasAcceleration[static_cast<std::size_t>(chest)];
  for (const skeleton::DofRange& range : m.tree.ancestorRanges(chest))
    for (int j = range.begin; j < range.end; ++j) {
      if (!m.given[static_cast<std::size_t>(j)]) return std::nullopt;
      a += d.target[j] * d.before.axis[static_cast<std::size_t>(j)];
    }
  return a;
}

/// Accelerations that bring the given joints to the motion's place at the step's end, and
/// cartilages to their ribs.
void aim(const LivingModel& m, const LivingState& s, const LivingInputs& inputs, double h,
         LivingWorkspace::Data& d) {
  d.target = -s.tree.v / h;
  if (inputs.motion != nullptr && !inputs.motion->empty()) {
    inputs.motion->sample(s.tree.time + h, d.q);
    skeleton::configurationDifference(m.tree, s.tree.q, d.q, d.difference);
    d.target += d.difference / (h * h);
  }
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, d.before);
  d.held.carry(chestAcceleration(m, d));
  for (const internal::CartilageFollower& f : d.followers)
    internal::lead(m, f, d.before, s.tree, h, d.target);
}

/// Fastest particle against the frame of its carriers, here held still.
double fastestParticle(const breath::CageState& s) {
  double fastest = 0;
  for (std::size_t i = 0; i < s.velocity.size(); ++i)
    fastest = std::max(fastest, s.velocity[i].squaredNorm());
  return std::sqrt(fastest);
}

}  // namespace

void LivingState::save(io::StateWriter& out) const {
  out.put(steps);
  out.put(tree.time);
  out.put(tree.q);
  out.put(tree.v);
  cage.save(out);
  if (bellies.position.size() > 0) bellies.save(out);
  for (const flesh::GridState& g : gridMuscles) out.put(g.time), out.put(g.q), out.put(g.v);
  if (shoulderBodies.position.size() > 0) shoulderBodies.save(out);
}

void LivingState::load(io::StateReader& in) {
  in.get(steps);
  in.get(tree.time);
  in.get(tree.q);
  in.get(tree.v);
  cage.load(in);
  if (bellies.position.size() > 0) bellies.load(in);
  for (flesh::GridState& g : gridMuscles) in.get(g.time), in.get(g.q), in.get(g.v);
  if (shoulderBodies.position.size() > 0) shoulderBodies.load(in);
}

std::string LivingState::hash() const {
  io::StateWriter out;
  save(out);
  return Hash64().bytes(out.bytes().data(), out.bytes().size()).hex();
}

LivingWorkspace::LivingWorkspace(const LivingModel& model) : data_(std::make_unique<Data>(model)) {}
LivingWorkspace::~LivingWorkspace() = default;
LivingWorkspace::LivingWorkspace(LivingWorkspace&&) noexcept = default;

const breath::CageSystem& LivingWorkspace::cage() const {
  return data_->cage;
}
breath::CageSystem& LivingWorkspace::cage() {
  return data_->cage;
}
const flesh::BellySystem* LivingWorkspace::bellies() const {
  return data_->bellies.get();
}
const flesh::GridLinkSystem& LivingWorkspace::gridMuscle(std::size_t i) const {
  return *data_->gridMuscles.at(i);
}
const flesh::SealedLinkSystem* LivingWorkspace::shoulderBodies() const {
  return data_->shoulderBodies.get();
}
const skeleton::Kinematics& LivingWorkspace::kinematics() const {
  return data_->step.dynamics.kinematics;
}
const VecX& LivingWorkspace::effort() const {
  return data_->effort;
}

LivingState makeLivingState(const LivingModel& m, const VecX& q) {
  LivingState s;
  s.tree = skeleton::makeState(m.tree);
  s.tree.q = q;
  skeleton::Kinematics kinematics(m.tree);
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, kinematics);
  s.cage = breath::makeCageState(m.cage, m.tree, kinematics);
  if (!m.bellies.empty()) s.bellies = flesh::BellySystem(m.bellies, m.tree).makeState(kinematics);
  for (const flesh::GridMusclePlan& plan : m.gridMuscles)
    s.gridMuscles.push_back(flesh::GridLinkSystem(plan, m.tree).makeState(kinematics));
  if (!m.shoulderBodies.empty())
    s.shoulderBodies = flesh::SealedLinkSystem(m.shoulderBodies, m.tree).makeState(kinematics);
  return s;
}

void step(const LivingModel& m, LivingState& s, const LivingInputs& inputs, LivingWorkspace& w,
          double h) {
  LivingWorkspace::Data& d = w.data();
  d.cage.bind(s.cage, inputs.drive);
  if (d.bellies) d.bellies->bind(s.bellies);
  for (std::size_t i = 0; i < d.gridMuscles.size(); ++i) d.gridMuscles[i]->bind(s.gridMuscles[i]);
  if (d.shoulderBodies) d.shoulderBodies->bind(s.shoulderBodies);
  aim(m, s, inputs, h, d);
  skeleton::stepImplicitHybrid(m.tree, m.given, d.target, s.tree, d.step, h, d.effort);
  ++s.steps;
}

void refresh(const LivingModel& m, const LivingState& s, LivingWorkspace& w) {
  LivingWorkspace::Data& d = w.data();
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, d.step.dynamics.kinematics);
  d.cage.place(s.cage, d.step.dynamics.kinematics);
  if (d.bellies) d.bellies->place(s.bellies, d.step.dynamics.kinematics);
}

Settled settle(const LivingModel& m, LivingState& s, LivingWorkspace& w, double h, double seconds) {
  constexpr double kStill = 1e-4;    // [m/s]
  constexpr int kBetweenStops = 25;  // steps after which velocities are taken out
  // Where a wall is slack, in a lap, nothing but the gut's drag holds it across: short steps let it
  // come to rest, and it needs time.
  constexpr double kStride = 0.002;  // [s]
  const double stride = std::min(h, kStride), most = 2 * seconds;
  const double time = s.tree.time;
  const LivingInputs held;
  Settled result;
  while (result.seconds < most) {
    for (int i = 0; i < kBetweenStops; ++i) step(m, s, held, w, stride);
    result.seconds += kBetweenStops * stride;
    result.residualSpeed = fastestParticle(s.cage);
    const auto fastest = [](const VecX& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0; };
    if (result.residualSpeed < kStill && fastest(s.bellies.velocity) < 10 * kStill &&
        fastest(s.shoulderBodies.velocity) < 10 * kStill &&
        s.tree.v.cwiseAbs().maxCoeff() < 10 * kStill)
      break;
    // Kinetic energy is what keeps the soft parts from rest: a fraction of it goes each time.
    s.tree.v *= 0.5;
    s.bellies.velocity *= 0.5;
    s.shoulderBodies.velocity *= 0.5;
    for (flesh::GridState& g : s.gridMuscles) g.v *= 0.5;
    for (auto* axis : {&s.cage.velocity.x, &s.cage.velocity.y, &s.cage.velocity.z})
      for (double& v : *axis) v *= 0.5;
  }
  s.tree.v.setZero();
  s.cage.velocity.setZero();
  s.bellies.velocity.setZero();
  s.shoulderBodies.velocity.setZero();
  for (flesh::GridState& g : s.gridMuscles) g.v.setZero(), g.time = time;
  s.tree.time = time;
  s.steps = 0;
  refresh(m, s, w);
  result.lungVolume = w.cage().reading().lungVolume;
  result.gutVolume = w.cage().reading().gutVolume;
  return result;
}

}  // namespace pneuma::body
