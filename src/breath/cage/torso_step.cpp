#include "pneuma/breath/torso_step.h"

#include <cmath>

#include "pneuma/core/hash.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::breath {

/// The engine's step and the cage in it.
struct TorsoWorkspace::Data {
  const TorsoModel* model = nullptr;
  std::unique_ptr<CageSystem> cage;
  skeleton::JointResistanceSource joints;
  std::unique_ptr<skeleton::StepWorkspace> step;
  std::vector<std::uint8_t> prescribed;  // nothing
  VecX target, tau;

  void prepare(const TorsoModel& m) {
    if (model == &m) return;
    model = &m;
    cage = std::make_unique<CageSystem>(m, m.tree);
    step = std::make_unique<skeleton::StepWorkspace>(m.tree,
                                                     std::vector<skeleton::LoadSource*>{&joints},
                                                     std::vector<skeleton::Subsystem*>{cage.get()});
    prescribed.assign(static_cast<std::size_t>(m.tree.dofCount()), 0);
    target = tau = VecX::Zero(m.tree.dofCount());
  }
};

TorsoWorkspace::TorsoWorkspace() : data_(std::make_unique<Data>()) {}
TorsoWorkspace::~TorsoWorkspace() = default;
TorsoWorkspace::TorsoWorkspace(TorsoWorkspace&&) noexcept = default;
TorsoWorkspace& TorsoWorkspace::operator=(TorsoWorkspace&&) noexcept = default;
const CageSystem& TorsoWorkspace::cage() const {
  return *data_->cage;
}
const TorsoReading& TorsoWorkspace::reading() const {
  return data_->cage->reading();
}
TorsoReading& TorsoWorkspace::reading() {
  return data_->cage->reading();
}
const PointArray& TorsoWorkspace::points() const {
  return data_->cage->points();
}
const std::vector<double>& TorsoWorkspace::tensions() const {
  return data_->cage->tensions();
}
const std::vector<double>& TorsoWorkspace::lengths() const {
  return data_->cage->lengths();
}

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
  s.tree = skeleton::makeState(m.tree);
  s.cage = makeCageState(m, m.tree, torsoKinematics(m, s));
  return s;
}

skeleton::Kinematics torsoKinematics(const TorsoModel& m, const TorsoState& s) {
  skeleton::Kinematics kinematics(m.tree);
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, kinematics);
  return kinematics;
}

void updatePoints(const TorsoModel& m, const TorsoState& s, TorsoWorkspace& w) {
  TorsoWorkspace::Data& d = w.data();
  d.prepare(m);
  skeleton::Kinematics& kinematics = d.step->dynamics.kinematics;
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, kinematics);
  d.cage->place(s.cage, kinematics);
}

void step(const TorsoModel& m, TorsoState& s, const MuscleDrive& drive, TorsoWorkspace& w,
          double dt) {
  TorsoWorkspace::Data& d = w.data();
  d.prepare(m);
  d.cage->bind(s.cage, drive);
  skeleton::stepImplicitHybrid(m.tree, d.prescribed, d.target, s.tree, *d.step, dt, d.tau);
  ++s.steps;
  s.time += dt;
}

Pose bodyPose(const TorsoModel& m, const TorsoState& s, int body) {
  return torsoKinematics(m, s)
      .X_WL[static_cast<std::size_t>(m.link[static_cast<std::size_t>(body)])];
}

void TorsoState::save(io::StateWriter& out) const {
  out.put(time);
  out.put(steps);
  out.put(tree.time);
  out.put(tree.q);
  out.put(tree.v);
  cage.save(out);
}

void TorsoState::load(io::StateReader& in) {
  in.get(time);
  in.get(steps);
  in.get(tree.time);
  in.get(tree.q);
  in.get(tree.v);
  cage.load(in);
}

std::string TorsoState::hash() const {
  io::StateWriter out;
  save(out);
  return Hash64().bytes(out.bytes().data(), out.bytes().size()).hex();
}

}  // namespace pneuma::breath
