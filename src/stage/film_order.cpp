#include "pneuma/stage/film_order.h"

#include <fmt/format.h>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/act_run.h"
#include "pneuma/stage/living_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr const char* kOrderSubject = "film";
constexpr const char* kOrderedArticulation = "upper-body";  // of `pneuma act`
constexpr int kOrderedSkin = 20000;                         // triangles of a body that acts

[[noreturn]] void refuseOrder(std::string field, std::string message, std::string expected) {
  throw InputError(Diagnostic{.subject = kOrderSubject,
                              .field = std::move(field),
                              .message = std::move(message),
                              .expected = std::move(expected)});
}

/// Runs play a style as it is; shares of the chest and of single muscle groups are a session's.
void refuseLiveKnobs(const SessionBreath& b) {
  const char* const expected = "as the style has it";
  const char* const message = "is for the live body alone";
  if (b.chestShare) refuseOrder("chest_share", message, expected);
  for (const auto& [field, drive] : {std::pair{"drive_diaphragm", b.diaphragm},
                                     {"drive_intercostals", b.intercostals},
                                     {"drive_scalenes", b.scalenes},
                                     {"drive_belly", b.belly}})
    if (drive != 1) refuseOrder(field, message, expected);
}

FleshRequest fleshOf(const FilmOrder& order) {
  FleshRequest flesh;
  flesh.on = order.flesh != "none";
  if (flesh.on) flesh.level = order.flesh;
  return flesh;
}

LivingRequest livingOf(const FilmOrder& order) {
  LivingRequest r;
  r.breath = order.breath.style;
  r.rate = order.breath.rate;
  r.effort = order.breath.effort;
  r.variability = order.breath.variability;
  r.seconds = order.seconds;
  r.flesh = fleshOf(order);
  return r;
}

ActRequest actOf(const FilmOrder& order) {
  ActRequest r;
  r.exercise = order.task.exercise;
  r.coactivation = order.task.coactivation;
  r.seconds = order.seconds;
  const auto hold = [&](const std::optional<double>& mass, const char* hand) {
    if (mass) r.loads.push_back(fmt::format("{}kg@{}", *mass, hand));
  };
  hold(order.task.weightLeft, "hand_l");
  hold(order.task.weightRight, "hand_r");
  return r;
}

/// What gives the same run on a command line.
std::string commandOf(const FilmOrder& order) {
  std::string text = "pneuma " + order.verb;
  const auto add = [&](const char* option, const auto& value) {
    if (value) text += fmt::format(" {} {}", option, *value);
  };
  const auto given = [](const auto& value, const auto& plain) {
    return value == plain ? std::nullopt : std::optional(value);
  };
  if (order.verb == "live") {
    text += fmt::format(" --posture {} --breath {}", order.posture, order.breath.style);
    add("--rate", order.breath.rate);
    add("--effort", given(order.breath.effort, 1.0));
    add("--variability", order.breath.variability);
  } else {
    text += " " + order.task.exercise;
    for (const std::string& load : actOf(order).loads) text += " --load " + load;
    add("--coactivation", given(order.task.coactivation, std::string("0")));
  }
  add("--seconds", order.seconds);
  add("--sex", given(order.person.sex, std::string()));
  add("--height", order.person.height);
  add("--mass", order.person.mass);
  add("--age", order.person.age);
  if (order.flesh != "none") text += " --flesh --flesh-level " + order.flesh;
  if (!order.film) text += " --no-film";
  return text;
}

io::RunFolder openOrder(const std::filesystem::path& path, const FilmOrder& order,
                        const anatomy::Body& measured, std::uint64_t seed, ordered_json settings) {
  io::RunDescription d;
  d.command = commandOf(order);
  d.verb = order.verb;
  d.bodyHash = bodyHash(measured);
  d.seed = seed;
  d.settings = std::move(settings);
  return io::RunFolder::open(path, d, false);
}

}  // namespace

FilmOrder readFilmOrder(std::string_view json, const anatomy::Body& measured) {
  const ordered_json given = ordered_json::parse(json, nullptr, false);
  if (!given.is_object()) refuseOrder("", "not a JSON object", "settings by their names");
  FilmOrder order;
  io::readSettings(given, kOrderSubject, order, order.person, order.breath, order.task);
  personOf(order.person, measured);
  if (order.verb == "live") {
    refuseLiveKnobs(order.breath);
    skeleton::findPosture(measured, order.posture);
  } else {
    control::parsePerPart(order.task.coactivation, "coactivation");
    if (order.task.exercise == "none")
      refuseOrder("exercise", "a body that only stands gives no film", "an exercise");
  }
  return order;
}

void fillOrder(const FilmOrder& order, const anatomy::Body& measured,
               const std::filesystem::path& folder, Progress& progress) {
  render::requirePlotting();
  if (order.film) render::requireFilming();
  const anatomy::Person person = personOf(order.person, measured);
  const DrawnParts drawn{.film = order.film};
  if (order.verb == "live") {
    const LivingRequest request = livingOf(order);
    const MotionSource motion{.posture = order.posture};
    const ResolvedLiving resolved = resolve(request, motion, measured, person);
    LivingRun run(request, resolved);
    io::RunFolder out =
        openOrder(folder, order, measured, request.seed, describe(request, motion, resolved));
    return run.perform(out, drawn, progress, progress);
  }
  const anatomy::Body described = anatomy::fitToPerson(measured, person);
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(described, kOrderedArticulation).valueOrThrow();
  const ActRequest request = actOf(order);
  ActRun run(described, compiled, request);
  const FleshRequest flesh = fleshOf(order);
  if (flesh.on) run.addFlesh(measured, flesh, kOrderedSkin);
  if (order.film && !flesh.on) run.addPerson(measured, kOrderedSkin);
  ordered_json settings = run.describe(kOrderedArticulation);
  settings.update(io::settingsJson(flesh));
  io::RunFolder out = openOrder(folder, order, measured, 0, std::move(settings));
  run.simulate(out, progress);
  run.writeResults(out, drawn, progress);
  out.finish();
}

}  // namespace pneuma::stage
