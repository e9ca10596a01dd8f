#include <fmt/format.h>

#include <algorithm>

#include "bench/figures.h"
#include "bench/stopwatch.h"
#include "pneuma/skeleton/kinematics.h"
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
  StylePlayer player{model.config, test::humanStyle("casual"), {}, 1};
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
  }
  ~OdeTorso() {
    dWorldDestroy(world_);
    dCloseODE();
  }

  void step(const MuscleDrive& drive, double h) {
    readBodies();
    cage_.bind(state_.cage, drive);
    force_.setZero();
    cage_.evaluate(m_.tree, state_.tree, kinematics_, h, force_);
    // Explicit forces run away when the step is too long; ODE would abort on them.
    ok_ = force_.allFinite() && force_.cwiseAbs().maxCoeff() < 1e5;
    if (!ok_) return;
    applyForces();
    dWorldStep(world_, h);
    // Particles as in ours: explicit damping of the membrane would need steps of microseconds. The
    // gut's pressure stays explicit, for ODE's bodies cannot join its rank-one term.
    const std::array<double, 2> noPressureGain{};
    cage_.linearise(state_.tree, given_, h);
    cage_.solve();
    cage_.check(noPressureGain, still_, state_.time);
    cage_.advance(noPressureGain, h);
    state_.time += h;
  }
  const TorsoState& state() const { return state_; }
  bool ok() const { return ok_; }
  double lungVolume() {
    readBodies();
    cage_.place(state_.cage, kinematics_);
    return cage_.reading().lungVolume;
  }

 private:
  static Vec3 vec(const dReal* v) { return {v[0], v[1], v[2]}; }
  struct FreeBody {
    Vec3 position, velocity, spin;
    Quat rotation;
  };
  FreeBody readFree(int b) const {
    dBodyID body = bodies_[static_cast<std::size_t>(b)];
    const dReal* q = dBodyGetQuaternion(body);
    return {vec(dBodyGetPosition(body)), vec(dBodyGetLinearVel(body)),
            vec(dBodyGetAngularVel(body)), Quat(q[0], q[1], q[2], q[3])};
  }
  const skeleton::Link& link(int body) const {
    return m_.tree.links[static_cast<std::size_t>(m_.link[static_cast<std::size_t>(body)])];
  }
  void put(int body, const Vec3& position, const Quat& turn, const Vec3& velocity,
           const Vec3& spin) {
    const skeleton::Link& l = link(body);
    state_.tree.q.segment<3>(l.firstPosition) = position;
    state_.tree.q.segment<4>(l.firstPosition + 3) << turn.w(), turn.x(), turn.y(), turn.z();
    state_.tree.v.segment<3>(l.firstDof) = velocity;
    state_.tree.v.segment<3>(l.firstDof + 3) = turn.conjugate() * spin;
  }
  /// ODE's bodies as coordinates of the tree: the sternum against the spine.
  void readBodies() {
    const FreeBody spine = readFree(kSpine), sternum = readFree(kSternum);
    const Vec3& atSpine = m_.parts[kSpine].origin;
    put(kSpine, spine.position - atSpine, spine.rotation, spine.velocity, spine.spin);
    const Quat back = spine.rotation.conjugate();
    const Vec3 arm = sternum.position - spine.position;
    put(kSternum, back * arm - (m_.parts[kSternum].origin - atSpine), back * sternum.rotation,
        back * (sternum.velocity - spine.velocity - spine.spin.cross(arm)),
        back * (sternum.spin - spine.spin));
    for (std::size_t r = 0; r < hinges_.size(); ++r) {
      const skeleton::Link& l = link(static_cast<int>(r) + 1);
      state_.tree.q[l.firstPosition] = dJointGetHingeAngle(hinges_[r]);
      state_.tree.v[l.firstDof] = dJointGetHingeAngleRate(hinges_[r]);
    }
    skeleton::computeKinematics(m_.tree, state_.tree.q, state_.tree.v, kinematics_);
  }
  void apply(int body, const Vec3& force, const Vec3& torque) {
    dBodyAddForce(bodies_[static_cast<std::size_t>(body)], force.x(), force.y(), force.z());
    dBodyAddTorque(bodies_[static_cast<std::size_t>(body)], torque.x(), torque.y(), torque.z());
  }
  /// The generalised forces of our model as forces on the bodies: the spine takes those of its free
  /// joint less the sternum's, ribs a torque about their hinge with its reaction on the spine.
  void applyForces() {
    const FreeBody spine = readFree(kSpine), sternum = readFree(kSternum);
    const auto part = [&](int body, int offset) -> Vec3 {
      return force_.segment<3>(link(body).firstDof + offset);
    };
    const Vec3 onSternum = spine.rotation * part(kSternum, 0);
    const Vec3 turnSternum = sternum.rotation * part(kSternum, 3);
    apply(kSternum, onSternum, turnSternum);
    apply(kSpine, part(kSpine, 0) - onSternum,
          spine.rotation * part(kSpine, 3) - turnSternum -
              (sternum.position - spine.position).cross(onSternum));
    for (int b = 1; b < kSternum; ++b) {
      const auto r = static_cast<std::size_t>(b - 1);
      const skeleton::Link& l = link(b);
      dJointAddHingeTorque(hinges_[r], force_[l.firstDof] -
                                           m_.config.jointFriction * state_.tree.v[l.firstDof] -
                                           m_.jointStiffness[r] * state_.tree.q[l.firstPosition]);
    }
  }

  const TorsoModel& m_;
  TorsoState state_;
  CageSystem cage_{m_, m_.tree};
  skeleton::Kinematics kinematics_{m_.tree};
  VecX force_ = VecX::Zero(m_.tree.dofCount()), still_ = force_;
  std::vector<std::uint8_t> given_ =
      std::vector<std::uint8_t>(static_cast<std::size_t>(m_.tree.dofCount()), 1);
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
