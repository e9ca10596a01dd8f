#include <fmt/format.h>

#include <functional>

#include "cli/verbs.h"
#include "pneuma/core/types.h"
#include "pneuma/muscle/activation.h"
#include "pneuma/muscle/linear_hill.h"
#include "pneuma/muscle/musculotendon.h"
#include "pneuma/muscle/spring_element.h"
#include "pneuma/muscle/wrap_surface.h"
#include "pneuma/muscle/zajac_tables.h"
#include "pneuma/render/plot.h"

namespace pneuma::cli {
namespace {

using muscle::TablePoint;

struct Samples {
  std::vector<double> x, y;
};

Samples sample(double from, double to, const std::function<double(double)>& f) {
  constexpr int kPoints = 400;
  Samples s;
  for (int i = 0; i <= kPoints; ++i) {
    s.x.push_back(from + (to - from) * i / kPoints);
    s.y.push_back(f(s.x.back()));
  }
  return s;
}

Samples points(std::span<const TablePoint> table) {
  Samples s;
  for (const TablePoint& p : table) {
    s.x.push_back(p.x);
    s.y.push_back(p.force);
  }
  return s;
}

void addCurve(render::Panel& panel, const Samples& s, const std::string& name) {
  panel.line(s.x, s.y, name);
}

void addTable(render::Panel& panel, std::span<const TablePoint> table, const std::string& name) {
  const Samples s = points(table);
  render::SeriesStyle style;
  style.color = render::Color{0.1, 0.1, 0.1};
  panel.scatter(s.x, s.y, name, style);
}

/// Zajac's four curves with the published points.
void addZajacPanels(render::Plot& plot) {
  const muscle::ZajacCurves curves;
  render::Panel& length =
      plot.panel("Fibre at rest", "length / optimal length", "force / maximum isometric force");
  addCurve(length, sample(0.4, 1.7, [&](double l) { return curves.activeForceLength(l).value; }),
           "active");
  addCurve(length, sample(0.4, 1.7, [&](double l) { return curves.passiveForceLength(l).value; }),
           "passive");
  addCurve(length,
           sample(0.4, 1.7,
                  [&](double l) {
                    return curves.activeForceLength(l).value + curves.passiveForceLength(l).value;
                  }),
           "sum");
  addTable(length, muscle::kZajacActiveTable, "table");
  addTable(length, muscle::kZajacPassiveTable, "");
  length.y.max = 2;
  length.legend = render::LegendPlace::TopLeft;

  render::Panel& velocity = plot.panel("Active fibre at optimal length",
                                       "velocity / maximum shortening velocity", "force factor");
  addCurve(velocity, sample(-1.1, 1, [&](double v) { return curves.forceVelocity(v).value; }),
           "Zajac");
  addTable(velocity, muscle::kZajacShorteningTable, "table");
  addTable(velocity, muscle::kZajacLengtheningTable, "");
  velocity.legend = render::LegendPlace::TopLeft;

  render::Panel& tendon = plot.panel("Tendon", "strain", "force / maximum isometric force");
  addCurve(tendon, sample(-0.005, 0.04, [&](double e) { return curves.tendonForce(e).value; }),
           "Zajac");
  addTable(tendon, muscle::kZajacTendonTable, "table");
  tendon.legend = render::LegendPlace::TopLeft;
}

void addHillPanel(render::Plot& plot) {
  const muscle::LinearHill hill = muscle::makeLinearHill(1, 1 / 3.0e5);  // strength 1 N
  render::Panel& panel =
      plot.panel("Linear Hill muscle", "length / slack length", "force / strength");
  for (double a : {0.0, 0.5, 1.0})
    addCurve(panel, sample(0.2, 1.2, [&](double l) { return evaluateForce(hill, l, 0, a).force; }),
             fmt::format("activation {:g}", a));
  panel.legend = render::LegendPlace::TopLeft;
}

void addActivationPanel(render::Plot& plot) {
  const muscle::ActivationDynamics dynamics;
  render::Panel& panel = plot.panel("Activation after a pulse", "time [s]", "activation");
  const double end = 0.15;
  addCurve(panel,
           sample(0, 0.4,
                  [&](double t) {
                    const double peak = stepActivation(dynamics, 0, 1, std::min(t, end));
                    return t < end ? peak : stepActivation(dynamics, peak, 0, t - end);
                  }),
           "activation");
  addCurve(panel, sample(0, 0.4, [&](double t) { return t < end ? 1.0 : 0.0; }), "excitation");
}

/// The moment arm of a muscle over a cylinder and an ellipsoid about its hinge.
void addWrapPanel(render::Plot& plot) {
  const Vec3 a(0.12, 0, 0.01);
  const auto turned = [](double q) { return Vec3(0.09 * std::cos(q), 0.09 * std::sin(q), -0.015); };
  const auto arm = [&](const auto& wrap, double q) {
    const Vec3 b = turned(q);
    return wrap(a, b).directionB.dot(Vec3(-b.y(), b.x(), 0));
  };
  render::Panel& panel = plot.panel("Moment arm over a surface", "joint angle [deg]", "arm [mm]");
  const auto add = [&](const char* name, const auto& wrap) {
    addCurve(panel,
             sample(10, 165, [&](double deg) { return 1e3 * arm(wrap, degreesToRadians(deg)); }),
             name);
  };
  add("cylinder, 30 mm", [](const Vec3& p, const Vec3& q) {
    return muscle::wrapCylinder({0.03, muscle::WrapSense::CounterClockwise}, p, q);
  });
  add("ellipsoid, 30 x 45 x 60 mm", [](const Vec3& p, const Vec3& q) {
    return muscle::wrapEllipsoid({{0.03, 0.045, 0.06}}, p, q);
  });
  panel.legend = render::LegendPlace::BottomLeft;
  panel.verticalRule(radiansToDegrees(std::acos(0.03 / 0.12) + std::acos(0.03 / 0.09)), "contact");
}

}  // namespace

void addCurvesVerb(Program& program) {
  auto out = std::make_shared<std::string>("muscle_curves.png");
  CLI::App* verb =
      program.addVerb("curves", "Draw the curves of the muscle models with the published points",
                      "pneuma curves --out muscle_curves.png");
  verb->add_option("--out", *out, "Picture to write (.png or .svg)")
      ->check(outputFile({".png", ".svg"}))
      ->type_name("FILE")
      ->capture_default_str();
  verb->callback([&program, out] {
    render::Plot plot("Muscle models");
    plot.columns = 2;
    plot.panelWidth = 600;
    plot.panelHeight = 340;
    addZajacPanels(plot);
    addHillPanel(plot);
    addActivationPanel(plot);
    addWrapPanel(plot);
    plot.write(*out);
    program.print({{"picture", *out}}, fmt::format("wrote {}\n", *out));
  });
}

}  // namespace pneuma::cli
