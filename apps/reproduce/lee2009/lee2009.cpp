#include "reproduce/lee2009/lee2009.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/check.h"
#include "pneuma/io/table.h"
#include "pneuma/render/tools.h"
#include "pneuma/skeleton/key_poses.h"
#include "reproduce/lee2009/reproduction.h"

namespace pneuma::reproduce::lee2009 {

void Reproduction::plot(const render::Plot& figure, const std::string& caption,
                        const std::string& name) {
  figure.write(folder.file(name + ".svg"));
  report.plot(figure, caption, name);
}

void Reproduction::compare(const std::string& quantity, const std::string& unit,
                           const std::string& published, double ours, std::optional<bool> pass,
                           const std::string& note) {
  rows.push_back({quantity, unit, published, fmt::format("{:.3g}", ours), pass, note});
}

control::Exercise holdPose(const Reproduction& r, const muscle::DrivenBody& body,
                           const std::vector<std::pair<std::string, double>>& degrees,
                           double seconds) {
  std::vector<skeleton::JointSetting> settings;
  for (const auto& [joint, angle] : degrees) settings.push_back({joint, degreesToRadians(angle)});
  const VecX q = skeleton::PoseMaker(r.compiled, body.model()).make(settings);
  control::Exercise e;
  e.name = "hold";
  e.seconds = seconds;
  e.track = skeleton::makePoseTrack(body.model(), q);
  return e;
}

int dofOf(const muscle::DrivenBody& body, const std::string& name) {
  const auto at = std::ranges::find(body.dofNames(), name);
  PNEUMA_CHECK(at != body.dofNames().end(), "no joint '{}'", name);
  return static_cast<int>(at - body.dofNames().begin());
}

namespace {

void writeReadings(render::Report& report) {
  report.heading("How the paper was read");
  report.list({
      "Gains of Eq. 12 are not given: kp = 400 / s^2, kv = 40 / s; the target's own acceleration "
      "is added.",
      "The look-ahead of Sec. 4.3, taken literally, diverges with our cartilages: plan and step "
      "share one linearly implicit system instead.",
      "Activations stay between 0 and 1, with slack where a torque is out of reach; the paper has "
      "no upper bound.",
      "All muscles are solved for at once; the paper's four groups are `--grouped`.",
      "The rate sigma of Eq. 17 is not given: 5 / s. It filters the mass of a dumbbell, of which "
      "its force follows.",
      "The angle of the ribs in Fig. 16 is not given: 4 degrees.",
      "Strengths are those of people (`pneuma body strength`), not the paper's.",
  });
}

}  // namespace

// Flesh comes first: it needs no controller, and a reader sees pictures while the long experiments
// go on.
Outcome run(const Context& context, bool quick) {
  render::requirePlotting();
  io::RunDescription description;
  description.command = context.command;
  description.verb = "reproduce lee2009";
  description.settings = {{"reproduction", "lee2009"}, {"quick", quick}};
  io::RunFolder folder = io::RunFolder::open(context.out, description, context.resume);
  const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::Body described = anatomy::fitToPerson(measured, measured.person);
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(described, "upper-body").valueOrThrow();
  const auto progress = context.makeProgress("");
  Reproduction r{folder,
                 quick,
                 *progress,
                 measured,
                 described,
                 compiled,
                 render::Report("Comprehensive biomechanical modeling and simulation of the upper "
                                "body",
                                "Lee, Sifakis and Terzopoulos 2009: flesh and control, the paper "
                                "beside ours")};
  using Section = void (*)(Reproduction&);
  const std::vector<Section> sections{
      reproduceFlesh,     reproduceCurls,         reproduceCoactivation, reproduceLoadJump,
      reproduceRibBreath, reproducePectoralDance, reproduceSensitivity,  reproduceComponents};
  for (const Section reproduce : sections) reproduce(r);
  r.report.heading("Paper and ours");
  r.report.comparison(r.rows, "What the paper shows as pictures only is named so.");
  writeReadings(r.report);
  r.report.writeHtml(folder.file("report.html"));
  r.report.writeMarkdown(folder.file("report.md"));
  io::writeJson(folder.file("numbers.json"), r.numbers);
  folder.finish();
  Outcome outcome{.numbers = std::move(r.numbers)};
  for (const render::ComparisonRow& row : r.rows)
    outcome.text += fmt::format("{:<66} {:>9} {:<9} paper: {:<24} {}\n", row.quantity, row.ours,
                                row.unit, row.published,
                                !row.pass   ? ""
                                : *row.pass ? "ok"
                                            : "DIFFERS");
  outcome.text += fmt::format("report: {}\n", folder.file("report.html").string());
  return outcome;
}

}  // namespace pneuma::reproduce::lee2009
