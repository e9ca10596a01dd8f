#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/lee2009/reproduction.h"

// Fig. 15: dumbbells that suddenly become heavier.
namespace pneuma::reproduce::lee2009 {
namespace {

constexpr double kJump = 0.5;  // when [s]

/// Elbow and hand over time.
struct Jump {
  std::vector<double> times, elbow, hand;  // [s], [degrees from the target], [mm]
  double dip = 0;                          // largest [degrees]
  double recovery = 0;                     // from the jump until a tenth of the dip is left [s]
};

Jump jump(const Reproduction& r, double sigma, double seconds) {
  control::ControlConfig config;
  config.sensingRate = sigma;
  control::Performance p(r.compiled, config);
  p.set(holdPose(r, p.body(), {{"elbow.flexion", 90}}, seconds));
  for (const char* hand : {"hand_l", "hand_r"})
    p.hold(fmt::format("2kg,{:g}s:5kg@{}", kJump, hand));
  p.start();
  const int dof = dofOf(p.body(), "elbow_r.flexion"), hand = p.body().model().linkIndex("hand_r");
  Jump out;
  double rest = 0;
  while (!p.done()) {
    p.step();
    p.body().refresh();
    const double height = p.body().kinematics().X_WL[static_cast<std::size_t>(hand)].position.y();
    if (out.times.empty()) rest = height;
    out.times.push_back(p.time());
    out.elbow.push_back(radiansToDegrees(-p.error()[dof]));
    out.hand.push_back(1e3 * (height - rest));
    out.dip = std::max(out.dip, std::abs(out.elbow.back()));
  }
  for (std::size_t k = 0; k < out.times.size(); ++k)
    if (std::abs(out.elbow[k]) > 0.1 * out.dip) out.recovery = out.times[k] - kJump;
  return out;
}

}  // namespace

void reproduceLoadJump(Reproduction& r) {
  r.report.heading("Fig. 15: the dumbbells become heavier");
  const double seconds = r.quick ? 1.2 : 3;
  r.progress.begin("load jump", 2);
  const Jump sensed = jump(r, control::ControlConfig{}.sensingRate, seconds);
  r.progress.update(1);
  const Jump atOnce = jump(r, std::numeric_limits<double>::infinity(), seconds);
  r.progress.end();
  render::Plot plot("2 kg become 5 kg in each hand after 0.5 s");
  plot.columns = 2;
  plot.panel("right elbow", "time [s]", "from its pose [degrees]")
      .line(sensed.times, sensed.elbow, "sensed late (Eq. 17)")
      .line(atOnce.times, atOnce.elbow, "known at once");
  plot.panel("right hand", "time [s]", "height [mm]")
      .line(sensed.times, sensed.hand, "sensed late (Eq. 17)")
      .line(atOnce.times, atOnce.hand, "known at once");
  r.plot(plot, "The arms sink and come back; without Eq. 17 they do not move.", "fig15_load_jump");
  r.numbers["load_jump_dip_degrees"] = sensed.dip;
  r.numbers["load_jump_recovery_s"] = sensed.recovery;
  r.numbers["load_jump_dip_at_once_degrees"] = atOnce.dip;
  r.compare("dip of the elbow", "degrees", "visible (pictures)", sensed.dip, sensed.dip > 0.5,
            "2 to 5 kg, sigma 5 / s");
  r.compare("until a tenth of the dip is left", "s", "\"soon\"", sensed.recovery,
            sensed.recovery < 1.5, "");
  r.compare("dip without Eq. 17", "degrees", "none", atOnce.dip, atOnce.dip < 0.1 * sensed.dip,
            "one step passes before a jump is known");
}

}  // namespace pneuma::reproduce::lee2009
