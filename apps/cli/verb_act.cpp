#include <fmt/format.h>

#include "cli/field_options.h"
#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/act_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kClipArticulation = "whole";

struct ActOptions {
  PersonOptions person;
  std::string articulation = "upper-body", out = "out/act";
  stage::ActRequest request;
  stage::FleshRequest flesh;
  int skinTriangles = 20000;
  bool resume = false, track = false;
  stage::DrawnParts drawn;
};

std::string exerciseList() {
  std::string text = "What to do:";
  for (const control::ExerciseInfo& e : control::exercises())
    text += fmt::format("\n  {:<16} {}", e.name, e.meaning);
  return text;
}

ordered_json trackingJson(const std::vector<stage::JointTracking>& all) {
  ordered_json list = ordered_json::array();
  for (const stage::JointTracking& t : all)
    list.push_back({{"joint", t.joint},
                    {"largest_error", t.largest},
                    {"mean_error", t.mean},
                    {"torque_asked_nm", t.asked},
                    {"torque_missing_nm", t.missing}});
  return list;
}

/// Joints whose muscles could not give what was asked for.
std::vector<std::string> outOfStrength(const std::vector<stage::JointTracking>& all) {
  std::vector<std::string> names;
  for (const stage::JointTracking& t : all)
    if (t.outOfStrength()) names.push_back(t.joint);
  return names;
}

void print(const Program& program, const ActOptions& o, const stage::ActRun& act, double cost,
           const std::string& folder) {
  const control::MuscleController& c = act.controller();
  const std::vector<stage::JointTracking> all = act.tracking();
  const std::vector<std::string> tired = outOfStrength(all);
  const double step = c.body().config().step;
  ordered_json j{{"seconds", act.seconds()},
                 {"driven_joints", c.plan().rowCount()},
                 {"muscles", c.body().muscles().count()},
                 {"times_faster_than_real_time", cost > 0 ? step / cost : 0.0},
                 {"largest_error_rad", all.front().largest},
                 {"worst_joint", all.front().joint},
                 {"out_of_strength", tired}};
  if (o.track) j["joints"] = trackingJson(all);
  if (act.flesh()) j.update(act.flesh()->record().json());
  j["folder"] = folder;
  std::string text = fmt::format(
      "{:.2f} s by {} muscles at {} joints, {:.1f} times faster than real time\n"
      "largest error {:.4f} rad ({})\n",
      act.seconds(), c.body().muscles().count(), c.plan().rowCount(), cost > 0 ? step / cost : 0.0,
      all.front().largest, all.front().joint);
  if (o.track)
    for (const stage::JointTracking& t : all)
      text += fmt::format("  {:<26} {:.5f} rad, asked {:8.3f} N m, missing {:.2g}\n", t.joint,
                          t.largest, t.asked, t.missing);
  if (!tired.empty()) {
    constexpr std::size_t kNamed = 8;  // the worst; all of them in the JSON
    const std::size_t more = tired.size() - std::min(kNamed, tired.size());
    text +=
        fmt::format("out of strength: {}{}\n",
                    fmt::join(tired.begin(), tired.end() - static_cast<std::ptrdiff_t>(more), ", "),
                    more > 0 ? fmt::format(" and {} more", more) : "");
  }
  if (act.flesh()) text += act.flesh()->record().text();
  text += "hardest at work:";
  for (const stage::MuscleEffort& e : act.strongest(10))
    text += fmt::format(" {} {:.2f},", e.line, e.activation);
  text.back() = '\n';
  program.print(j, text + fmt::format("wrote {}\n", folder));
}

/// One thing to do; a clip moves a whole body.
void settleMotion(const CLI::App& verb, ActOptions& o) {
  int asked = verb.get_option("exercise")->count() > 0 ? 1 : 0;
  for (const std::string& file : {o.request.poses, o.request.motion}) asked += file.empty() ? 0 : 1;
  if (asked > 1)
    throw InputError(
        Diagnostic{.subject = o.request.motion.empty() ? "option '--poses'" : "option '--motion'",
                   .message = "stands beside another motion",
                   .expected = "an exercise, --poses or --motion"});
  if (o.request.motion.empty()) return;
  if (verb.get_option("--articulation")->count() > 0 && o.articulation != kClipArticulation)
    throw InputError(Diagnostic{.subject = "option '--motion'",
                                .message = fmt::format("with articulation '{}'", o.articulation),
                                .expected = fmt::format("'{}'", kClipArticulation)});
  o.articulation = kClipArticulation;
}

void runAct(const Program& program, const CLI::App& verb, ActOptions o) {
  render::requirePlotting();
  if (o.drawn.film) render::requireFilming();
  settleMotion(verb, o);
  refuseFleshOptions(verb, o.flesh.on);
  const anatomy::Body measured = o.person.loadAsMeasured();
  const anatomy::Person person = o.person.person(measured);
  const anatomy::Body described = anatomy::fitToPerson(measured, person);
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(described, o.articulation).valueOrThrow();
  stage::ActRun act(described, compiled, o.request);
  if (o.flesh.on) act.addFlesh(measured, o.flesh, o.skinTriangles);
  if (o.drawn.film && !o.flesh.on) act.addPerson(measured, o.skinTriangles);

  io::RunDescription d;
  d.command = program.commandLine();
  d.verb = "act";
  d.bodyHash = stage::bodyHash(measured);
  d.settings = act.describe(o.articulation);
  d.settings.update(io::settingsJson(o.flesh));
  if (o.flesh.on) d.settings["skin_triangles"] = o.skinTriangles;
  io::RunFolder run = io::RunFolder::open(o.out, d, o.resume);
  const double cost = act.simulate(run, *program.makeProgress("s simulated"));
  act.writeResults(run, o.drawn, *program.makeProgress(""));
  run.finish();
  print(program, o, act, cost, run.path().string());
}

}  // namespace

void addActVerb(Program& program) {
  auto o = std::make_shared<ActOptions>();
  CLI::App* verb = program.addVerb(
      "act", "Let a body do something by its own muscles",
      "pneuma act curl --load 5kg@hand_r --coactivation arms=0.5 --seconds 6 --track");
  verb->add_option("exercise", o->request.exercise, exerciseList())->capture_default_str();
  verb->add_option("--articulation", o->articulation, "Which links and joints")
      ->capture_default_str();
  addFieldOptions(verb, o->request);
  addFieldOptions(verb, o->flesh);
  verb->add_option("--skin-triangles", o->skinTriangles, "Of the skin over flesh or bones")
      ->check(between(2000, 400000))
      ->capture_default_str();
  verb->get_option("--load")->allow_extra_args(false);  // an exercise may follow it
  verb->add_flag("--track", o->track, "Print error and torque of every joint");
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag("--resume", o->resume, "Continue a run that was stopped");
  verb->add_flag_callback(
      "--no-film", [o] { o->drawn.film = false; },
      "Leave the film and the person beside the muscles out");
  verb->add_flag_callback(
      "--no-pictures", [o] { o->drawn.film = o->drawn.stills = false; },
      "Leave the film and the stills out");
  o->person.addTo(verb);
  verb->callback([&program, o, verb] { runAct(program, *verb, *o); });
}

}  // namespace pneuma::cli
