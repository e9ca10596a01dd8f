#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/grid_film.h"
#include "cli/verbs.h"
#include "pneuma/core/version.h"
#include "pneuma/flesh/grid_experiments.h"
#include "pneuma/render/report.h"

namespace pneuma::cli {
namespace {

using render::ComparisonRow;
using render::Plot;
using render::Report;

/// What the sections share.
struct Reproduction {
  std::filesystem::path folder;
  bool quick = false;
  Progress& progress;
  Report report;
  std::vector<ComparisonRow> rows;
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();

  void plot(const Plot& figure, const std::string& caption, const std::string& name) {
    figure.write(folder / (name + ".svg"));
    report.plot(figure, caption, name);
  }
  void compare(const char* quantity, const char* unit, const char* published, double ours,
               std::optional<bool> pass, const char* note) {
    rows.push_back({quantity, unit, published, fmt::format("{:.3g}", ours), pass, note});
  }
};

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

/// Fig. 1: the curves, and the simulated block laid over them.
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
  Plot plot("Zajac's curves (lines) and the simulated 21x5x5 block (points)");
  plot.columns = 2;
  plot.panelHeight = 340;
  const std::vector<double> l = range(0.4, 1.6, 121), v = range(-1, 0.5, 151),
                            e = range(0, 0.05, 51);
  const auto fL = [&](double x) { return curves.activeForceLength(x).value; };
  const auto fP = [&](double x) { return curves.passiveForceLength(x).value; };
  plot.panel("Force and length, isometric", "fibre length [optimal]", "force [F0]")
      .line(l, mapped(l, fL), "active", {.dash = render::Dash::Dashed})
      .line(l, mapped(l, fP), "passive", {.dash = render::Dash::Dotted})
      .line(l, mapped(l, [&](double x) { return fL(x) + fP(x); }), "sum")
      .scatter(column(active, &S::length), column(active, &S::force), "block, excited")
      .scatter(column(passive, &S::length), column(passive, &S::force), "block, at rest");
  plot.panel("Force and velocity, isotonic", "velocity [v_max]", "force [F0]")
      .line(v, mapped(v, [&](double x) { return curves.forceVelocity(x).value; }), "Zajac")
      .scatter(column(isotonic, &S::velocity), column(isotonic, &S::force), "block");
  plot.panel("Tendon", "strain", "force [F0]").line(e, mapped(e, [&](double x) {
                                                      return curves.tendonForce(x).value;
                                                    }));
  plot.panel("Quick release by 3 % of the length", "time after release [s]", "force [F0]")
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

struct BrickRun {
  double time = 3;
  std::vector<double> t, volume, sum;
  render::Image picture;
};

BrickRun runBrick(const flesh::BrickSetup& setup, bool picture) {
  const flesh::GridModel model = flesh::makeHangingBrick(setup);
  flesh::GridStepper stepper(model);
  flesh::GridState state = flesh::makeRestState(model);
  const Vec3 top(1.4 * setup.extent.y(), 0.004, 1.4 * setup.extent.z());
  GridFilm film(model, 60, {{"ceiling", makeBox(top, Vec3(0, 0.002, 0)), -1}});
  film.viewDirection = Vec3(0.35, 0.12, 1).normalized();
  film.record(state, 0);
  BrickRun run;
  const int steps = static_cast<int>(run.time * 60);
  for (int i = 0; i < steps; ++i)
    film.record(state, stepper.step(state, 1.0 / 60).newtonIterations);
  run.t = film.table().column("time").values;
  run.volume = film.table().column("volume_deviation").values;
  run.sum = film.table().column("sum_dv_deviation").values;
  if (picture) run.picture = film.picture(film.frameCount() - 1, 640, 720);
  return run;
}

/// Fig. 3: the hanging brick.
void reproduceFig3(Reproduction& r) {
  r.report.heading("Fig. 3: a hanging brick with and without volume preservation");
  r.progress.begin("fig. 3", 8);
  std::vector<render::Tile> tiles;
  const struct {
    const char* caption;
    double modulus, bulk, side;
  } cases[]{{"(a) soft, free", 2e3, 0, 0},
            {"(b) soft, kept", 2e3, 1e5, 0},
            {"(c) stiffer, free", 6e3, 0, 0.5},
            {"(d) stiffer, kept", 6e3, 1e5, 0.5}};
  double without = 0, with = 0;
  for (const auto& c : cases) {
    flesh::BrickSetup setup;
    setup.grid = {13, 7, 7};
    setup.material = flesh::makeIsotropic(1060, c.modulus, 20, c.bulk);
    setup.sideForce = c.side;
    const BrickRun run = runBrick(setup, true);
    tiles.push_back(
        {run.picture, fmt::format("{}: volume {:+.2f} %", c.caption, run.volume.back())});
    (c.bulk > 0 ? with : without) = std::abs(run.volume.back());
    r.progress.update(static_cast<double>(tiles.size()));
  }
  const render::Image sheet =
      render::tile(tiles, 4, "A 12 cm brick hangs from its fixed top plane");
  render::writePng(sheet, r.folder / "fig3_bricks.png");
  r.report.picture(sheet,
                   "Brick of 13x7x7 nodes after 3 s; moduli 2 and 6 kPa, (c) and (d) with a side "
                   "force of 0.5 N. "
                   "Free: no volume force; kept: with it.",
                   "fig3_bricks");

  Plot plot("Fig. 3(e), (f): deviations vanish as the resolution grows");
  plot.columns = 2;
  std::vector<double> nodes, volume, sum;
  const std::vector<flesh::GridSize> grids =
      r.quick ? std::vector<flesh::GridSize>{{5, 3, 3}, {9, 5, 5}, {13, 7, 7}}
              : std::vector<flesh::GridSize>{{5, 3, 3}, {9, 5, 5}, {17, 9, 9}, {25, 13, 13}};
  auto& e = plot.panel("(e) total volume", "time [s]", "deviation [%]");
  auto& f = plot.panel("(f) sum of |dV|", "time [s]", "deviation [%]");
  for (const flesh::GridSize& grid : grids) {
    flesh::BrickSetup setup;
    setup.grid = grid;
    setup.material = flesh::makeIsotropic(1060, 6e3, 20, 1e5);
    setup.sideForce = 0.5;
    const BrickRun run = runBrick(setup, false);
    e.line(run.t, run.volume, flesh::toString(grid));
    f.line(run.t, run.sum, flesh::toString(grid));
    nodes.push_back(grid.nodeCount());
    volume.push_back(std::abs(run.volume.back()));
    sum.push_back(std::abs(run.sum.back()));
    r.progress.update(4 + static_cast<double>(nodes.size()));
  }
  auto& g = plot.panel("at the end, by resolution", "nodes", "deviation [%]")
                .line(nodes, volume, "total volume")
                .scatter(nodes, volume)
                .line(nodes, sum, "sum of |dV|")
                .scatter(nodes, sum);
  g.x.logarithmic = g.y.logarithmic = true;
  r.progress.end();
  r.plot(plot, "The run of picture (d) at several resolutions.", "fig3_resolution");
  r.compare("sum of |dV|, deviation at the coarsest over the finest grid", "", "vanishes",
            sum.front() / sum.back(), sum.back() < sum.front(), "Fig. 3(f)");
  r.compare("total volume, deviation at the coarsest over the finest grid", "", "vanishes",
            volume.front() / volume.back(), volume.back() < volume.front(),
            "Fig. 3(e); what remains is the compression that the finite bulk modulus allows");
  r.compare("volume change without / with volume force, stiffer brick", "%", "with: negligible",
            with, with < without, fmt::format("without: {:.2f} %", without).c_str());
  r.numbers["brick_sum_dv_percent"] = sum;
  r.numbers["brick_volume_percent"] = volume;
}

/// Fig. 4: the active muscle.
void reproduceFig4(Reproduction& r) {
  r.report.heading("Fig. 4: the muscle between two planes");
  flesh::MuscleSetup setup;
  setup.excitation = {{0, 0}, {4.5, 1}};
  setup.moves = {{2, 0.08, 0.05}};
  const flesh::GridModel model = flesh::makeMuscleBetweenPlanes(setup);
  flesh::GridStepper stepper(model);
  flesh::GridState state = flesh::makeRestState(model);
  GridFilm film(model, 60, planeParts(model));
  film.record(state, 0);
  r.progress.begin("fig. 4", 8);
  for (int i = 1; i <= 480; ++i) {
    film.record(state, stepper.step(state, 1.0 / 60).newtonIterations);
    r.progress.update(state.time);
  }
  r.progress.end();
  std::vector<render::Tile> tiles{{film.picture(100, 960, 420), "(a) relaxed"},
                                  {film.picture(480, 960, 420), "(b) excited"}};
  const render::Image sheet = render::tile(tiles, 2);
  render::writePng(sheet, r.folder / "fig4_muscle.png");
  r.report.picture(sheet, "21x5x5 nodes, tendons to two planes.", "fig4_muscle");
  r.plot(film.plot("Fig. 4(c): 8 % stretch at 2 s, excitation at 4.5 s"),
         "Deviations of volume and of the sum of dV, and what else was recorded.", "fig4_run");
  film.writeGlb(r.folder / "fig4_muscle.glb");
  if (!r.quick) film.writeVideo(r.folder / "fig4_muscle.mp4", r.progress);
  io::writeCsv(r.folder / "fig4_muscle.csv", film.table());

  // The force at rest length: the same muscle without the stretch.
  setup.moves.clear();
  setup.excitation = {{0.1, 1}};
  const flesh::GridModel still = flesh::makeMuscleBetweenPlanes(setup);
  flesh::GridStepper second(still);
  flesh::GridState s = flesh::makeRestState(still);
  for (int i = 0; i < 60; ++i) second.step(s, 1.0 / 60);
  const double ratio = flesh::endForce(still, flesh::GridEnd::First, s.time, s.q, s.v).norm() /
                       setup.muscle.maxForce;
  const auto& force = film.table().column("force_first").values;
  r.compare("largest deviation of total volume", "%", "negligible (plot)",
            film.worstVolumePercent(), film.worstVolumePercent() < 2, "Fig. 4(c)");
  r.compare("largest deviation of the sum of dV", "%", "negligible (plot)", film.worstSumPercent(),
            film.worstSumPercent() < 2, "Fig. 4(c)");
  r.compare("force at rest length, fully active", "F0", "1 (definition)", ratio,
            std::abs(ratio - 1) < 0.05, "Fig. 1(b) at optimal length");
  r.compare(
      "force falls from its peak to 8 s", "%", "not given",
      100 * (1 - force.back() / *std::max_element(force.begin(), force.end())), std::nullopt,
      "stretched 8 %, the fibres work on the falling side of the force-length curve: pieces in "
      "series grow unequal and the force creeps down");
  r.numbers["fig4_worst_volume_percent"] = film.worstVolumePercent();
  r.numbers["fig4_worst_sum_dv_percent"] = film.worstSumPercent();
  r.numbers["fig4_force_at_rest_length_f0"] = ratio;
}

/// Energy over time without dissipation: what each kind of step does to it.
void reproduceEnergy(Reproduction& r) {
  flesh::BrickSetup setup;
  setup.grid = {7, 4, 4};
  setup.material = flesh::makeIsotropic(1060, 6e3, 0, 5e4);
  const flesh::GridModel model = flesh::makeHangingBrick(setup);
  const flesh::GridState rest = flesh::makeRestState(model);
  const double scale = model.solid.totalMass() * kGravity * setup.extent.x() / 20;
  Plot plot("Energy of a lossless hanging brick");
  auto& panel = plot.panel("", "time [s]", "change of energy [typical exchange]");
  for (const auto& [name, h] : std::vector<std::pair<std::string, double>>{
           {"symplectic-euler", 2e-4}, {"rk4", 2e-4}, {"implicit-euler", 2e-3}}) {
    flesh::GridSystem system(model);
    const auto integrator = makeIntegrator(parseIntegrator(name));
    VecX x = system.pack(rest);
    flesh::GridState state;
    std::vector<double> t, energy;
    const double e0 = flesh::computeModelEnergy(model, 0, rest.q, rest.v).total();
    const long steps = std::lround((r.quick ? 0.4 : 1.0) / h);
    const long every = std::max(1L, steps / 200);
    for (long i = 0; i <= steps; ++i) {
      if (i % every == 0) {
        system.unpack(x, static_cast<double>(i) * h, state);
        t.push_back(state.time);
        energy.push_back((flesh::computeModelEnergy(model, 0, state.q, state.v).total() - e0) /
                         scale);
      }
      integrator->step(system, static_cast<double>(i) * h, h, x);
    }
    panel.line(t, energy, fmt::format("{}, {:.1f} ms", name, 1e3 * h));
  }
  r.report.heading("Energy drift", 3);
  r.plot(plot,
         "Without dissipation the symplectic step keeps the energy within a band, implicit Euler "
         "takes "
         "it away, and RK4 hardly changes it at this step.",
         "energy_drift");
}

/// The study the paper announces: integrators on the passive brick and the active muscle.
void reproduceIntegrators(Reproduction& r) {
  r.report.heading("The integration methods compared");
  r.report.paragraph(
      "The paper promises this study for later work. Largest stable step found by halving and "
      "bisection to 10 %, at most an eighth of the window; a run counts as stable when no node "
      "ends "
      "farther from the reference than a quarter of the reference's motion. Cost is CPU time of "
      "one thread per simulated second at that step; the "
      "error "
      "is the root mean square distance of the nodes from a Cash-Karp solution with tolerances of "
      "1e-9, at the end of the window. `grid-implicit` is the grid's own implicit Euler step.");
  std::vector<std::string> names = integratorNames();
  names.push_back("grid-implicit");
  io::Table csv;
  for (const char* c : {"scene", "integrator", "grid"}) csv.addTextColumn(c);
  for (const auto& [c, unit] :
       std::initializer_list<std::pair<const char*, const char*>>{{"largest_step", "s"},
                                                                  {"cost", "CPU s per s"},
                                                                  {"evaluations", "1/s"},
                                                                  {"error", "m"},
                                                                  {"error_half_step", "m"}})
    csv.addColumn(c, unit);
  render::Table table;
  table.header = {"scene",       "integrator",        "grid",       "largest step [us]",
                  "CPU s per s", "evaluations per s", "error [um]", "error, half step [um]"};
  Plot plot("Integrators: step, cost and error");
  plot.columns = 2;
  const std::vector<flesh::GridSize> grids =
      r.quick ? std::vector<flesh::GridSize>{{5, 3, 3}}
              : std::vector<flesh::GridSize>{{5, 3, 3}, {9, 4, 4}, {13, 5, 5}};
  r.progress.begin("integrators", static_cast<double>(2 * grids.size() * names.size()));
  int done = 0;
  for (const bool active : {false, true}) {
    const char* scene = active ? "active muscle" : "passive brick";
    auto& step = plot.panel(fmt::format("{}: largest stable step", scene), "nodes", "step [s]");
    auto& cost = plot.panel(fmt::format("{}: cost", scene), "nodes", "CPU s per simulated s");
    step.x.logarithmic = step.y.logarithmic = cost.x.logarithmic = cost.y.logarithmic = true;
    std::vector<std::vector<double>> steps(names.size()), costs(names.size());
    std::vector<double> nodes;
    for (const flesh::GridSize& grid : grids) {
      flesh::StudyConfig config;
      flesh::GridModel model;
      if (active) {
        flesh::MuscleSetup setup;
        setup.grid = grid;
        setup.excitation = {{0, 1}};
        model = flesh::makeMuscleBetweenPlanes(setup);
        config.window = 0.02;
      } else {
        flesh::BrickSetup setup;
        setup.grid = grid;
        model = flesh::makeHangingBrick(setup);
        config.window = 0.1;
      }
      nodes.push_back(grid.nodeCount());
      const flesh::GridState reference = flesh::studyReference(model, config);
      for (std::size_t i = 0; i < names.size(); ++i) {
        const flesh::IntegratorResult x =
            flesh::studyIntegrator(model, names[i], reference, config);
        const bool adaptive = names[i] == "cash-karp";
        steps[i].push_back(adaptive || x.largestStep == 0 ? std::nan("") : x.largestStep);
        costs[i].push_back(x.largestStep == 0 ? std::nan("") : x.costPerSecond);
        table.rows.push_back(
            {scene, names[i], flesh::toString(grid),
             adaptive ? "adaptive" : fmt::format("{:.2f}", 1e6 * x.largestStep),
             fmt::format("{:.3g}", x.costPerSecond), fmt::format("{:.0f}", x.evaluations),
             fmt::format("{:.3g}", 1e6 * x.error), fmt::format("{:.3g}", 1e6 * x.errorHalf)});
        csv.append(0, std::string(scene)), csv.append(1, names[i]),
            csv.append(2, flesh::toString(grid));
        const double values[]{adaptive ? std::nan("") : x.largestStep, x.costPerSecond,
                              x.evaluations, x.error, x.errorHalf};
        for (std::size_t c = 0; c < 5; ++c) csv.append(3 + c, values[c]);
        r.progress.update(++done);
      }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != "cash-karp") step.line(nodes, steps[i], names[i]).scatter(nodes, steps[i]);
      cost.line(nodes, costs[i], names[i]).scatter(nodes, costs[i]);
    }
  }
  r.progress.end();
  io::writeCsv(r.folder / "integrators.csv", csv);
  r.plot(plot,
         "Passive brick (window 0.1 s) and active muscle (window 20 ms) at three resolutions.",
         "integrators");
  r.report.table(table);
}

void writeReadings(Report& report) {
  report.heading("How the paper was read");
  report.list({
      "Eq. 2 prints `dr/da_i` behind the bracket. The variation gives `dr/da_j`. With the printed "
      "index a sheared block has no shear stress and an axial force instead (verify/dobsik).",
      "The metric rate is called half of dG/dt and written as the whole of it. With E = G - G0 the "
      "whole is dE/dt, which is used.",
      "Eq. 4 has the factor (dV - dV0) in front of the derivatives. The bracket is the divergence "
      "of a cofactor matrix and vanishes identically; the factor belongs inside. The printed force "
      "falls to zero under refinement (verify/dobsik).",
      "Eq. 3 takes |dV|; the sign is kept, or a cell turned inside out would be at rest.",
      "The forces are the exact gradient of a discrete energy with all eight one-sided differences "
      "per cell, not differences of Eq. 2 term by term: second order instead of first at free "
      "ends, no torque on a free body. The paper's forms are kept as `--form paper-fluxes`, "
      "`paper-termwise`, `paper-printed`.",
      "Sizes, moduli and forces are not given in the paper; those here are of a human muscle (20 "
      "cm, 400 N) and a 12 cm brick.",
  });
}

void run(const Program& program, const std::string& out, bool quick) {
  const auto progress = program.makeProgress("");
  std::filesystem::create_directories(out);
  Reproduction r{
      out, quick, *progress,
      Report("Biomechanically based muscle model",
             "M. Dobšík and M. Frydrych: the paper's experiments, and ours beside them")};
  reproduceFig1(r);
  reproduceFig3(r);
  reproduceFig4(r);
  reproduceEnergy(r);
  reproduceIntegrators(r);
  r.report.heading("Paper and ours");
  r.report.comparison(r.rows, "What the paper shows as a plot only is named so.");
  writeReadings(r.report);
  r.report.writeHtml(r.folder / "report.html");
  io::writeJson(r.folder / "numbers.json", r.numbers);
  std::string text;
  for (const ComparisonRow& row : r.rows)
    text += fmt::format("{:<66} {:>10} {:<8} {}\n", row.quantity, row.ours, row.unit,
                        !row.pass   ? ""
                        : *row.pass ? "ok"
                                    : "differs");
  program.print(r.numbers, text + fmt::format("report: {}\n", (r.folder / "report.html").string()));
}

}  // namespace

void addReproduceDobsik(Program& program, CLI::App* reproduce) {
  CLI::App* verb = program.addSubVerb(
      reproduce, "dobsik", "Dobsik & Frydrych: hanging brick, active muscle, integrators",
      "pneuma reproduce dobsik --quick");
  auto out = std::make_shared<std::string>("out/dobsik");
  auto quick = std::make_shared<bool>(false);
  verb->add_option("--out", *out, "Folder of the report")->capture_default_str();
  verb->add_flag("--quick", *quick, "Coarser grids, one resolution for the integrators, no film");
  verb->callback([&program, out, quick] { run(program, *out, *quick); });
}

}  // namespace pneuma::cli
