#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/flesh/grid_experiments.h"
#include "reproduce/dobsik/reproduction.h"

namespace pneuma::reproduce::dobsik {
namespace {

std::vector<double> range(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(low + (high - low) * i / (count - 1));
  return values;
}

template <class F>
std::vector<double> mapped(const std::vector<double>& x, F&& f) {
  std::vector<double> y;
  for (double v : x) y.push_back(f(v));
  return y;
}

}  // namespace

// The block is measured as a laboratory would, clamped and released, so that curves and block can
// disagree.
void reproduceFig1(Reproduction& r) {
  r.report.heading("Fig. 1: Zajac's curves, and the block measured against them");
  const muscle::ZajacCurves curves;
  const flesh::MuscleSetup setup;
  r.progress.begin("fig. 1", 4);
  const auto active =
      flesh::measureIsometric(setup, {0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5}, 1);
  r.progress.update(1);
  const auto passive = flesh::measureIsometric(setup, {1.0, 1.1, 1.2, 1.3, 1.4, 1.5}, 0);
  r.progress.update(2);
  const auto isotonic = flesh::measureIsotonic(
      setup, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5});
  r.progress.update(3);
  const flesh::QuickRelease release = flesh::measureQuickRelease(setup, 0.03);
  r.progress.end();

  const auto column = [](const std::vector<flesh::MuscleSample>& s,
                         double flesh::MuscleSample::*f) {
    std::vector<double> values;
    for (const auto& sample : s) values.push_back(sample.*f);
    return values;
  };
  using S = flesh::MuscleSample;
  render::Plot plot("Zajac's curves (lines) and the simulated 21x5x5 block (points)");
  plot.columns = 2;
  plot.panelHeight = 340;
  const std::vector<double> l = range(0.4, 1.6, 121), v = range(-1, 0.5, 151),
                            e = range(0, 0.05, 51);
  const auto fL = [&](double x) { return curves.activeForceLength(x).value; };
  const auto fP = [&](double x) { return curves.passiveForceLength(x).value; };
  plot.panel("Isometric", "fibre length [optimal]", "force [F0]")
      .line(l, mapped(l, fL), "active", {.dash = render::Dash::Dashed})
      .line(l, mapped(l, fP), "passive", {.dash = render::Dash::Dotted})
      .line(l, mapped(l, [&](double x) { return fL(x) + fP(x); }), "sum")
      .scatter(column(active, &S::length), column(active, &S::force), "block, excited")
      .scatter(column(passive, &S::length), column(passive, &S::force), "block, at rest");
  plot.panel("Isotonic", "velocity [v_max]", "force [F0]")
      .line(v, mapped(v, [&](double x) { return curves.forceVelocity(x).value; }), "Zajac")
      .scatter(column(isotonic, &S::velocity), column(isotonic, &S::force), "block");
  plot.panel("Tendon", "strain", "force [F0]").line(e, mapped(e, [&](double x) {
                                                      return curves.tendonForce(x).value;
                                                    }));
  plot.panel("Quick release, 3 %", "time after release [s]", "force [F0]")
      .line(release.time, release.lumped, "one fibre, one tendon", {.dash = render::Dash::Dashed})
      .line(release.time, release.block, "block")
      .x.min = -0.05;
  r.plot(plot,
         "Zajac's four curves as the paper draws them, with measurements on the simulated block.",
         "fig1_zajac");

  double worst = 0, worstVelocity = 0;
  for (const auto& s : active)
    if (s.length > 0.595 && s.length < 1.405)
      worst = std::max(worst, std::abs(s.force / s.expected - 1));
  for (const auto& s : isotonic)
    worstVelocity = std::max(worstVelocity, std::abs(s.force - s.expected));
  r.compare("isometric force of the block against the curve, 0.6 to 1.4", "%", "not given",
            100 * worst, worst < 0.05,
            "largest relative distance; the paper leaves this check to future work (section 6)");
  r.compare("isotonic force against the curve at the measured velocity", "% of F0", "not given",
            100 * worstVelocity, worstVelocity < 0.05, "14 loads from 0.1 to 1.5 F0");
  r.numbers["isometric_worst_percent"] = 100 * worst;
  r.numbers["isotonic_worst_percent_of_f0"] = 100 * worstVelocity;
}

}  // namespace pneuma::reproduce::dobsik
