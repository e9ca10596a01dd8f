#include <fmt/format.h>

#include <array>
#include <cmath>

#include "pneuma/flesh/grid_experiments.h"
#include "pneuma/io/table.h"
#include "reproduce/dobsik/reproduction.h"

namespace pneuma::reproduce::dobsik {
namespace {

using flesh::IntegratorResult;

/// One scene of the study at one resolution.
struct StudyCase {
  const char* scene = "";
  flesh::GridModel model;
  flesh::StudyConfig config;
};

StudyCase makeCase(bool active, const flesh::GridSize& grid) {
  StudyCase c;
  c.scene = active ? "active muscle" : "passive brick";
  if (active) {
    flesh::MuscleSetup setup;
    setup.grid = grid;
    setup.excitation = {{0, 1}};
    c.model = flesh::makeMuscleBetweenPlanes(setup);
    c.config.window = 0.02;
  } else {
    flesh::BrickSetup setup;
    setup.grid = grid;
    c.model = flesh::makeHangingBrick(setup);
    c.config.window = 0.1;
  }
  return c;
}

/// The row of one integrator, from the checkpoint or computed.
IntegratorResult studyRow(Reproduction& r, const StudyCase& c, const std::string& name) {
  const std::string grid = flesh::toString(c.model.solid.size);
  const std::vector<double>& v = r.memo.get(fmt::format("{} {} {}", c.scene, grid, name), [&] {
    flesh::GridState reference;
    reference.time = c.config.window;
    const std::vector<double>& q =
        r.memo.get(fmt::format("{} {} reference", c.scene, grid), [&]() -> std::vector<double> {
          const flesh::GridState state = flesh::studyReference(c.model, c.config);
          return {state.q.begin(), state.q.end()};
        });
    reference.q = Eigen::Map<const VecX>(q.data(), static_cast<Eigen::Index>(q.size()));
    const IntegratorResult x = flesh::studyIntegrator(c.model, name, reference, c.config);
    return std::vector{x.largestStep, x.costPerSecond, x.evaluations, x.error, x.errorHalf};
  });
  return {name, c.model.solid.size, v[0], v[1], v[2], v[3], v[4]};
}

/// The table of the study: one file for programs, one table per scene for people.
struct StudyTable {
  io::Table csv;
  std::vector<render::Table> scenes;

  StudyTable() {
    for (const char* c : {"scene", "integrator", "grid"}) csv.addTextColumn(c);
    csv.addTextColumn("largest_step [s]");  // empty for a method that chooses its own
    csv.addColumn("cost", "CPU s per s");
    csv.addColumn("evaluations", "1/s");
    csv.addColumn("error", "m");
    csv.addColumn("error_half_step", "m");
  }

  void begin(const char* scene) {
    render::Table& table = scenes.emplace_back();
    table.caption = scene;
    table.header = {"integrator",        "grid",       "step [µs]",     "CPU s per s",
                    "evaluations per s", "error [µm]", "half step [µm]"};
  }

  void add(const char* scene, const IntegratorResult& x) {
    const bool adaptive = x.integrator == "cash-karp";
    const std::string grid = flesh::toString(x.grid);
    csv.append(0, std::string(scene)), csv.append(1, x.integrator), csv.append(2, grid);
    csv.append(3, adaptive ? std::string() : fmt::format("{}", x.largestStep));
    const double values[]{x.costPerSecond, x.evaluations, x.error, x.errorHalf};
    for (std::size_t c = 0; c < 4; ++c) csv.append(4 + c, values[c]);
    scenes.back().rows.push_back(
        {x.integrator, grid, adaptive ? "own" : fmt::format("{:.3g}", 1e6 * x.largestStep),
         fmt::format("{:.2g}", x.costPerSecond), fmt::format("{:.0f}", x.evaluations),
         fmt::format("{:.2g}", 1e6 * x.error), fmt::format("{:.2g}", 1e6 * x.errorHalf)});
  }
};

/// What is drawn of one scene, by integrator and grid.
struct StudyCurves {
  std::vector<double> nodes;
  std::vector<std::vector<double>> step, cost, error;  ///< [ms], [CPU s per s], [um]
};

/// One row of panels per measure, one column per scene; the legend stands above the costs, where
/// all methods are seen. Cash-Karp, the method of the reference, is below the errors drawn.
render::Plot plotStudy(const std::vector<std::string>& names,
                       const std::array<StudyCurves, 2>& curves) {
  render::Plot plot("Integrators at their largest stable step");
  plot.columns = 2;
  const struct {
    const char *title, *unit;
    std::vector<std::vector<double>> StudyCurves::*values;
  } rows[]{{"cost", "CPU s per simulated s", &StudyCurves::cost},
           {"step", "largest step [ms]", &StudyCurves::step},
           {"error", "error [µm]", &StudyCurves::error}};
  for (const auto& row : rows)
    for (const bool active : {false, true}) {
      const StudyCurves& c = curves[active ? 1 : 0];
      auto& panel = plot.panel(fmt::format("{}, {}", active ? "Muscle" : "Brick", row.title),
                               "nodes", row.unit);
      panel.x.logarithmic = panel.y.logarithmic = true;
      if (row.values != &StudyCurves::cost) panel.legend = render::LegendPlace::None;
      if (row.values == &StudyCurves::error) panel.y.min = 1e-4;
      for (std::size_t i = 0; i < names.size(); ++i) {
        // Implicit methods are the bold ones; the palette comes round after eight.
        const bool implicit = names[i].find("implicit") != std::string::npos;
        panel.line(c.nodes, (c.*row.values)[i], names[i],
                   {.width = implicit ? 4.5 : 1.8,
                    .dash = i >= 8 ? render::Dash::Dashed : render::Dash::Solid});
      }
    }
  return plot;
}

}  // namespace

// Without losses the brick's energy can only change by the integrator: what each of them adds or
// takes is its own error.
void reproduceEnergy(Reproduction& r) {
  flesh::BrickSetup setup;
  setup.grid = {7, 4, 4};
  setup.material = flesh::makeIsotropic(1060, 6e3, 0, 5e4);
  const flesh::GridModel model = flesh::makeHangingBrick(setup);
  const flesh::GridState rest = flesh::makeRestState(model);
  const double scale = model.solid.totalMass() * kGravity * setup.extent.x() / 20;
  const double e0 = flesh::computeModelEnergy(model, 0, rest.q, rest.v).total();
  render::Plot plot("Energy of a lossless hanging brick");
  plot.columns = 2;
  auto& all = plot.panel("All", "time [s]", "change [typical exchange]");
  auto& band = plot.panel("Explicit only", "time [s]", "change [typical exchange]");
  r.progress.begin("energy", 4);
  int done = 0;
  for (const auto& [name, h] : std::vector<std::pair<std::string, double>>{
           {"symplectic-euler", 2e-4}, {"rk4", 2e-4}, {"implicit-euler", 2e-3}}) {
    flesh::GridSystem system(model);
    const auto integrator = makeIntegrator(parseIntegrator(name));
    VecX x = system.pack(rest);
    flesh::GridState state;
    std::vector<double> t, energy;
    const long steps = std::lround((r.quick ? 0.4 : 2.0) / h);
    const long every = std::max(1L, steps / 400);
    for (long i = 0; i <= steps; ++i) {
      if (i % every == 0) {
        system.unpack(x, static_cast<double>(i) * h, state);
        t.push_back(state.time);
        energy.push_back((flesh::computeModelEnergy(model, 0, state.q, state.v).total() - e0) /
                         scale);
      }
      integrator->step(system, static_cast<double>(i) * h, h, x);
    }
    const std::string label = fmt::format("{}, {:.1f} ms", name, 1e3 * h);
    all.line(t, energy, label);
    if (name != "implicit-euler") band.line(t, energy, label);
    r.progress.update(++done);
  }
  r.progress.end();
  r.report.heading("Energy drift", 3);
  r.plot(plot,
         "Without dissipation the symplectic step keeps the energy within a band, implicit Euler "
         "takes it away, and RK4 hardly changes it at this step. The unit is the weight falling by "
         "a twentieth of the brick's height.",
         "energy_drift");
}

// Methods are compared at their own largest stable step, for that is what somebody pays who uses
// them.
void reproduceIntegrators(Reproduction& r) {
  r.report.heading("The integration methods compared");
  r.report.paragraph(
      "The paper promises this study for later work. Largest stable step found by halving and "
      "bisection to 10 %, at most an eighth of the window; a run counts as stable when no node "
      "ends farther from the reference than a quarter of the reference's motion. Cost is CPU time "
      "of one thread per simulated second at that step; the error is the root mean square distance "
      "of the nodes from a Cash-Karp solution with tolerances of 1e-9, at the end of the window. "
      "`grid-implicit` is the grid's own implicit Euler step.");
  std::vector<std::string> names = integratorNames();
  names.push_back("grid-implicit");
  const std::vector<flesh::GridSize> grids =
      r.quick ? std::vector<flesh::GridSize>{{5, 3, 3}}
              : std::vector<flesh::GridSize>{{5, 3, 3}, {9, 4, 4}, {13, 5, 5}};
  StudyTable table;
  std::array<StudyCurves, 2> curves;
  r.progress.begin("integrators", static_cast<double>(2 * grids.size() * names.size()));
  int done = 0;
  for (const bool active : {false, true}) {
    StudyCurves& c = curves[active ? 1 : 0];
    c.step.resize(names.size()), c.cost.resize(names.size()), c.error.resize(names.size());
    table.begin(active ? "Active muscle, window 20 ms" : "Passive brick, window 0.1 s");
    for (const flesh::GridSize& grid : grids) {
      const StudyCase study = makeCase(active, grid);
      c.nodes.push_back(grid.nodeCount());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const IntegratorResult x = studyRow(r, study, names[i]);
        const auto orGap = [&](double value) { return x.largestStep == 0 ? std::nan("") : value; };
        c.step[i].push_back(names[i] == "cash-karp" ? std::nan("") : orGap(1e3 * x.largestStep));
        c.cost[i].push_back(orGap(x.costPerSecond));
        c.error[i].push_back(orGap(1e6 * x.error));
        table.add(study.scene, x);
        r.progress.update(++done);
      }
    }
  }
  r.progress.end();
  io::writeCsv(r.folder.file("integrators.csv"), table.csv);
  r.plot(plotStudy(names, curves), "Passive brick and active muscle at three resolutions.",
         "integrators");
  for (render::Table& scene : table.scenes) r.report.table(std::move(scene));
}

}  // namespace pneuma::reproduce::dobsik
