#include <fmt/format.h>

#include "pneuma/stage/act_run.h"
#include "reproduce/lee2009/bulge.h"
#include "reproduce/lee2009/reproduction.h"

// Fig. 1 and the pectoral dance: what the act verb does, with its pictures.
namespace pneuma::reproduce::lee2009 {
namespace {

constexpr int kSkinTriangles = 20000;

/// An exercise with its own folder of results below that of the reproduction.
double act(Reproduction& r, const std::string& exercise, double quickSeconds, bool film) {
  stage::ActRequest request;
  request.exercise = exercise;
  if (r.quick) request.seconds = quickSeconds;
  stage::ActRun run(r.described, r.compiled, request);
  if (!r.quick) run.addPerson(r.measured, kSkinTriangles);
  io::RunDescription d;
  d.verb = "act";
  d.settings = {{"exercise", exercise}, {"seconds", run.seconds()}};
  io::RunFolder folder = io::RunFolder::open(r.folder.file(exercise), d, false);
  run.simulate(folder, r.progress);
  run.writeResults(folder, {.film = film}, r.progress);
  folder.finish();
  if (film) r.report.media(folder.file("act.mp4"), fmt::format("{}: the film.", exercise));
  r.report.media(folder.file("still.png"),
                 fmt::format("{}: muscle lines coloured by activation.", exercise));
  r.report.media(folder.file("activations.svg"), "Activations by muscle.");
  return run.tracking().front().largest;
}

/// The flesh at rest and with the left side at its tensest: what one sees of the dance.
void addDanceFlesh(Reproduction& r) {
  control::Performance p(r.compiled);
  p.set(control::makeExercise("pectoral-dance", r.compiled, p.body().model()));
  const double period = p.exercise().given.front().period;
  p.start();
  std::vector<TensePose> poses;
  const auto take = [&](const char* label) {
    poses.push_back({label, p.body().state().skeleton.q, p.body().state().muscles.activation});
  };
  take("at rest");
  while (p.time() < 0.5 * period) p.step();
  take("left side tense");
  const Bulge bulge = measureBulge(r, p.body(), poses, "pectoral_dance");
  r.numbers["pectoral_dance_bulge_mm"] = 1e3 * bulge.outwards;
  r.compare("pectoral dance: skin bulges", "mm", "visible (a film)", 1e3 * bulge.outwards, {},
            fmt::format("near {}, at an activation of {:g}: more, and the collar bones are pulled "
                        "down by more than their elevators give",
                        bulge.where, p.exercise().given.front().largest));
}

}  // namespace

void reproduceCurls(Reproduction& r) {
  r.report.heading("Fig. 1: dumbbell curls");
  const double error = act(r, "curl", 0.8, !r.quick);
  r.numbers["curl_error_rad"] = error;
  r.compare("curls with 5 kg in each hand: largest error of a joint", "rad", "pictures", error,
            error <= 0.01, "the paper names neither mass nor error");
}

void reproducePectoralDance(Reproduction& r) {
  r.report.heading("Sec. 5: pectoral dance");
  const double error = act(r, "pectoral-dance", 0.5, false);
  if (!r.quick) addDanceFlesh(r);
  r.numbers["pectoral_dance_error_rad"] = error;
  r.compare("pectoral dance: largest error of a joint while the pectorals swell", "rad", "a film",
            error, error <= 0.01, "the pose is held by the other muscles");
}

}  // namespace pneuma::reproduce::lee2009
