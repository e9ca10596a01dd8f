#include "reproduce/zordan2005/zordan2005.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/render/report.h"
#include "pneuma/stage/breath_request.h"
#include "reproduce/zordan2005/pictures.h"

namespace pneuma::reproduce::zordan2005 {
namespace {

using namespace pneuma::breath;
using namespace pneuma::reproduce::zordan2005;

/// Table 1: elements and gains. The counts are ours; the gains those of each preset.
std::vector<render::ComparisonRow> elementRows(const ShoulderLayer& layer) {
  const TorsoModel m = defaultTorso(makeTorsoConfig("zordan2005"));
  const auto row = [&](const char* name, std::size_t ours, double paper) {
    return render::ComparisonRow{name,
                                 "springs",
                                 fmt::format("{:.0f}", paper),
                                 std::to_string(ours),
                                 std::abs(static_cast<double>(ours) - paper) <= 0.05 * paper,
                                 "Table 1, within 5 %"};
  };
  return {row("intercostals",
              m.springCount(MuscleGroup::ExternalIntercostal) +
                  m.springCount(MuscleGroup::InternalIntercostal),
              516),
          row("diaphragm", m.springCount(MuscleGroup::Diaphragm), 464),
          row("rectus", m.springCount(MuscleGroup::Rectus), 85),
          row("transversus and obliques", m.springCount(MuscleGroup::Transverse), 350),
          row("shoulders", static_cast<std::size_t>(layer.elementCount()), 52),
          {"rigid bodies with arms", "", "28", std::to_string(kAllBodyCount), kAllBodyCount == 28,
           "Section 9"},
          {"volume-preserving bodies of the second layer", "", "4",
           std::to_string(layer.fleshCount()), layer.fleshCount() == 4, "Section 8"}};
}

// The paper's gains are per spring, ours per width and strain: both are written out, for they
// cannot be compared line by line.
render::Table gainTable() {
  const TorsoConfig paper = makeTorsoConfig("zordan2005"), ours = makeTorsoConfig("default");
  render::Table t{.header = {"group", "k_ac, k_pe, b (paper, SI)", "preset zordan2005",
                             "preset default (per width and strain)"},
                  .caption =
                      "Tables 1 and 2. zordan2005: N/m, N/m, N s/m per spring. default: "
                      "tension per width and strain [N/m] twice, damping time [s]."};
  const auto gains = [](const MuscleConfig& m) {
    return fmt::format("{:g}, {:g}, {:g}", m.active, m.passive, m.damping);
  };
  t.rows = {
      {"intercostals", "20, -, 1.0", gains(paper.intercostal), gains(ours.intercostal)},
      {"diaphragm", "4, 1.0, 0.1", gains(paper.diaphragm), gains(ours.diaphragm)},
      {"rectus", "15, 2.1, 0.1", gains(paper.rectus), gains(ours.rectus)},
      {"transversus/obliques", "-, 1.5, 0.1", gains(paper.transverse), gains(ours.transverse)},
      {"spine to ground, k and b", "5000, 450",
       fmt::format("{:g}, {:g}", paper.groundStiffness, paper.groundDamping),
       fmt::format("{:g}, {:g}", ours.groundStiffness, ours.groundDamping)},
      {"rib joint friction mu", "0.3", fmt::format("{:g}", paper.jointFriction),
       fmt::format("{:g}", ours.jointFriction)},
      {"sternum to ribs, k and b", "100, 1",
       fmt::format("{:g}, {:g}", paper.cartilageStiffness, paper.cartilageDamping),
       fmt::format("{:g}, {:g}", ours.cartilageStiffness, ours.cartilageDamping)},
      {"gut to ribs, k and b", "40, 1",
       fmt::format("{:g}, {:g}", paper.rimStiffness, paper.rimDamping), "fixed to the ribs"},
      {"kappa [Pa]", "200", fmt::format("{:g}", paper.bulkModulus),
       fmt::format("{:g}", ours.bulkModulus)},
      {"masses: spine and head, rib, sternum, gut [kg]", "10.5, ~0.7, 2.0, 8.0",
       fmt::format("{:g}, {:g}, {:g}, {:g}", paper.spineMass, paper.ribMass, paper.sternumMass,
                   paper.gutMass),
       fmt::format("{:g}, {:g}, {:g}, {:g}", ours.spineMass, ours.ribMass, ours.sternumMass,
                   ours.gutMass)}};
  return t;
}

render::Table controlTable() {
  render::Table t{
      .header = {"style", "rate [1/min]", "diaphragm r", "intercostals r(t)", "rectus r",
                 "default: 1 - r of diaphragm, external, scalenes, levators"},
      .caption =
          "Table 3 as used by preset zordan2005, and the drive of preset "
          "default at the top of a breath."};
  for (const char* name : kStyles) {
    const BreathStyle& s = stage::dataStyle(name);
    const PaperControl& p = *s.paper;
    t.rows.push_back({name, fmt::format("{:g}", p.rate), fmt::format("{:g}", p.diaphragm),
                      fmt::format("{:g} +- {:g}", p.mean, p.swing),
                      p.rectus ? fmt::format("{:g}", *p.rectus) : "-",
                      fmt::format("{:g}, {:g}, {:g}, {:g}", s.inspire.diaphragm, s.inspire.external,
                                  s.inspire.scalene, s.inspire.levator)});
  }
  return t;
}

render::Table phaseTable(const std::vector<StyleRun>& runs) {
  render::Table t{.header = {"right rib", "default: swing [deg]", "delay after rib 1 [ms]",
                             "zordan2005: swing [deg]", "delay after rib 1 [ms] "},
                  .caption =
                      "Fig. 9 in numbers: all intercostals get their signal at once; delays "
                      "are those of the first harmonic."};
  const auto ours = ribPhases(find(runs, "default", "casual"));
  const auto paper = ribPhases(find(runs, "zordan2005", "casual"));
  for (std::size_t i = 0; i < ours.size(); ++i)
    t.rows.push_back({std::to_string(i + 1), fmt::format("{:.2f}", ours[i].swing),
                      fmt::format("{:.0f}", ours[i].delay), fmt::format("{:.2f}", paper[i].swing),
                      fmt::format("{:.0f}", paper[i].delay)});
  return t;
}

std::vector<render::ComparisonRow> resultRows(const std::vector<StyleRun>& runs,
                                              const BallRun& ball, const BallRun& paperBall) {
  std::vector<render::ComparisonRow> rows;
  const auto add = [&](std::string what, std::string unit, std::string paper, double ours,
                       int digits, std::optional<bool> pass, std::string note) {
    rows.push_back({std::move(what), std::move(unit), std::move(paper),
                    fmt::format("{:.{}f}", ours, digits), pass, std::move(note)});
  };
  for (const char* preset : kPresets) {
    const bool calibrated = std::string_view(preset) == "default";
    const std::string tag = fmt::format(", {}", preset);
    const auto tidal = [&](const char* style) {
      return 1e6 * find(runs, preset, style).summary.tidalVolume;
    };
    const double casual = tidal("casual");
    add("tidal volume, casual" + tag, "mL", "500", casual, 0,
        calibrated ? std::optional<bool>(casual >= 450 && casual <= 550) : std::nullopt,
        calibrated ? "Fig. 6"
                   : "Fig. 6; gains per spring depend on the paper's mesh, which is not known");
    add("tidal volume, deep" + tag, "mL", "not stated", tidal("deep"), 0, std::nullopt, "Fig. 6");
    add("tidal volume, panting" + tag, "mL", "not stated", tidal("panting"), 0, std::nullopt,
        "Fig. 6");
    add("below rest, forced exhale" + tag, "mL", "not stated",
        1e6 * find(runs, preset, "forced-exhale").summary.belowRest, 0, std::nullopt, "Fig. 6");
    const double error = 100 * find(runs, preset, "casual").summary.gutError;
    add("gut volume error, casual" + tag, "%", "< 2", error, 2, error < 2, "Section 6.2");
    const double speed = find(runs, preset, "casual").realTime;
    add("speed" + tag, "x real time", "1/60", speed, 1, speed > 1,
        "Section 11, 3.2 GHz Athlon; ours: one core");
  }
  add("gut volume error, ball dropped, default", "%", "< 0.5", ball.error, 2, ball.error < 0.5,
      fmt::format("Fig. 4; {:g} kg, dent of {:.0f} mm", ball.mass, ball.depth));
  add("gut volume error, ball dropped, zordan2005", "%", "< 0.5", paperBall.error, 2, std::nullopt,
      fmt::format("Fig. 4; {:g} kg, dent of {:.0f} mm; the paper's ball is not described",
                  paperBall.mass, paperBall.depth));
  return rows;
}

render::Report makeReport(const std::vector<StyleRun>& runs, const BreathSpace& space,
                          const BallRun& ball, const std::vector<render::ComparisonRow>& rows) {
  const ShownBreath deep("deep"), casual("casual");
  const stage::TorsoCast torso(deep.run, *deep.run.settings().body);
  render::Report report(
      "Breathe easy, reproduced",
      "Zordan, Celly, Chiu, DiLorenzo: model and control of human respiration (2005)");
  report.heading("Results").comparison(rows, "The paper's figures beside ours, for both presets.");
  report.heading("Model (Tables 1-3)")
      .comparison(elementRows(*deep.run.layer()), "Elements and bodies.")
      .table(gainTable())
      .table(controlTable());
  report.heading("Inhale and exhale (Fig. 2)")
      .picture(inhaleExhale(deep, torso), "A deep breath, preset default.", "fig2");
  report.heading("A ball on the gut (Fig. 4)")
      .picture(ballPicture(ball),
               fmt::format("A lead ball of {:g} kg; volume error {:.2f} %.", ball.mass, ball.error),
               "fig4");
  report.heading("Breathing styles (Fig. 6)");
  for (const char* preset : kPresets)
    report.plot(volumesPlot(runs, preset), fmt::format("Volumes of the styles, preset {}.", preset),
                fmt::format("fig6_{}", preset));
  report.heading("Breath space (Fig. 7)")
      .plot(breathSpacePlot(space),
            fmt::format("{} runs of preset default. Short breaths move less air at the same "
                        "contraction, as in the paper.",
                        space.tidal.size()),
            "fig7");
  report.heading("Surface change (Fig. 8)")
      .picture(overlay(deep, torso), "Four moments of a deep breath over one another, cut open.",
               "fig8")
      .plot(sectionPlot(casual, torso, 5), "Four moments of a quiet breath.", "fig8_section");
  report.heading("Ribs (Fig. 9)");
  for (const char* preset : kPresets)
    report.plot(ribsPlot(find(runs, preset, "casual")),
                fmt::format("Right ribs 1-10, casual breath, preset {}.", preset),
                fmt::format("fig9_{}", preset));
  report.table(phaseTable(runs));
  return report;
}

}  // namespace

// The map of the breath space takes longest and is kept in the run folder; all else is quick and
// done anew.
Outcome run(const Context& context) {
  io::RunDescription description;
  description.command = context.command;
  description.verb = "reproduce zordan2005";
  io::RunFolder folder = io::RunFolder::open(context.out, description, context.resume);
  auto progress = context.makeProgress("runs");
  progress->begin("breath space", 18 * 17);
  const BreathSpace space = breathSpace(folder, *progress);
  progress->end();
  auto rest = context.makeProgress("parts");
  rest->begin("styles, ball, pictures", 3);
  const std::vector<StyleRun> runs = runStyles();
  rest->update(1);
  const BallRun ball = dropBall("default"), paperBall = dropBall("zordan2005");
  const auto rows = resultRows(runs, ball, paperBall);
  rest->update(2);
  const render::Report report = makeReport(runs, space, ball, rows);
  report.writeHtml(folder.file("report.html"));
  report.writeMarkdown(folder.file("report.md"));
  rest->update(3);
  rest->end();
  folder.finish();

  Outcome outcome;
  for (const render::ComparisonRow& r : rows) {
    outcome.numbers[r.quantity] = r.ours;
    outcome.text +=
        fmt::format("  {:<48}{:>10} {:<12} paper {}\n", r.quantity, r.ours, r.unit, r.published);
  }
  outcome.text += fmt::format("\nWrote {}/report.html\n", context.out.string());
  return outcome;
}

}  // namespace pneuma::reproduce::zordan2005
