#include "convert.h"
#include "objects.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/act_run.h"
#include "pneuma/stage/breath_report.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/breath_run.h"
#include "pneuma/stage/fit_run.h"
#include "pneuma/stage/living_run.h"
#include "pneuma/stage/run_description.h"
#include "pneuma/stage/tables.h"

/// The runs of the program's verbs: the same settings, the same folders.
namespace pneuma::python {
namespace {

using namespace py::literals;
using nlohmann::ordered_json;

/// What a run is asked for besides its settings.
struct RunPlace {
  std::string out;  ///< folder; empty: none
  bool resume = false;
  stage::DrawnParts drawn;
};

RunPlace placeOf(const std::string& out, bool resume, bool pictures, bool film, bool asset) {
  if (!out.empty()) render::requirePlotting();
  if (!out.empty() && film) render::requireFilming();
  return {out, resume, {.stills = pictures, .film = film, .asset = asset}};
}

io::RunFolder openFolder(const RunPlace& place, const char* verb, const PersonBody& body,
                         std::uint64_t seed, ordered_json settings) {
  io::RunDescription d;
  d.command = std::string("Python: pneuma.") + verb;
  d.verb = verb;
  d.bodyHash = stage::bodyHash(*body.measured);
  d.seed = seed;
  d.settings = std::move(settings);
  return io::RunFolder::open(place.out, d, place.resume);
}

/// What a run gives: its measures and its table.
struct RunResult {
  ordered_json summary;
  io::Table table;
};

RunResult breatheIn(const RunPlace& place, const PersonBody& body,
                    const stage::BreathRequest& request, Progress& progress) {
  const stage::ResolvedBreath resolved = stage::resolve(request, body.measured, body.person());
  breath::BreathSimulation simulation(resolved.settings);
  if (place.out.empty()) {
    progress.begin("breathing", resolved.seconds);
    simulation.run(resolved.seconds, [&](double t) { progress.update(t); });
    progress.end();
    return {stage::breathJson(simulation), stage::measureTable(simulation)};
  }
  io::RunFolder folder =
      openFolder(place, "breathe", body, request.seed, stage::describe(request, resolved));
  const stage::FrameTrack track =
      stage::recordBreath(simulation, resolved.seconds, request.framesPerSecond, folder, progress);
  progress.begin("drawing", 1);
  ordered_json measures = stage::breathJson(simulation);
  measures.update(stage::writeBreathOutputs(
      simulation, *resolved.settings.body, track,
      [&](std::string_view name) { return folder.file(name); }, place.drawn,
      [&](double done) { progress.update(done); }));
  progress.end();
  io::writeJson(folder.file("summary.json"), measures);
  folder.finish();
  return {measures, stage::measureTable(simulation)};
}

RunResult liveIn(const RunPlace& place, const PersonBody& body, stage::LivingRequest request,
                 const stage::MotionSource& motion, Progress& progress) {
  const stage::ResolvedLiving resolved =
      stage::resolve(request, motion, *body.measured, body.person());
  const ordered_json settings = stage::describe(request, motion, resolved);
  if (place.out.empty() && request.flesh.on)
    throw InputError(Diagnostic{
        .subject = "live", .field = "flesh", .message = "needs a folder", .expected = "out"});
  if (place.out.empty()) request.skinTriangles = 0;  // nobody would see it
  stage::LivingRun run(request, resolved);
  if (place.out.empty()) {
    run.simulate(progress);
    return {run.json(), run.measures()};
  }
  io::RunFolder folder = openFolder(place, "live", body, request.seed, settings);
  run.perform(folder, place.drawn, progress, progress);
  return {run.json(), run.measures()};
}

ordered_json actSummary(const stage::ActRun& act) {
  ordered_json joints = ordered_json::array(), muscles = joints, tired = joints;
  for (const stage::JointTracking& t : act.tracking()) {
    joints.push_back({{"joint", t.joint},
                      {"largest_error", t.largest},
                      {"mean_error", t.mean},
                      {"torque_asked_nm", t.asked},
                      {"torque_missing_nm", t.missing}});
    if (t.outOfStrength()) tired.push_back(t.joint);
  }
  for (const stage::MuscleEffort& e : act.strongest(20))
    muscles.push_back({{"line", e.line},
                       {"muscle", e.muscle},
                       {"activation", e.activation},
                       {"force_n", e.force}});
  return {{"seconds", act.seconds()},
          {"joints", joints},
          {"out_of_strength", tired},
          {"hardest_at_work", muscles}};
}

/// Always in a folder: the record of every muscle is its result.
std::pair<ordered_json, std::map<std::string, io::Table>> actIn(const RunPlace& place,
                                                                const PersonBody& body,
                                                                const std::string& articulation,
                                                                const stage::ActRequest& request,
                                                                Progress& progress) {
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(*body.fitted, articulation).valueOrThrow();
  stage::ActRun act(*body.fitted, compiled, request);
  io::RunFolder folder = openFolder(place, "act", body, 0, act.describe(articulation));
  act.simulate(folder, progress);
  const auto file = [&](std::string_view name) { return folder.file(name); };
  if (place.drawn.stills)
    act.writeResults(folder, place.drawn, progress);
  else
    stage::writeTables(act.track(), file);
  const ordered_json summary = actSummary(act);
  io::writeJson(folder.file("summary.json"), summary);
  std::map<std::string, io::Table> tables;
  for (const std::string& group : act.track().layout().groups())
    tables[group] = stage::groupTable(act.track(), group);
  folder.finish();
  return {summary, std::move(tables)};
}

/// What an own character gives: its report, and its body.
struct FitResult {
  ordered_json summary;
  std::shared_ptr<PersonBody> body;
};

FitResult fitIn(const RunPlace& place, const PersonBody& body, const std::string& character,
                const stage::FitOptions& options, bool breathes, Progress& progress) {
  stage::FitRun run(character, options, *body.measured);
  run.fit(progress);
  if (breathes) run.breathe(progress);
  if (!place.out.empty()) {
    ordered_json settings = io::settingsJson(options);
    settings["character"] = character;
    io::RunFolder folder = openFolder(place, "fit", body, 0, std::move(settings));
    run.write(folder.path(), place.drawn, progress);
    folder.finish();
  }
  auto own = std::make_shared<PersonBody>();
  own->measured = std::make_shared<const anatomy::Body>(run.body());
  own->fitted =
      std::make_shared<const anatomy::Body>(anatomy::fitToPerson(*own->measured, own->person()));
  return {run.json(), std::move(own)};
}

py::tuple toTuple(const RunResult& result) {
  return py::make_tuple(toPython(result.summary), toPython(result.table));
}

py::tuple breathe(const PersonBody& body, const py::dict& given, const RunPlace& place,
                  const py::object& show) {
  stage::BreathRequest request;
  io::readSettings(toJson(given), "breathe", request);
  PythonProgress progress(show);
  RunResult result;
  {
    const py::gil_scoped_release release;
    result = breatheIn(place, body, request, progress);
  }
  return toTuple(result);
}

py::tuple live(const PersonBody& body, const py::dict& given, const RunPlace& place,
               const py::object& show) {
  stage::LivingRequest request;
  stage::MotionSource motion;
  io::readSettings(toJson(given), "live", request, motion, request.flesh);
  PythonProgress progress(show);
  RunResult result;
  {
    const py::gil_scoped_release release;
    result = liveIn(place, body, request, motion, progress);
  }
  return toTuple(result);
}

py::tuple act(const PersonBody& body, const std::string& exercise, const std::string& articulation,
              const py::dict& given, const RunPlace& place, const py::object& show) {
  stage::ActRequest request;
  request.exercise = exercise;
  io::readSettings(toJson(given), "act", request);
  PythonProgress progress(show);
  std::pair<ordered_json, std::map<std::string, io::Table>> result;
  {
    const py::gil_scoped_release release;
    result = actIn(place, body, articulation, request, progress);
  }
  py::dict tables;
  for (const auto& [group, table] : result.second) tables[py::str(group)] = toPython(table);
  return py::make_tuple(toPython(result.first), tables);
}

/// (summary, the body of the character)
py::tuple fit(const PersonBody& body, const std::string& character, const py::dict& given,
              bool breathes, const RunPlace& place, const py::object& show) {
  stage::FitOptions options;
  io::readSettings(toJson(given), "fit", options);
  PythonProgress progress(show);
  FitResult result;
  {
    const py::gil_scoped_release release;
    result = fitIn(place, body, character, options, breathes, progress);
  }
  return py::make_tuple(toPython(result.summary), result.body);
}

}  // namespace

void bindRuns(py::module_& m) {
  py::class_<RunPlace>(m, "RunPlace")
      .def(py::init(&placeOf), "out"_a, "resume"_a, "pictures"_a, "film"_a, "asset"_a);
  m.def("breathe", &breathe, "body"_a, "settings"_a, "place"_a, "progress"_a);
  m.def("live", &live, "body"_a, "settings"_a, "place"_a, "progress"_a);
  m.def("fit", &fit, "body"_a, "character"_a, "settings"_a, "breathes"_a, "place"_a, "progress"_a);
  m.def("act", &act, "body"_a, "exercise"_a, "articulation"_a, "settings"_a, "place"_a,
        "progress"_a);
}

}  // namespace pneuma::python
