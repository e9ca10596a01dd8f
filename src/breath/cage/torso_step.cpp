#include "pneuma/breath/torso_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breath/cage/torso_workspace.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"

namespace pneuma::breath {
namespace {

using Data = TorsoWorkspace::Data;
using internal::RigidIndex;

/// Ribs resist turning on the spine: friction (Eq. 3) and the stiffness of their joints.
void addJoints(const TorsoModel& m, const TorsoState& s, Data& d) {
  const RigidIndex index(m);
  for (int body = 1; body < kSternum; ++body) {
    const RibState& rib = s.ribs[static_cast<std::size_t>(body - 1)];
    if (index.perRib == 1) {
      d.rigidForce[index.rib(body)] -=
          m.config.jointFriction * rib.rate +
          m.jointStiffness[static_cast<std::size_t>(body - 1)] * rib.angle;
    } else {
      d.rigidForce.segment<3>(index.rib(body)) -=
          m.config.jointFriction * (d.placement.rotation[kSpine] * rib.spin);
    }
  }
}

/// The constant loads of what is not modelled.
void addRestLoads(const TorsoModel& m, Data& d) {
  for (std::size_t i = 0; i < m.particleMass.size(); ++i) {
    d.force.x[i] += m.restLoad.x[i];
    d.force.y[i] += m.restLoad.y[i];
    d.force.z[i] += m.restLoad.z[i];
  }
  d.rigidForce += m.restRigidLoad;
}

/// What lies around the gut resists its motion.
void addDrag(const TorsoModel& m, Data& d) {
  if (m.config.gutDrag == 0) return;
  for (std::size_t i = 0; i < m.particleMass.size(); ++i) {
    const double c = m.config.gutDrag * m.particleMass[i];
    d.force.x[i] -= c * d.velocity.x[i];
    d.force.y[i] -= c * d.velocity.y[i];
    d.force.z[i] -= c * d.velocity.z[i];
  }
}

/// Penalty contact of the ball with the nodes of the wall, equal and opposite.
void addBall(const TorsoModel& m, TorsoState& s, Data& d, double h) {
  BallState& ball = s.ball;
  if (!ball.present) return;
  Vec3 total = ball.mass * ball.gravity;
  double stiffness = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.layout.particles); ++i) {
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

/// The change of velocity for the forces in `d`, pressure stiffness included.
void solve(const TorsoModel& m, Data& d, double h) {
  d.rigidForce *= h;
  d.rigidInertia.factor(m, d.placement, d.rigidGains);
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  for (std::size_t i = 0; i < particles; ++i)
    d.rows[i] = {h * d.force.x[i],    h * d.force.y[i],    h * d.force.z[i],
                 d.domeGradient.x[i], d.domeGradient.y[i], d.domeGradient.z[i]};
  d.particles.solve(d.rows);
  d.rigidGradient.setZero();
  internal::collectRigid(m, d, d.domeGradient, d.rigidGradient);
  d.rigidSolution = d.rigidGradient;
  d.rigidInertia.solve(d.rigidForce);
  d.rigidInertia.solve(d.rigidSolution);

  // Sherman-Morrison for c g g^T.
  const double c = 0.5 * h * h * m.gut.stiffness(d.reading.gutVolume);
  double gy = d.rigidGradient.dot(d.rigidForce), gz = d.rigidGradient.dot(d.rigidSolution);
  for (std::size_t i = 0; i < particles; ++i) {
    const double x = d.domeGradient.x[i], y = d.domeGradient.y[i], z = d.domeGradient.z[i];
    gy += x * d.rows[i][0] + y * d.rows[i][1] + z * d.rows[i][2];
    gz += x * d.rows[i][3] + y * d.rows[i][4] + z * d.rows[i][5];
  }
  const double factor = c * gy / (1 + c * gz);
  d.rigidForce -= factor * d.rigidSolution;
  for (auto& row : d.rows)
    for (std::size_t k = 0; k < 3; ++k) row[k] -= factor * row[k + 3];
}

/// Throws when the new velocities are not finite or absurd; the state is still the old one.
void checkFinite(const TorsoModel& m, const TorsoState& s, const Data& d) {
  constexpr double kFastest = 1e3;  // [m/s]; nothing in a torso gets near the speed of sound
  double sum = d.rigidForce.cwiseAbs().sum();
  for (const auto& row : d.rows) sum += std::abs(row[0]) + std::abs(row[1]) + std::abs(row[2]);
  if (sum < kFastest * static_cast<double>(d.rows.size())) return;
  const auto bad = [](double v) { return !(std::abs(v) < kFastest); };
  std::string part = "pressure of the gut";
  const RigidIndex index(m);
  for (int body = 0; body < kBodyCount; ++body) {
    const int i = body == kSternum ? index.sternum() : body == kSpine ? 0 : index.rib(body);
    if (bad(d.rigidForce[i])) part = bodyName(body);
  }
  for (std::size_t i = 0; i < d.rows.size(); ++i)
    if (bad(d.rows[i][0]) || bad(d.rows[i][1]) || bad(d.rows[i][2])) {
      part = fmt::format("point {} of the gut", i);
      break;
    }
  throw SimulationError(s.time, part,
                        "the motion is not finite: the drive, the stiffness or the "
                        "step is too large");
}

}  // namespace

TorsoWorkspace::TorsoWorkspace() : data_(std::make_unique<Data>()) {}
TorsoWorkspace::~TorsoWorkspace() = default;
TorsoWorkspace::TorsoWorkspace(TorsoWorkspace&&) noexcept = default;
TorsoWorkspace& TorsoWorkspace::operator=(TorsoWorkspace&&) noexcept = default;
const TorsoReading& TorsoWorkspace::reading() const {
  return data_->reading;
}
const PointArray& TorsoWorkspace::points() const {
  return data_->position;
}
const std::vector<double>& TorsoWorkspace::tensions() const {
  return data_->tensions;
}
const std::vector<double>& TorsoWorkspace::lengths() const {
  return data_->lengths;
}

void TorsoWorkspace::Data::prepare(const TorsoModel& m) {
  if (model == &m) return;
  model = &m;
  h = 0;
  const auto total = static_cast<std::size_t>(m.layout.total());
  position = m.rest;
  velocity.resize(total);
  velocity.setZero();
  force.resize(total);
  for (PointArray* g : {&domeGradient, &wallGradient, &cageGradient}) {
    g->resize(total);
    g->setZero();
  }
  local.resize(static_cast<std::size_t>(m.layout.bodyPoints));
  for (std::size_t b = 0; b < kBodyCount; ++b)
    for (int i = m.bodyPointRange[b]; i < m.bodyPointRange[b + 1]; ++i)
      local.set(static_cast<std::size_t>(i),
                m.rest[static_cast<std::size_t>(m.layout.bodyBegin() + i)] - m.parts[b].origin);
  std::vector<bool> used(total, false);
  for (const auto* faces : {&m.dome, &m.wall, &m.cage})
    for (const Triangle& t : *faces)
      for (const std::int32_t i : t) used[static_cast<std::size_t>(i)] = true;
  for (const BlendPoint& blend : m.blends)  // they receive what their blend collects
    for (const std::int32_t i : blend.points) used[static_cast<std::size_t>(i)] = true;
  surfacePoints.clear();
  for (int i = 0; i < m.layout.fixedBegin(); ++i)
    if (used[static_cast<std::size_t>(i)]) surfacePoints.push_back(i);
  const RigidIndex index(m);
  rigidForce.setZero(index.size());
  rigidGradient.setZero(index.size());
  rows.assign(static_cast<std::size_t>(m.layout.particles), {});
  tensions.assign(m.springs.size(), 0);
  lengths = m.springs.restLength;
}

void TorsoWorkspace::Data::setStep(const TorsoModel& m, double dt) {
  if (h == dt) return;
  h = dt;
  rigidGains = internal::computeRigidGains(m, dt);
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

namespace internal {

void computeForces(const TorsoModel& m, const TorsoState& s, const MuscleDrive& drive, Data& d) {
  placePoints(m, s, d);
  readVolumes(m, d);
  d.force.setZero();
  addSprings(m, drive, d);
  addPins(m, d);
  addPressures(m, d);
  d.rigidForce.setZero();
  collectRigid(m, d, d.force, d.rigidForce);
  addJoints(m, s, d);
}

void balanceRest(TorsoModel& m) {
  Data d;
  d.prepare(m);
  computeForces(m, makeRestState(m), MuscleDrive(), d);
  const auto n = static_cast<std::size_t>(m.layout.particles);
  m.restLoad.resize(n);
  for (std::size_t i = 0; i < n; ++i) m.restLoad.set(i, -d.force[i]);
  m.restRigidLoad = -d.rigidForce;
}

}  // namespace internal

BallState makeLeadBall(const TorsoModel& m, double mass, double drop) {
  constexpr double kLead = 11340;  // [kg/m^3]
  BallState ball;
  ball.present = true;
  ball.mass = mass;
  // Not smaller than the mesh of the wall, whose points it meets.
  ball.radius = std::max(0.03, std::cbrt(3 * mass / (4 * kPi * kLead)));
  ball.gravity = {0, 0, -kGravity};
  const Vec3 navel = m.rest[static_cast<std::size_t>(m.landmarks.belly)];
  ball.position = navel + Vec3(0, 0, ball.radius + drop);
  return ball;
}

TorsoState makeRestState(const TorsoModel& m) {
  TorsoState s;
  const auto n = static_cast<std::size_t>(m.layout.particles);
  s.position.resize(n);
  s.velocity.resize(n);
  for (std::size_t i = 0; i < n; ++i) s.position.set(i, m.rest[i]);
  s.spine.position = m.parts[kSpine].origin;
  s.sternum.position = m.parts[kSternum].origin;
  return s;
}

void updatePoints(const TorsoModel& m, const TorsoState& s, TorsoWorkspace& w) {
  Data& d = w.data();
  d.prepare(m);
  internal::placePoints(m, s, d);
  internal::readVolumes(m, d);
}

void step(const TorsoModel& m, TorsoState& s, const MuscleDrive& drive, TorsoWorkspace& w,
          double dt) {
  Data& d = w.data();
  d.prepare(m);
  d.setStep(m, dt);
  internal::computeForces(m, s, drive, d);
  addBall(m, s, d, dt);
  addDrag(m, d);
  addRestLoads(m, d);
  internal::addBias(m, d.placement, d.rigidForce);
  solve(m, d, dt);
  checkFinite(m, s, d);

  internal::advance(m, d.rigidForce, dt, s);
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    s.velocity.x[i] += d.rows[i][0];
    s.velocity.y[i] += d.rows[i][1];
    s.velocity.z[i] += d.rows[i][2];
    s.position.x[i] += dt * s.velocity.x[i];
    s.position.y[i] += dt * s.velocity.y[i];
    s.position.z[i] += dt * s.velocity.z[i];
  }
  ++s.steps;
  s.time += dt;
}

Pose bodyPose(const TorsoModel& m, const TorsoState& s, int body) {
  internal::RigidPlacement p;
  p.update(m, s);
  const auto b = static_cast<std::size_t>(body);
  return {p.rotation[b], p.origin[b]};
}

void TorsoState::save(io::StateWriter& out) const {
  out.put(time);
  out.put(steps);
  for (const PointArray* p : {&position, &velocity}) {
    out.put(p->x);
    out.put(p->y);
    out.put(p->z);
  }
  const auto free = [&](const FreeBodyState& b) {
    out.put(b.position);
    out.put(Vec3(b.rotation.vec()));
    out.put(b.rotation.w());
    out.put(b.velocity);
    out.put(b.spin);
  };
  free(spine);
  free(sternum);
  for (const RibState& r : ribs) {
    out.put(Vec3(r.rotation.vec()));
    out.put(r.rotation.w());
    out.put(r.spin);
    out.put(r.angle);
    out.put(r.rate);
  }
  out.put(ball.present);
  for (const double v : {ball.radius, ball.mass, ball.contactStiffness}) out.put(v);
  for (const Vec3& v : {ball.gravity, ball.position, ball.velocity}) out.put(v);
}

void TorsoState::load(io::StateReader& in) {
  in.get(time);
  in.get(steps);
  for (PointArray* p : {&position, &velocity}) {
    in.get(p->x);
    in.get(p->y);
    in.get(p->z);
  }
  const auto rotation = [&](Quat& q) {
    Vec3 v;
    in.get(v);
    const double w = in.get<double>();
    q = Quat(w, v.x(), v.y(), v.z());
  };
  for (FreeBodyState* b : {&spine, &sternum}) {
    in.get(b->position);
    rotation(b->rotation);
    in.get(b->velocity);
    in.get(b->spin);
  }
  for (RibState& r : ribs) {
    rotation(r.rotation);
    in.get(r.spin);
    in.get(r.angle);
    in.get(r.rate);
  }
  in.get(ball.present);
  for (double* v : {&ball.radius, &ball.mass, &ball.contactStiffness}) in.get(*v);
  for (Vec3* v : {&ball.gravity, &ball.position, &ball.velocity}) in.get(*v);
}

std::string TorsoState::hash() const {
  io::StateWriter out;
  save(out);
  return Hash64().bytes(out.bytes().data(), out.bytes().size()).hex();
}

}  // namespace pneuma::breath
