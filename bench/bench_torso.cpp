#include <fmt/format.h>

#include <algorithm>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "breath/cage/torso_workspace.h"
#include "tests/support/human_breath.h"
#ifdef PNEUMA_HAS_ODE
#include <ode/ode.h>
#endif

/// The breathing torso, ours and with the rigid part stepped by the Open Dynamics Engine: the same
/// bodies, springs and gut, the same drive. Our springs and pressures feed both; only the bodies'
/// motion differs, so the ratio is that of the whole simulations.
namespace {

using namespace pneuma;
using namespace pneuma::breath;

struct Scene {
  TorsoModel model = test::humanTorso(makeTorsoConfig("default"));
  StylePlayer player{model, test::humanStyle("casual"), {}, 1};
};

/// CPU time per simulated second.
double timeOurs(double simulated) {
  Scene scene;
  TorsoState state = makeRestState(scene.model);
  TorsoWorkspace workspace;
  const double h = scene.model.config.step;
  for (int i = 0; i < 50; ++i)
    step(scene.model, state, scene.player.advance(state.time, h), workspace, h);
  const double begin = threadCpuSeconds();
  const double until = state.time + simulated;
  while (state.time < until)
    step(scene.model, state, scene.player.advance(state.time, h), workspace, h);
  return (threadCpuSeconds() - begin) / simulated;
}

#ifdef PNEUMA_HAS_ODE
/// Rigid bodies in ODE: spine, sternum free; ribs on hinges. Particles by our solver.
class OdeTorso {
 public:
  explicit OdeTorso(const TorsoModel& model) : m_(model), state_(makeRestState(model)) {
    dInitODE2(0);
    world_ = dWorldCreate();
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-9);
    for (int b = 0; b < kBodyCount; ++b) {
      const RigidPart& p = m_.parts[static_cast<std::size_t>(b)];
      bodies_[static_cast<std::size_t>(b)] = dBodyCreate(world_);
      dBodyID body = bodies_[static_cast<std::size_t>(b)];
      const Vec3 c = p.origin + p.center;
      dBodySetPosition(body, c.x(), c.y(), c.z());
      dMass mass;
      dMassSetParameters(&mass, p.mass, 0, 0, 0, p.inertia(0, 0), p.inertia(1, 1), p.inertia(2, 2),
                         p.inertia(0, 1), p.inertia(0, 2), p.inertia(1, 2));
      dBodySetMass(body, &mass);
    }
    for (int b = 1; b < kSternum; ++b) {
      const Vec3& a = m_.parts[static_cast<std::size_t>(b)].origin;
      const Vec3& axis = m_.neckAxis[static_cast<std::size_t>(b - 1)];
      dJointID hinge = dJointCreateHinge(world_, nullptr);
      dJointAttach(hinge, bodies_[static_cast<std::size_t>(b)], bodies_[kSpine]);
      dJointSetHingeAnchor(hinge, a.x(), a.y(), a.z());
      dJointSetHingeAxis(hinge, axis.x(), axis.y(), axis.z());
      hinges_[static_cast<std::size_t>(b - 1)] = hinge;
    }
    workspace_.data().prepare(m_);
  }
  ~OdeTorso() {
    dWorldDestroy(world_);
    dCloseODE();
  }

  void step(const MuscleDrive& drive, double h) {
    auto& d = workspace_.data();
    readBodies();
    breath::internal::computeForces(m_, state_, drive, d);
    // Explicit forces run away when the step is too long; ODE would abort on them.
    ok_ = d.rigidForce.allFinite() && d.rigidForce.cwiseAbs().maxCoeff() < 1e5;
    if (!ok_) return;
    applyForces();
    dWorldStep(world_, h);
    // Particles as in ours: explicit damping of the membrane would need steps of microseconds.
    d.setStep(m_, h);
    for (std::size_t i = 0; i < m_.particleMass.size(); ++i) {
      const Vec3 f = h * (d.force[i] + m_.restLoad[i] -
                          m_.config.gutDrag * m_.particleMass[i] * state_.velocity[i]);
      d.rows[i] = {f.x(), f.y(), f.z(), 0, 0, 0};
    }
    d.particles.solve(d.rows);
    for (std::size_t i = 0; i < m_.particleMass.size(); ++i) {
      state_.velocity.add(i, {d.rows[i][0], d.rows[i][1], d.rows[i][2]});
      state_.position.add(i, h * state_.velocity[i]);
    }
    state_.time += h;
  }
  const TorsoState& state() const { return state_; }
  bool ok() const { return ok_; }
  double lungVolume() {
    readBodies();
    updatePoints(m_, state_, workspace_);
    return workspace_.reading().lungVolume;
  }

 private:
  static Vec3 vec(const dReal* v) { return {v[0], v[1], v[2]}; }
  void readFree(int b, FreeBodyState& s) {
    dBodyID body = bodies_[static_cast<std::size_t>(b)];
    const dReal* q = dBodyGetQuaternion(body);
    s.position = vec(dBodyGetPosition(body));
    s.rotation = Quat(q[0], q[1], q[2], q[3]);
    s.velocity = vec(dBodyGetLinearVel(body));
    s.spin = vec(dBodyGetAngularVel(body));
  }
  void readBodies() {
    readFree(kSpine, state_.spine);
    readFree(kSternum, state_.sternum);
    for (std::size_t r = 0; r < hinges_.size(); ++r) {
      state_.ribs[r].angle = dJointGetHingeAngle(hinges_[r]);
      state_.ribs[r].rate = dJointGetHingeAngleRate(hinges_[r]);
    }
  }
  /// The generalised forces of our model as forces on the bodies: spine and sternum take theirs,
  /// ribs a torque about their hinge with its reaction on the spine.
  void applyForces() {
    auto& d = workspace_.data();
    const VecX f = d.rigidForce + m_.restRigidLoad;
    const breath::internal::RigidIndex index(m_);
    const auto free = [&](int b, int i) {
      dBodyAddForce(bodies_[static_cast<std::size_t>(b)], f[i], f[i + 1], f[i + 2]);
      dBodyAddTorque(bodies_[static_cast<std::size_t>(b)], f[i + 3], f[i + 4], f[i + 5]);
    };
    free(kSpine, index.spine());
    free(kSternum, index.sternum());
    for (int b = 1; b < kSternum; ++b)
      dJointAddHingeTorque(hinges_[static_cast<std::size_t>(b - 1)], f[index.rib(b)]);
  }

  const TorsoModel& m_;
  TorsoState state_;
  TorsoWorkspace workspace_;
  bool ok_ = true;
  dWorldID world_;
  std::array<dBodyID, kBodyCount> bodies_{};
  std::array<dJointID, 2 * kRibCount> hinges_{};
};

/// CPU time per simulated second, or -1 when the step is too long to stay stable.
double timeOde(double simulated, double h) {
  Scene scene;
  OdeTorso torso(scene.model);
  const double begin = threadCpuSeconds();
  while (torso.ok() && torso.state().time < simulated)
    torso.step(scene.player.advance(torso.state().time, h), h);
  if (!torso.ok()) return -1;
  const double wall = (threadCpuSeconds() - begin) / simulated;
  const double v = torso.lungVolume() - scene.model.restLung;
  return std::isfinite(v) && std::abs(v) < 2e-3 ? wall : -1;
}
#endif

}  // namespace

int main() {
  bench::Figures figures;
  double ours = 1e9;
  for (int i = 0; i < 3; ++i) ours = std::min(ours, timeOurs(4));
  figures.set("realtime.torso", 1 / ours);
  fmt::print("torso: {:.1f} x real time\n", 1 / ours);
#ifdef PNEUMA_HAS_ODE
  for (const double h : {1e-3, 5e-4, 2e-4, 1e-4, 5e-5}) {
    const double ode = timeOde(1, h);
    fmt::print("ODE at {} ms: {}\n", 1e3 * h,
               ode > 0 ? fmt::format("{:.2f} x real time", 1 / ode) : "unstable");
    if (ode <= 0) continue;
    figures.set("ratio.torso.ode", ode / ours);
    fmt::print("ratio {:.1f}\n", ode / ours);
    break;
  }
#endif
}
