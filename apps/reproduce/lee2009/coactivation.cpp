#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pneuma/control/joint_stiffness.h"
#include "reproduce/lee2009/bulge.h"
#include "reproduce/lee2009/reproduction.h"

// Fig. 14: one pose, more or less tense.
namespace pneuma::reproduce::lee2009 {
namespace {

using control::BodyPart;
using control::Performance;

constexpr const char* kElbow = "elbow_r.flexion";
constexpr double kPush = 20;        // at the hand, downwards [N]
constexpr double kPushTime = 0.05;  // as long as no reflex answers [s]

/// What one tension gives.
struct Tense {
  double gamma = 0;
  control::JointStiffness stiffness;
  double torque = 0;                 // net, of all muscles about the elbow [N m]
  double error = 0;                  // of the pose [rad]
  double largest = 0;                // activation
  VecX q, activation;                // of the pose
  double held = 0;                   // turn by the push with activations that stay [rad]
  std::vector<double> times, angle;  // of the elbow under the push, with the controller at work
};

void begin(const Reproduction& r, double gamma, Performance& p) {
  p.set(holdPose(r, p.body(), {{"elbow.flexion", 60}}, 1));
  p.hold("0/0/0N@hand_r");
  for (const BodyPart arm : {BodyPart::ArmLeft, BodyPart::ArmRight})
    p.controller().coactivation()[arm] = gamma;
  p.start();
  for (int k = 0; k < 20; ++k) p.step();
}

/// The elbow's turn under a push that the activations do not answer.
double turnWithHeldActivations(Performance& p, int dof) {
  muscle::DrivenBody& body = p.body();
  const VecX a = body.state().muscles.activation;
  const std::vector<double> excitations(a.begin(), a.end());  // steady: activations stay
  p.controller().loads().setForce(0, Vec3(0, -kPush, 0));
  p.controller().loads().sense(std::numeric_limits<double>::infinity(), body.config().step);
  const double before = p.error()[dof];
  const double until = p.time() + kPushTime;
  while (p.time() < until) body.step(excitations);
  return p.error()[dof] - before;
}

/// The same with the controller at work, which senses the push late (Eq. 17).
void pushAndFollow(Performance& p, int dof, double seconds, Tense& out) {
  const double start = p.time();
  while (p.time() < start + seconds) {
    const bool pushed = p.time() < start + kPushTime;
    out.times.push_back(p.time() - start);
    out.angle.push_back(radiansToDegrees(-p.error()[dof]));
    p.push(0, pushed ? Vec3(0, -kPush, 0) : Vec3(Vec3::Zero()));
    p.step();
  }
}

Tense measure(const Reproduction& r, double gamma) {
  Tense out{.gamma = gamma};
  Performance p(r.compiled), q(r.compiled);
  begin(r, gamma, p);
  begin(r, gamma, q);
  const int dof = dofOf(p.body(), kElbow);
  out.error = p.largestError();
  out.largest = p.body().state().muscles.activation.maxCoeff();
  p.body().refresh();
  out.q = p.body().state().skeleton.q;
  out.activation = p.body().state().muscles.activation;
  out.torque = p.body().muscleResults().generalizedForce[dof];
  out.stiffness = control::measureStiffness(p.body(), r.compiled, dof);
  out.held = turnWithHeldActivations(p, dof);
  pushAndFollow(q, dof, r.quick ? 0.1 : 0.6, out);
  return out;
}

/// How much the tensest pose bulges against the loosest.
void addBulge(Reproduction& r, const std::vector<Tense>& all) {
  std::vector<TensePose> poses;
  for (const Tense& t : all)
    poses.push_back({fmt::format("coactivation {:g}", t.gamma), t.q, t.activation});
  Performance p(r.compiled);
  const Bulge bulge = measureBulge(r, p.body(), poses, "fig14_bulge");
  r.numbers["bulge_mm"] = 1e3 * bulge.outwards;
  r.compare("skin bulges at coactivation 1 against 0", "mm", "greater bulging (pictures)",
            1e3 * bulge.outwards, bulge.outwards > 1e-3,
            fmt::format("near {}; sinks by {:.1f} mm elsewhere, volume changes by {:.2g} %",
                        bulge.where, 1e3 * bulge.inwards, 100 * bulge.volume));
}

render::Plot plotOf(const std::vector<Tense>& all) {
  render::Plot plot("Coactivation of the arms");
  plot.columns = 2;
  render::Panel& stiffness =
      plot.panel("stiffness of the right elbow", "coactivation [-]", "stiffness [N m/rad]");
  std::vector<double> gamma, slow, quick;
  for (const Tense& t : all) {
    gamma.push_back(t.gamma);
    slow.push_back(t.stiffness.slow());
    quick.push_back(t.stiffness.quick());
  }
  stiffness.line(gamma, quick, "quick, small turns").line(gamma, slow, "slow turns");
  stiffness.y.min = 0;
  render::Panel& push = plot.panel(
      fmt::format("a push of {:.0f} N for {:.0f} ms at the hand", kPush, 1e3 * kPushTime),
      "time [s]", "elbow from its pose [degrees]");
  for (const Tense& t : all) push.line(t.times, t.angle, fmt::format("{:g}", t.gamma));
  return plot;
}

}  // namespace

// Torque must stay while stiffness grows: that is what tells coactivation from a stronger pull.
void reproduceCoactivation(Reproduction& r) {
  r.report.heading("Fig. 14: coactivation");
  std::vector<Tense> all;
  r.progress.begin("coactivation", 3);
  for (const double gamma : {0.0, 0.5, 1.0}) {
    all.push_back(measure(r, gamma));
    r.progress.update(static_cast<double>(all.size()));
  }
  r.progress.end();
  r.plot(plotOf(all), "One pose at three tensions.", "fig14_coactivation");
  render::Table table{{"coactivation", "torque [N m]", "stiffness [N m/rad]", "slow [N m/rad]",
                       "push [degrees]", "most active"},
                      {},
                      "Right elbow at 60 degrees: net torque, stiffness to quick small turns and "
                      "to slow ones, turn "
                      "by the push with held activations, largest activation of any line."};
  double apart = 0;
  bool stiffer = true, yieldsLess = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tense& t = all[i];
    table.rows.push_back({fmt::format("{:g}", t.gamma), fmt::format("{:.6f}", t.torque),
                          fmt::format("{:.2f}", t.stiffness.quick()),
                          fmt::format("{:.2f}", t.stiffness.slow()),
                          fmt::format("{:.3f}", radiansToDegrees(std::abs(t.held))),
                          fmt::format("{:.2f}", t.largest)});
    apart = std::max(apart, std::abs(t.torque / all.front().torque - 1));
    if (i == 0) continue;
    stiffer = stiffer && t.stiffness.quick() > all[i - 1].stiffness.quick();
    yieldsLess = yieldsLess && std::abs(t.held) < std::abs(all[i - 1].held);
  }
  r.report.table(table);
  if (!r.quick) addBulge(r, all);
  r.numbers["coactivation_torque_apart"] = apart;
  r.numbers["elbow_stiffness_nm_rad"] = {all[0].stiffness.quick(), all[1].stiffness.quick(),
                                         all[2].stiffness.quick()};
  r.compare("net elbow torque at coactivation 0.5 and 1 against 0, relative", "-",
            "the same (Eq. 16)", apart, apart <= 1e-6, "pose held for 0.14 s");
  r.compare("elbow stiffness at coactivation 1 over that at 0", "-", "greater (pictures)",
            all.back().stiffness.quick() / all.front().stiffness.quick(), stiffer,
            "quick, small turns: elements, turning lines and cross-bridges");
  r.compare("turn by a push with held activations, coactivation 1 over 0", "-", "not given",
            all.back().held / all.front().held, yieldsLess, "simulated, without reflexes");
}

}  // namespace pneuma::reproduce::lee2009
