#include "pneuma/breath/cage_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breath/cage/cage_forces.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

using internal::CageData;

/// A column of a relative Jacobian: how one degree of freedom moves one point against another.
struct DofMotion {
  int dof;
  Vec3 velocity;
};

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

/// Jacobians of the cage's points in the neutral configuration.
class RestJacobian {
 public:
  RestJacobian(const CageModel& model, const skeleton::Model& tree)
      : model_(model), tree_(tree), kinematics_(tree) {
    skeleton::computePoses(tree, tree.neutral, kinematics_);
    linkOf_.resize(static_cast<std::size_t>(model.layout.bonePoints));
    for (std::size_t l = 0; l < tree.links.size(); ++l)
      for (int i = model.linkPointRange[l]; i < model.linkPointRange[l + 1]; ++i)
        linkOf_[static_cast<std::size_t>(i)] = static_cast<int>(l);
  }

  /// gains += J^T gain J for the motion of point a against point b; particles move with their
  /// carriers, so that a motion of the whole is not held back.
  void add(int a, int b, const Mat3& gain, MatX& gains) {
    columns_.clear();
    addPoint(a, 1);
    addPoint(b, -1);
    for (const DofMotion& i : columns_) {
      const Vec3 force = gain * i.velocity;
      for (const DofMotion& j : columns_) gains(i.dof, j.dof) += force.dot(j.velocity);
    }
  }

 private:
  void addPoint(int point, double weight) {
    const PointLayout& layout = model_.layout;
    if (point >= layout.fixedBegin()) return;
    if (point < layout.boneBegin()) {
      const double share = model_.carriers.chestWeight[static_cast<std::size_t>(point)];
      addLink(model_.carriers.chest, point, share * weight);
      addLink(model_.carriers.pelvis, point, (1 - share) * weight);
      return;
    }
    if (point >= layout.blendBegin()) {
      const BlendPoint& blend =
          model_.blends[static_cast<std::size_t>(point - layout.blendBegin())];
      for (std::size_t k = 0; k < BlendPoint::kParts; ++k)
        if (blend.weights[k] > 0) addPoint(blend.points[k], weight * blend.weights[k]);
      return;
    }
    addLink(linkOf_[static_cast<std::size_t>(point - layout.boneBegin())], point, weight);
  }
  void addLink(int link, int point, double weight) {
    if (weight == 0) return;
    const Vec3 arm = model_.rest[static_cast<std::size_t>(point)] - kinematics_.origin;
    for (const skeleton::DofRange range : tree_.ancestorRanges(link))
      for (int j = range.begin; j < range.end; ++j) {
        const Vec6& axis = kinematics_.axis[static_cast<std::size_t>(j)];
        columns_.push_back({j, weight * (axis.tail<3>() + axis.head<3>().cross(arm))});
      }
  }

  const CageModel& model_;
  const skeleton::Model& tree_;
  skeleton::Kinematics kinematics_;
  std::vector<int> linkOf_;
  std::vector<DofMotion> columns_;
};

/// Penalty contact of the ball with the nodes of the wall, equal and opposite.
void addBall(double h, CageData& d) {
  BallState& ball = d.ball = d.state->ball;
  if (!ball.present) return;
  Vec3 total = ball.mass * ball.gravity;
  double stiffness = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.model.layout.particles); ++i) {
    const Vec3 away = d.position[i] - ball.position;
    const double distance = away.norm();
    if (distance >= ball.radius || distance < 1e-9) continue;
    const Vec3 f = ball.contactStiffness * (ball.radius - distance) / distance * away;
    d.force.add(i, f);
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

/// Acceleration of all points that move with a link as a function of their arm, a + B arm: the same
/// as pointAcceleration, found once for many points.
struct CarrierAcceleration {
  CarrierAcceleration(const Vec6& acceleration, const Vec6& velocity) {
    const Vec3 w = velocity.head<3>();
    turn = skew(acceleration.head<3>()) + skew(w) * skew(w);
    along = acceleration.tail<3>() + w.cross(velocity.tail<3>());
  }
  Mat3 turn;
  Vec3 along;
};

/// What the carriers' accelerations add to the velocity of each particle in a step.
void carryParticles(const skeleton::Kinematics& k, std::span<const Vec6> acceleration, double h,
                    CageData& d) {
  const auto chest = static_cast<std::size_t>(d.model.carriers.chest);
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  const CarrierAcceleration upper(acceleration[chest], k.velocity[chest]);
  const CarrierAcceleration lower(acceleration[pelvis], k.velocity[pelvis]);
  const bool one = chest == pelvis;
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    const Vec3 arm = d.position[i] - k.origin;
    Vec3 a = upper.along + upper.turn * arm;
    if (!one) {
      const double share = d.model.carriers.chestWeight[i];
      a = share * a + (1 - share) * (lower.along + lower.turn * arm);
    }
    d.carried.set(i, h * a);
  }
}

/// Pressure of the lungs at the end of the step, if the cavity went on as it does, and its gain:
/// gas wholly at the step's end, for it is stiff and only damps; recoil as all springs.
void addLungs(double h, CageData& d) {
  const Lungs& lungs = d.model.lungs;
  const double gas = d.reading.lungVolume - lungs.tissue;
  const Lungs::Alveoli end = internal::endOfStep(d, h * d.cavityRate);
  d.reading.alveolarPressure = end.pressure;
  d.reading.lungPressure = end.pressure - lungs.recoil(gas) + lungs.recoil(lungs.rest);
  d.gains[1] = h * h * (end.stiffness + 0.5 * lungs.stiffness(gas));
}

/// Particles' part of the product of the gradient of volume k (0 gut, 1 lungs) and columns of the
/// solved rows.
double gradientDot(const CageData& d, int k, std::size_t column) {
  const PointArray& g = k == 0 ? d.domeGradient : d.cageGradient;
  double sum = 0;
  for (std::size_t i = 0; i < d.rows.size(); ++i)
    sum += g.x[i] * d.rows[i][column] + g.y[i] * d.rows[i][column + 1] +
           g.z[i] * d.rows[i][column + 2];
  return sum;
}

/// Elastic energy of the lungs against rest, and that of the gas compressed in them [J].
double lungEnergy(const Lungs& lungs, double cavity, double n) {
  const double gas = cavity - lungs.tissue;
  // Integral of the logarithm: u (ln(u / B) - 1) / K with u = A - V.
  const auto stored = [&](double v) {
    const double u = lungs.A - v;
    return u * (std::log(u / lungs.B) - 1) / lungs.K;
  };
  const double recoil =
      stored(gas) - stored(lungs.rest) - lungs.recoil(lungs.rest) * (gas - lungs.rest);
  return recoil + kDryAtmosphere * (gas - n - n * std::log(gas / n));
}

}  // namespace

void CageState::save(io::StateWriter& out) const {
  putPoints(out, position);
  putPoints(out, velocity);
  out.put(gas);
  out.put(ball.present);
  for (const double v : {ball.radius, ball.mass, ball.contactStiffness}) out.put(v);
  for (const Vec3& v : {ball.gravity, ball.position, ball.velocity}) out.put(v);
}

void CageState::load(io::StateReader& in) {
  getPoints(in, position);
  getPoints(in, velocity);
  in.get(gas);
  in.get(ball.present);
  for (double* v : {&ball.radius, &ball.mass, &ball.contactStiffness}) in.get(*v);
  for (Vec3* v : {&ball.gravity, &ball.position, &ball.velocity}) in.get(*v);
}

CageState makeCageState(const CageModel& m, const skeleton::Model& tree,
                        const skeleton::Kinematics& k) {
  CageState s;
  s.gas = m.lungs.rest;
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

CageSystem::Data::Data(const CageModel& m, const skeleton::Model& t) : model(m), tree(t) {
  const auto total = static_cast<std::size_t>(m.layout.total());
  position = m.rest;
  velocity.resize(total);
  velocity.setZero();
  force.resize(total);
  for (PointArray* g : {&domeGradient, &wallGradient, &cageGradient}) {
    g->resize(total);
    g->setZero();
  }
  std::vector<bool> used(total, false);
  for (const auto* faces : {&m.dome, &m.wall, &m.cage})
    for (const Triangle& f : *faces)
      for (const std::int32_t i : f) used[static_cast<std::size_t>(i)] = true;
  for (const BlendPoint& blend : m.blends)  // they receive what their blend collects
    for (const std::int32_t i : blend.points) used[static_cast<std::size_t>(i)] = true;
  double count = 0;
  for (int i = 0; i < m.layout.fixedBegin(); ++i)
    if (used[static_cast<std::size_t>(i)]) surfacePoints.push_back(i);
  for (const auto* faces : {&m.dome, &m.wall})
    for (const Triangle& f : *faces)
      for (const std::int32_t i : f) gutCentre += m.rest[static_cast<std::size_t>(i)], ++count;
  if (count > 0) gutCentre /= count;
  wrench.assign(tree.links.size(), Vec6::Zero());
  gradients.fill(VecX::Zero(tree.dofCount()));
  limited = std::any_of(m.springs.strength.begin(), m.springs.strength.end(),
                        [](double s) { return std::isfinite(s); });
  rows.assign(static_cast<std::size_t>(m.layout.particles), {});
  carried.resize(rows.size());
  carried.setZero();
  tensions.assign(m.springs.size(), 0);
  lengths = m.springs.restLength;
}

void CageSystem::Data::setStep(double dt) {
  if (h == dt) return;
  h = dt;
  const CageModel& m = model;
  std::vector<internal::WeightedEdge> edges;
  const auto add = [&](int a, int b, double weight) {
    const bool freeA = a < m.layout.particles, freeB = b < m.layout.particles;
    if (freeA && freeB) edges.push_back({a, b, weight});
    if (freeA && !freeB) edges.push_back({a, -1, weight});
    if (freeB && !freeA) edges.push_back({b, -1, weight});
  };
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    add(m.springs.a[i], m.springs.b[i],
        dt * m.springs.damping[i] + 0.5 * dt * dt * (m.springs.active[i] + m.springs.passive[i]));
  for (const Pin& p : m.pins) add(p.a, p.b, dt * p.damping + 0.5 * dt * dt * p.stiffness);
  std::vector<double> inertia = m.particleMass;
  for (double& mass : inertia) mass *= 1 + dt * m.config.gutDrag;
  particles = internal::ParticleSolver(inertia, edges);
}

CageSystem::CageSystem(const CageModel& model, const skeleton::Model& tree)
    : data_(std::make_unique<Data>(model, tree)) {}
CageSystem::~CageSystem() = default;

void CageSystem::bind(CageState& state, const MuscleDrive& drive) {
  data_->state = &state;
  data_->drive = &drive;
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
  return data_->position;
}
const std::vector<double>& CageSystem::tensions() const {
  return data_->tensions;
}
const std::vector<double>& CageSystem::lengths() const {
  return data_->lengths;
}
const PointArray& CageSystem::forces() const {
  return data_->force;
}

double CageSystem::particleMomentum(int axis) const {
  const CageState& s = *data_->state;
  const std::vector<double>& v = axis == 0 ? s.velocity.x : axis == 1 ? s.velocity.y : s.velocity.z;
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += data_->model.particleMass[i] * v[i];
  return sum;
}

void CageSystem::addGains(const skeleton::Model& tree, double h, MatX& gains) {
  const CageModel& m = data_->model;
  RestJacobian jacobian(m, tree);
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const int a = m.springs.a[i], b = m.springs.b[i];
    if (a < m.layout.boneBegin() && b < m.layout.boneBegin()) continue;
    const Vec3 n =
        (m.rest[static_cast<std::size_t>(b)] - m.rest[static_cast<std::size_t>(a)]).normalized();
    const double k = m.springs.active[i] + m.springs.passive[i];
    const double gain = h * m.springs.damping[i] + 0.5 * h * h * k;
    // Directions turn with the bones: a part of the gain holds in every direction.
    jacobian.add(a, b, gain * (0.8 * n * n.transpose() + 0.2 * Mat3::Identity()), gains);
  }
  for (const Pin& p : m.pins)
    jacobian.add(p.a, p.b, (h * p.damping + 0.5 * h * h * p.stiffness) * Mat3::Identity(), gains);
}

void CageSystem::evaluate(const skeleton::Model& tree, const skeleton::State&,
                          const skeleton::Kinematics& k, double h, VecX& force) {
  Data& d = *data_;
  d.setStep(h);
  internal::placePoints(*d.state, k, d);
  d.carrierOrigin = {k.origin, k.origin};
  internal::readVolumes(*d.state, d);
  if (d.model.lungs.present()) addLungs(h, d);
  d.force.setZero();
  internal::addSprings(*d.drive, d);
  internal::addPins(d);
  internal::addPressures(d);
  internal::addGutWeight(tree.gravity - d.gutAcceleration, k, d);
  addBall(h, d);
  internal::addCarriedLoads(d);
  internal::collectLinks(k, d.force, d, force);
  force += d.model.restLinkLoad;

  // From here on dome- and cageGradient are those of the volumes (see addPressures).
  d.gradients[0].setZero();
  internal::collectLinks(k, d.domeGradient, d, d.gradients[0]);
  d.gains[0] = 0.5 * h * h * d.model.gut.stiffness(d.reading.gutVolume);
  if (!d.model.lungs.present()) return;
  d.gradients[1].setZero();
  internal::collectLinks(k, d.cageGradient, d, d.gradients[1]);
}

void CageSystem::carry(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                       std::span<const std::uint8_t> known, double h) {
  Data& d = *data_;
  const auto chest = static_cast<std::size_t>(d.model.carriers.chest);
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  d.carriersKnown = known[chest] && known[pelvis];
  d.gutAcceleration.setZero();
  if (!d.carriersKnown) return;
  internal::placePoints(*d.state, k, d);
  carryParticles(k, acceleration, h, d);
  const Vec3 arm = internal::gutPlace(k, d) - k.origin;
  d.gutAcceleration = 0.5 * (pointAcceleration(acceleration[chest], k.velocity[chest], arm) +
                             pointAcceleration(acceleration[pelvis], k.velocity[pelvis], arm));
}

void CageSystem::follow(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                        double h) {
  if (!data_->carriersKnown) carryParticles(k, acceleration, h, *data_);
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

void CageSystem::solve() {
  Data& d = *data_;
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    // Carried by a given motion the gut's inertia is a pressure (see evaluate), else its own.
    const double m = d.carriersKnown ? 0 : d.model.particleMass[i];
    d.rows[i] = {d.h * d.force.x[i] - m * d.carried.x[i],
                 d.h * d.force.y[i] - m * d.carried.y[i],
                 d.h * d.force.z[i] - m * d.carried.z[i],
                 d.domeGradient.x[i],
                 d.domeGradient.y[i],
                 d.domeGradient.z[i],
                 d.cageGradient.x[i],
                 d.cageGradient.y[i],
                 d.cageGradient.z[i]};
  }
  d.particles.solve(d.rows);
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    d.rows[i][0] += d.carried.x[i];
    d.rows[i][1] += d.carried.y[i];
    d.rows[i][2] += d.carried.z[i];
  }
}

double CageSystem::gradientOfMotion(int k) const {
  return gradientDot(*data_, k, 0);
}

double CageSystem::gradientOfGradient(int k, int j) const {
  return gradientDot(*data_, k, 3 * (1 + static_cast<std::size_t>(j)));
}

void CageSystem::check(std::span<const double> factors, double time) {
  Data& d = *data_;
  constexpr double kFastest = 1e3;  // [m/s]; nothing in a torso gets near the speed of sound
  const auto pressures = static_cast<std::size_t>(pressureCount());
  for (auto& row : d.rows)
    for (std::size_t p = 0; p < pressures; ++p)
      for (std::size_t k = 0; k < 3; ++k) row[k] -= factors[p] * row[k + 3 * (1 + p)];
  for (std::size_t i = 0; i < d.rows.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (!(std::abs(d.rows[i][k]) < kFastest))
        throw SimulationError(
            time, fmt::format("point {} of the gut", i),
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
  }
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    s.velocity.x[i] += d.rows[i][0];
    s.velocity.y[i] += d.rows[i][1];
    s.velocity.z[i] += d.rows[i][2];
    s.position.x[i] += h * s.velocity.x[i];
    s.position.y[i] += h * s.velocity.y[i];
    s.position.z[i] += h * s.velocity.z[i];
  }
}

double CageSystem::elasticEnergy() const {
  const Data& d = *data_;
  const CageModel& m = d.model;
  double energy = 0;
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const double stretch = d.lengths[i] - m.springs.slackLength[i];
    if (stretch > 0 || m.springs.lowest[i] < 0)
      energy += 0.5 * m.springs.passive[i] * stretch * stretch;
  }
  for (const Pin& p : m.pins)
    energy +=
        0.5 * p.stiffness *
        (d.position[static_cast<std::size_t>(p.a)] - d.position[static_cast<std::size_t>(p.b)])
            .squaredNorm();
  // Minus the work of the pressure from the rest state: kappa (V - V0 ln V), Eq. 4 integrated.
  const double v = d.reading.gutVolume, v0 = m.gut.restVolume;
  energy += m.gut.bulkModulus * (v - m.restGut - v0 * std::log(v / m.restGut));
  if (m.lungs.present()) energy += lungEnergy(m.lungs, d.reading.lungVolume, d.state->gas);
  for (std::size_t i = 0; i < m.particleMass.size(); ++i)
    energy -= m.restLoad[i].dot(d.position[i] - m.rest[i]);
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
