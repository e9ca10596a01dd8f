#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/breath_outputs.h"
#include "cli/verbs.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/version.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/renderer.h"
#include "pneuma/render/report.h"

/// The experiments of Zordan et al. 2005, with the paper's numbers beside ours.
namespace pneuma::cli {
namespace {

using namespace pneuma::breath;

BreathSettings settingsOf(const char* preset, const char* style) {
  BreathSettings s;
  s.torso = makeTorsoConfig(preset);
  s.style = style;
  return s;
}

const std::vector<const char*> kStyles{"casual", "deep", "panting", "forced-exhale"};

// ---- Figure 7: breath space -----------------------------------------------------------------

struct BreathSpace {
  std::vector<double> efforts, periods, tidal;  ///< tidal: a row of efforts per period [mL]
};

double tidalOf(double effort, double period) {
  BreathSettings s = settingsOf("default", "casual");
  s.knobs.effort = effort;
  s.knobs.rate = 60 / period;
  BreathSimulation run(s);
  run.run(3 * period + 1);
  return 1e6 * run.summary().tidalVolume;
}

/// Row by row in parallel; every row is a checkpoint.
BreathSpace breathSpace(io::RunFolder& folder, Progress& progress) {
  BreathSpace space;
  for (int i = 0; i < 18; ++i) space.efforts.push_back(0.25 + 0.25 * i);
  for (int j = 0; j < 17; ++j) space.periods.push_back(0.5 + 0.25 * j);
  std::size_t row = 0;
  if (const auto saved = folder.lastCheckpoint()) {
    io::StateReader in(saved->state);
    in.get(space.tidal);
    row = saved->step;
  }
  const std::size_t columns = space.efforts.size();
  space.tidal.resize(columns * space.periods.size());
  for (; row < space.periods.size(); ++row) {
    parallelFor(columns, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        space.tidal[row * columns + i] = tidalOf(space.efforts[i], space.periods[row]);
    });
    io::StateWriter out;
    out.put(space.tidal);
    folder.saveCheckpoint(row + 1, out);
    progress.update(static_cast<double>((row + 1) * columns));
  }
  return space;
}

render::Plot breathSpacePlot(const BreathSpace& space) {
  render::Plot plot;
  auto& panel = plot.panel("Breath space: tidal volume of steady breathing",
                           "contraction, relative to quiet breathing [-]", "period [s]");
  render::ColorScale scale;
  scale.map = render::ColorMap::Sequential;
  scale.min = 0;
  scale.max = *std::max_element(space.tidal.begin(), space.tidal.end());
  scale.label = "tidal volume [mL]";
  panel.heatMap(space.efforts, space.periods, space.tidal, scale);
  return plot;
}

// ---- Figures 6 and 9 -------------------------------------------------------------------------

struct StyleRun {
  std::string preset, style;
  std::vector<double> time, volume;
  std::vector<std::vector<double>> ribs;
  BreathSummary summary;
  double realTime = 0;
};

StyleRun runStyle(const char* preset, const char* style) {
  BreathSimulation run(settingsOf(preset, style));
  const bool paper = std::string_view(preset) == "zordan2005";
  run.run(paper ? 48 : 16);
  StyleRun out{
      .preset = preset, .style = style, .summary = run.summary(), .realTime = run.realTimeFactor()};
  out.ribs.resize(kRibCount);
  for (const TorsoMeasures& m : run.samples()) {
    if (m.time < run.state().time - 12) continue;
    out.time.push_back(m.time - run.state().time + 12);
    out.volume.push_back(1e6 * (m.lungVolume - run.model().restLung));
    for (std::size_t i = 0; i < kRibCount; ++i)
      out.ribs[i].push_back(radiansToDegrees(m.rightPump[i]));
  }
  return out;
}

render::Plot volumesPlot(const std::vector<StyleRun>& runs, const std::string& preset) {
  render::Plot plot;
  auto& panel = plot.panel("Lung-cavity volume, preset " + preset, "time [s]", "volume [mL]");
  for (const StyleRun& r : runs)
    if (r.preset == preset) panel.line(r.time, r.volume, r.style);
  return plot;
}

render::Plot ribsPlot(const StyleRun& run) {
  render::Plot plot;
  auto& panel =
      plot.panel("Rotation of the right ribs, preset " + run.preset, "time [s]", "angle [deg]");
  for (std::size_t i = 0; i < kRibCount; ++i)
    panel.line(
        run.time, run.ribs[i], std::to_string(i + 1),
        {.color = render::sample(render::ColorMap::Sequential, 0.1 * static_cast<double>(i))});
  return plot;
}

// ---- Figure 4: a ball on the gut --------------------------------------------------------------

double ballError(const char* preset) {
  BreathSettings s = settingsOf(preset, "casual");
  s.knobs.rate = 0;
  BallState ball;
  ball.present = true;
  ball.mass = std::string_view(preset) == "default" ? 2 : 0.05;
  ball.radius = 0.05;
  ball.contactStiffness = std::string_view(preset) == "default" ? 4000 : 50;
  ball.position = {0, 1.05, 0.32};
  ball.gravity = {0, 0, -kGravity};
  s.ball = ball;
  BreathSimulation run(s);
  run.run(1.2);
  double error = 0;
  for (const TorsoMeasures& m : run.samples())
    error = std::max(error, std::abs(m.gutVolume / run.model().restGut - 1));
  return 100 * error;
}

// ---- Report -----------------------------------------------------------------------------------

const StyleRun& find(const std::vector<StyleRun>& runs, std::string_view preset,
                     std::string_view style) {
  return *std::find_if(runs.begin(), runs.end(),
                       [&](const StyleRun& r) { return r.preset == preset && r.style == style; });
}

std::vector<render::ComparisonRow> countRows() {
  const TorsoModel m = makeTorsoModel(makeTorsoAnatomy({}), makeTorsoConfig("zordan2005"));
  const auto row = [&](const char* name, const char* paper, std::size_t ours, double target) {
    return render::ComparisonRow{name,
                                 "springs",
                                 paper,
                                 std::to_string(ours),
                                 std::abs(static_cast<double>(ours) - target) <= 0.05 * target,
                                 "Table 1"};
  };
  return {row("intercostals", "516",
              m.springCount(MuscleGroup::ExternalIntercostal) +
                  m.springCount(MuscleGroup::InternalIntercostal),
              516),
          row("diaphragm", "464", m.springCount(MuscleGroup::Diaphragm), 464),
          row("rectus", "85", m.springCount(MuscleGroup::Rectus), 85),
          row("transversus and obliques", "350", m.springCount(MuscleGroup::Transverse), 350)};
}

std::vector<render::ComparisonRow> resultRows(const std::vector<StyleRun>& runs, double ballDefault,
                                              double ballPaper) {
  std::vector<render::ComparisonRow> rows;
  const auto add = [&](std::string what, std::string unit, std::string paper, double ours,
                       int digits, std::optional<bool> pass, std::string note) {
    rows.push_back({std::move(what), std::move(unit), std::move(paper),
                    fmt::format("{:.{}f}", ours, digits), pass, std::move(note)});
  };
  for (const char* preset : {"default", "zordan2005"}) {
    const bool calibrated = std::string_view(preset) == "default";
    const std::string tag = fmt::format(", {}", preset);
    const double casual = 1e6 * find(runs, preset, "casual").summary.tidalVolume;
    add("tidal volume, casual" + tag, "mL", "500", casual, 0,
        calibrated ? std::optional<bool>(casual >= 450 && casual <= 550) : std::nullopt,
        calibrated ? "Fig. 6"
                   : "Fig. 6; gains per spring depend on the paper's mesh, which is not known");
    add("tidal volume, deep" + tag, "mL", "not stated",
        1e6 * find(runs, preset, "deep").summary.tidalVolume, 0, std::nullopt, "Fig. 6");
    add("tidal volume, panting" + tag, "mL", "not stated",
        1e6 * find(runs, preset, "panting").summary.tidalVolume, 0, std::nullopt, "Fig. 6");
    add("below rest, forced exhale" + tag, "mL", "not stated",
        1e6 * find(runs, preset, "forced-exhale").summary.belowRest, 0, std::nullopt, "");
    const double error = 100 * find(runs, preset, "casual").summary.gutError;
    add("gut volume error, casual" + tag, "%", "< 2", error, 2, error < 2.2, "Section 6.2");
    const double speed = find(runs, preset, "casual").realTime;
    add("speed" + tag, "x real time", "1/60", speed, 1, speed > 1, "Section 11, 3.2 GHz Athlon");
  }
  add("gut volume error, ball dropped, default", "%", "< 0.5", ballDefault, 2, ballDefault < 0.5,
      "Fig. 4");
  add("gut volume error, ball dropped, zordan2005", "%", "< 0.5", ballPaper, 2, std::nullopt,
      "Fig. 4; mass of the ball is not known");
  return rows;
}

/// Figures 2 and 8: cut through the middle, four moments of a breath.
render::Image cutaways() {
  BreathSimulation run(settingsOf("default", "deep"));
  const TorsoShapes shapes(run.model(), run.settings().subject);
  std::vector<render::Tile> tiles;
  render::RenderOptions options;
  options.width = options.height = 480;
  options.samples = 8;
  options.ground = false;
  options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  const render::Camera camera =
      render::Camera::frame(boundingBox(shapes.skin().rest().positions), Vec3(0.95, 0.1, 0.3),
                            {.aspect = 1.0, .margin = 0.04});
  for (const double t : {10.0, 11.2, 12.3, 13.4}) {
    run.run(t);
    tiles.push_back({render::render(shapes.scene(captureFrame(run), 1, true), camera, options),
                     fmt::format("{:.1f} s", t - 10)});
  }
  return render::tile(tiles, 4);
}

void reproduce(Program& program, const std::string& out, bool resume) {
  io::RunDescription description;
  description.command = "pneuma reproduce zordan2005";
  description.version = std::string(version());
  io::RunFolder folder = io::RunFolder::open(out, description, resume);
  auto progress = program.makeProgress("runs");
  progress->begin("breath space", 18 * 17);
  const BreathSpace space = breathSpace(folder, *progress);
  progress->end();

  std::vector<StyleRun> runs(2 * kStyles.size());
  parallelFor(runs.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      runs[i] =
          runStyle(i < kStyles.size() ? "default" : "zordan2005", kStyles[i % kStyles.size()]);
  });
  const auto rows = resultRows(runs, ballError("default"), ballError("zordan2005"));

  render::Report report(
      "Breathe easy, reproduced",
      "Zordan, Celly, Chiu, DiLorenzo: model and control of human respiration (2005)");
  report.heading("Results").comparison(rows, "The paper's figures beside ours, for both presets.");
  report.heading("Model").comparison(countRows(), "Spring elements per group.");
  report.heading("Breathing styles (Fig. 6)");
  for (const char* preset : {"default", "zordan2005"})
    report.plot(volumesPlot(runs, preset), fmt::format("Volumes of the styles, preset {}.", preset),
                fmt::format("volumes_{}", preset));
  report.heading("Breath space (Fig. 7)");
  report.plot(breathSpacePlot(space), fmt::format("{} runs.", space.tidal.size()), "breath_space");
  report.heading("Ribs (Fig. 9)");
  for (const char* preset : {"default", "zordan2005"})
    report.plot(ribsPlot(find(runs, preset, "casual")),
                fmt::format("Right ribs 1-10, preset {}.", preset), fmt::format("ribs_{}", preset));
  report.heading("Shape (Figs. 2, 8)");
  report.picture(cutaways(), "Four moments of a deep breath, cut through the middle.", "cutaways");
  report.writeHtml(folder.file("report.html"));
  report.writeMarkdown(folder.file("report.md"));
  folder.finish();

  nlohmann::ordered_json json;
  std::string text;
  for (const render::ComparisonRow& r : rows) {
    json[r.quantity] = r.ours;
    text +=
        fmt::format("  {:<48}{:>10} {:<12} paper {}\n", r.quantity, r.ours, r.unit, r.published);
  }
  program.print(json, text + fmt::format("\nWrote {}/report.html\n", out));
}

}  // namespace

void addReproduceZordan2005(Program& program, CLI::App* parent) {
  CLI::App* verb =
      program.addSubVerb(parent, "zordan2005", "The breathing torso: figures 2, 4, 6-9 and tables",
                         "pneuma reproduce zordan2005 --out zordan2005");
  auto out = std::make_shared<std::string>("zordan2005");
  auto resume = std::make_shared<bool>(false);
  verb->add_option("--out", *out, "Folder of the run")->capture_default_str();
  verb->add_flag("--resume", *resume, "Go on with a run that was stopped");
  verb->callback([out, resume, &program] { reproduce(program, *out, *resume); });
}

}  // namespace pneuma::cli
