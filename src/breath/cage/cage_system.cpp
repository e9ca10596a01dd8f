#include "pneuma/breath/cage_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breath/cage/cage_forces.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"

namespace pneuma::breath {
namespace {

using internal::CageData;

void putPoints(io::StateWriter& out, const PointArray& p) {
  out.put(p.x);
  out.put(p.y);
  out.put(p.z);
}

void getPoints(io::StateReader& in, PointArray& p) {
  in.get(p.x);
  in.get(p.y);
  in.get(p.z);
}

/// Penalty contact of the ball with the nodes of the wall, equal and opposite.
void addBall(double h, CageData& d) {
  BallState& ball = d.ball = d.state->ball;
  if (!ball.present) return;
  Vec3 total = ball.mass * ball.gravity;
  double stiffness = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.model.layout.particles); ++i) {
    const Vec3 away = d.position[i].vector() - ball.position;
    const double distance = away.norm();
    if (distance >= ball.radius || distance < 1e-9) continue;
    const Vec3 f = ball.contactStiffness * (ball.radius - distance) / distance * away;
    d.force[i] = internal::Quad(d.force[i].vector() + f);
    total -= f;
    stiffness += ball.contactStiffness;
  }
  // The ball's own inertia carries the contact stiffness, as everywhere.
  ball.velocity += h / (ball.mass + 0.5 * h * h * stiffness) * total;
  ball.position += h * ball.velocity;
}

/// Acceleration of a point that moves with a link [m/s^2].
Vec3 pointAcceleration(const Vec6& acceleration, const Vec6& velocity, const Vec3& arm) {
  const Vec3 w = velocity.head<3>();
  const Vec3 v = velocity.tail<3>() + w.cross(arm);
  return acceleration.tail<3>() + acceleration.head<3>().cross(arm) + w.cross(v);
}

/// Pressure of the lungs at the end of the step, if the cavity went on as it does, and its gain:
/// gas wholly at the step's end, for it is stiff and only damps; recoil as all springs.
void addLungs(double h, CageData& d) {
  const Lungs& lungs = d.model.lungs;
  const double gas = d.reading.lungVolume - lungs.tissue;
  const Lungs::Alveoli end = internal::endOfStep(d, h * d.cavityRate);
  d.reading.alveolarPressure = end.pressure;
  d.reading.lungPressure = end.pressure - lungs.recoil(gas) -
                           lungs.relaxingPressure(gas, d.state->relaxed) + lungs.recoil(lungs.rest);
  d.gains[1] = h * h * (end.stiffness + 0.5 * lungs.stiffness(gas));
}

std::uint64_t stampOf(const TangentPoint& at) {
  Hash64 hash;
  hash.values({at.q.data(), static_cast<std::size_t>(at.q.size())});
  for (const auto* axis : {&at.position.x, &at.position.y, &at.position.z}) hash.values(*axis);
  return std::max<std::uint64_t>(1, hash.values(at.tension).values({&at.tone, 1}).digest());
}

/// How far the trunk lies: 0 upright, 1 lying on any side. One by itself has its posture in its
/// settings.
double lyingPart(const Vec3& gravity, const CageData& d) {
  const TorsoConfig& c = d.model.config;
  if (c.ground) return c.posture == Posture::Supine ? 1 : 0;
  const double weight = gravity.norm();
  if (!(weight > 0)) return 0;
  return std::clamp(1 - std::abs(gravity.dot(d.carrierTurn[0] * Vec3::UnitY())) / weight, 0.0, 1.0);
}

/// From what is asked for to activations of this person in this pose. A breath asks for forces, of
/// which the weak use a larger part of their strength and the strong a smaller one; a trunk that
/// lies leaves more to the diaphragm (TorsoConfig::lyingActivity). The nearer to full effort, the
/// less either counts, for all of it is all of it.
void shiftDrive(double lying, CageData& d) {
  d.drive = *d.bound;
  if (!d.limited) return;
  const double effort =
      1 - std::min(d.drive.ratio[channel::kDiaphragm], d.drive.ratio[channel::kTransverse]);
  const double choice = 1 - std::pow(effort, 4);
  const double need = 1 + (d.need - 1) * choice;
  const double elevators = need * (1 + lying * (d.model.config.lyingActivity - 1) * choice);
  const auto shift = [&](int first, int count, double gain) {
    for (int i = first; i < first + count; ++i) {
      double& r = d.drive.ratio[static_cast<std::size_t>(i)];
      r = std::max(0.0, 1 - gain * (1 - r));
    }
  };
  constexpr int kSpaces = 9;
  shift(channel::kExternal, kSpaces, elevators);
  shift(channel::kInternal, kSpaces, need);
  shift(channel::kLevator, kSpaces, elevators);
  shift(channel::kScalene, 1, elevators);
  shift(channel::kDiaphragm, 1, need);
  shift(channel::kRectus, 1, need);
  shift(channel::kTransverse, 1, need);
}

/// Forces of the springs. When some have left the tangent it is taken anew, here, and they are
/// evaluated again: viscosity acts along the tangent's lines, so that forces and gains agree.
void addTies(const skeleton::State& links, CageData& d) {
  TangentPoint& at = d.state->tangent;
  std::fill(d.force.begin(), d.force.end(), internal::Quad());
  internal::addSprings(d);
  constexpr double kToneAside = 0.05;  // gains need not be exact: the forces are
  if (at.stamp != 0 && !d.left && std::abs(d.tone - at.tone) < kToneAside) return;
  at.q = links.q;
  at.tone = d.tone;
  at.position = d.state->position;
  at.tension = d.tensions;
  at.stamp = stampOf(at);
  std::fill(d.force.begin(), d.force.end(), internal::Quad());
  internal::addSprings(d);
}

/// Elastic energy of the lungs against rest, and that of the gas compressed in them [J].
double lungEnergy(const Lungs& lungs, double cavity, const CageState& s) {
  const double n = s.gas;
  const double gas = cavity - lungs.tissue;
  // Integral of the logarithm: u (ln(u / B) - 1) / K with u = A - V.
  const auto stored = [&](double v) {
    const double u = lungs.A - v;
    return u * (std::log(u / lungs.B) - 1) / lungs.K;
  };
  const double recoil =
      stored(gas) - stored(lungs.rest) - lungs.recoil(lungs.rest) * (gas - lungs.rest);
  const double relaxing = 0.5 * lungs.relaxingPressure(gas, s.relaxed) * (gas - s.relaxed);
  return recoil + relaxing + kDryAtmosphere * (gas - n - n * std::log(gas / n));
}

}  // namespace

void TangentPoint::save(io::StateWriter& out) const {
  out.put(stamp);
  out.put(q);
  putPoints(out, position);
  out.put(tension);
  out.put(tone);
}

void TangentPoint::load(io::StateReader& in) {
  in.get(stamp);
  in.get(q);
  getPoints(in, position);
  in.get(tension);
  in.get(tone);
}

void CageState::save(io::StateWriter& out) const {
  putPoints(out, position);
  putPoints(out, velocity);
  tangent.save(out);
  out.put(gas);
  out.put(relaxed);
  out.put(ball.present);
  for (const double v : {ball.radius, ball.mass, ball.contactStiffness}) out.put(v);
  for (const Vec3& v : {ball.gravity, ball.position, ball.velocity}) out.put(v);
}

void CageState::load(io::StateReader& in) {
  getPoints(in, position);
  getPoints(in, velocity);
  tangent.load(in);
  in.get(gas);
  in.get(relaxed);
  in.get(ball.present);
  for (double* v : {&ball.radius, &ball.mass, &ball.contactStiffness}) in.get(*v);
  for (Vec3* v : {&ball.gravity, &ball.position, &ball.velocity}) in.get(*v);
}

CageState makeCageState(const CageModel& m, const skeleton::Model& tree,
                        const skeleton::Kinematics& k) {
  CageState s;
  s.gas = s.relaxed = m.lungs.rest;
  const auto n = static_cast<std::size_t>(m.layout.particles);
  s.position.resize(n);
  s.velocity.resize(n);
  const std::array<int, 2> carriers{m.carriers.chest, m.carriers.pelvis};
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 p = Vec3::Zero(), v = Vec3::Zero();
    for (std::size_t c = 0; c < 2; ++c) {
      const double share = c == 0 ? m.carriers.chestWeight[i] : 1 - m.carriers.chestWeight[i];
      if (share == 0) continue;
      const auto l = static_cast<std::size_t>(carriers[c]);
      const Vec3 q = k.X_WL[l] * (tree.links[l].X_WL_rest.inverse() * m.rest[i]);
      p += share * q;
      v += share * skeleton::pointVelocity(k, carriers[c], q);
    }
    s.position.set(i, p);
    s.velocity.set(i, v);
  }
  return s;
}

CageSystem::CageSystem(const CageModel& model, const skeleton::Model& tree)
    : data_(std::make_unique<Data>(model, tree)) {}
CageSystem::~CageSystem() = default;

void CageSystem::bind(CageState& state, const MuscleDrive& drive) {
  data_->state = &state;
  data_->bound = &drive;
}

void CageSystem::place(const CageState& state, const skeleton::Kinematics& kinematics) {
  internal::placePoints(state, kinematics, *data_);
  internal::readVolumes(state, *data_);
}

const TorsoReading& CageSystem::reading() const {
  return data_->reading;
}
TorsoReading& CageSystem::reading() {
  return data_->reading;
}
const PointArray& CageSystem::points() const {
  data_->list();
  return data_->positionList;
}
const std::vector<double>& CageSystem::tensions() const {
  return data_->tensions;
}
const std::vector<double>& CageSystem::lengths() const {
  return data_->lengths;
}
const MuscleDrive& CageSystem::drive() const {
  return data_->drive;
}
const PointArray& CageSystem::forces() const {
  data_->list();
  return data_->forceList;
}

double CageSystem::particleMomentum(int axis) const {
  const CageState& s = *data_->state;
  const std::vector<double>& v = axis == 0 ? s.velocity.x : axis == 1 ? s.velocity.y : s.velocity.z;
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += data_->model.particleMass[i] * v[i];
  return sum;
}

void CageSystem::evaluate(const skeleton::Model& tree, const skeleton::State& links,
                          const skeleton::Kinematics& k, double h, VecX& force) {
  Data& d = *data_;
  d.h = h;
  if (!d.placed) internal::placePoints(*d.state, k, d);
  d.placed = false;
  d.carrierOrigin = {k.origin, k.origin};
  internal::readVolumes(*d.state, d);
  if (d.model.lungs.present()) addLungs(h, d);
  const double lying = lyingPart(tree.gravity, d);
  shiftDrive(lying, d);
  internal::setTone(1 + lying * (d.model.config.lyingActivity - 1), d);
  addTies(links, d);
  internal::addPins(d);
  // On the ground of a trunk by itself a moment is not kept anyway.
  if (!d.model.config.ground) internal::addPinCouples(d);
  internal::addPressures(tree.gravity - d.gutAcceleration, k, d);
  addBall(h, d);
  internal::addCarriedLoads(d);
  internal::collectLinks(k, d.all, d.force, d, force);
  force += *d.restLinkLoad;

  d.gradients[0].setZero();
  internal::collectLinks(k, d.onGut, d.gutGradient, d, d.gradients[0]);
  d.gains[0] = 0.5 * h * h * d.model.gut.stiffness(d.reading.gutVolume);
  if (!d.model.lungs.present()) return;
  d.gradients[1].setZero();
  internal::collectLinks(k, d.onLungs, d.lungGradient, d, d.gradients[1]);
}

void CageSystem::carry(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                       std::span<const std::uint8_t> known, double h) {
  Data& d = *data_;
  const auto chest = static_cast<std::size_t>(d.model.carriers.chest);
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  d.carriersKnown = known[chest] && known[pelvis];
  internal::placePoints(*d.state, k, d);
  d.placed = true;  // evaluate comes next
  internal::carryParticles(k, acceleration, h, d);
  d.gutAcceleration.setZero();
  if (!d.carriersKnown) return;
  const Vec3 arm = internal::gutPlace(k, d) - k.origin;
  d.gutAcceleration = 0.5 * (pointAcceleration(acceleration[chest], k.velocity[chest], arm) +
                             pointAcceleration(acceleration[pelvis], k.velocity[pelvis], arm));
}

bool CageSystem::linearise(const skeleton::State& links, std::span<const std::uint8_t> prescribed,
                           double h) {
  Data& d = *data_;
  const TangentPoint& at = d.state->tangent;
  if (d.tangent.builtFor(at, prescribed, h)) return false;
  if (!d.tangent.build(at, prescribed, h))
    throw SimulationError(links.time, "gut", "its points are not at finite places");
  return true;
}

void CageSystem::addGains(MatX& gains) const {
  data_->tangent.addGains(gains);
}

int CageSystem::pressureCount() const {
  return data_->model.lungs.present() ? 2 : 1;
}
double CageSystem::pressureGain(int k) const {
  return data_->gains[static_cast<std::size_t>(k)];
}
const VecX& CageSystem::pressureGradient(int k) const {
  return data_->gradients[static_cast<std::size_t>(k)];
}
const VecX& CageSystem::condensedGradient(int k) const {
  return data_->condensed[static_cast<std::size_t>(k)];
}

void CageSystem::solve() {
  Data& d = *data_;
  internal::gatherSides(d);
  d.tangent.solve(d.rows);
  d.products = internal::productsOf(d.rows);
  for (int k = 0; k < pressureCount(); ++k) {
    const auto p = static_cast<std::size_t>(k);
    d.condensed[p] = d.gradients[p];
    d.tangent.addReaction(1 + k, d.condensed[p]);
  }
}

void CageSystem::addReaction(VecX& residual) const {
  data_->tangent.addReaction(0, residual);
}

double CageSystem::gradientOfMotion(int k) const {
  return data_->products(1 + k, 0) + internal::carriedProduct(*data_, k);
}

double CageSystem::gradientOfGradient(int k, int j) const {
  return data_->products(1 + k, 1 + j);
}

void CageSystem::check(std::span<const double> factors, const VecX& dv, double time) {
  Data& d = *data_;
  const int lost = internal::findChange(factors, dv, d);
  if (lost >= 0)
    throw SimulationError(time, fmt::format("point {} of the gut", lost),
                          "the motion is not finite: the drive, the stiffness or the step is too "
                          "large");
}

void CageSystem::advance(std::span<const double> factors, double h) {
  Data& d = *data_;
  CageState& s = *d.state;
  s.ball = d.ball;
  if (d.model.lungs.present()) {
    // The factor is gain times change of the cavity's rate.
    const double rate = d.cavityRate + factors[1] / d.gains[1];
    const Lungs::Alveoli end = internal::endOfStep(d, h * rate);
    s.gas = end.gas;
    d.reading.flow = -end.flow;
    const Lungs& lungs = d.model.lungs;
    s.relaxed = lungs.relax(d.reading.lungVolume - lungs.tissue + h * rate, s.relaxed, h);
  }
  const auto move = [&](const std::vector<double>& change, std::vector<double>& velocity,
                        std::vector<double>& position) {
    for (std::size_t i = 0; i < change.size(); ++i) {
      velocity[i] += change[i];
      position[i] += h * velocity[i];
    }
  };
  move(d.change.x, s.velocity.x, s.position.x);
  move(d.change.y, s.velocity.y, s.position.y);
  move(d.change.z, s.velocity.z, s.position.z);
}

double CageSystem::elasticEnergy() const {
  const Data& d = *data_;
  const CageModel& m = d.model;
  double energy = 0;
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const double stretch = d.lengths[i] - m.springs.slackLength[i];
    if (stretch > 0 || m.springs.lowest[i] < 0)
      energy += 0.5 * m.springs.passiveAt(i, d.tone) * stretch * stretch;
  }
  for (const Pin& p : m.pins)
    energy += 0.5 * p.stiffness *
              (d.position[static_cast<std::size_t>(p.a)].vector() -
               d.position[static_cast<std::size_t>(p.b)].vector())
                  .squaredNorm();
  // Minus the work of the pressure from the rest state: kappa (V - V0 ln V), Eq. 4 integrated.
  const double v = d.reading.gutVolume, v0 = m.gut.restVolume;
  energy += m.gut.bulkModulus * (v - m.restGut - v0 * std::log(v / m.restGut));
  if (m.lungs.present()) energy += lungEnergy(m.lungs, d.reading.lungVolume, *d.state);
  for (std::size_t i = 0; i < m.particleMass.size(); ++i)
    energy -= (*d.restLoad)[i].dot(d.position[i].vector() - m.rest[i]);
  return energy;
}

double CageSystem::kineticEnergy() const {
  const CageState& s = *data_->state;
  double energy = 0;
  for (std::size_t i = 0; i < s.velocity.size(); ++i)
    energy += 0.5 * data_->model.particleMass[i] * s.velocity[i].squaredNorm();
  return energy;
}

}  // namespace pneuma::breath
