#include "pneuma/anatomy/person.h"
#include "pneuma/control/exercise.h"
#include "pneuma/io/settings_json.h"
#include "studio.h"

using namespace pneuma;
using namespace pneuma::page;

namespace {

ordered_json gripJson(const stage::ActSession::Grip& grip) {
  return {{"center", {grip.center.x(), grip.center.y(), grip.center.z()}},
          {"axis", {grip.axis.x(), grip.axis.y(), grip.axis.z()}}};
}

/// The task as it is now: an exercise brings its weights, a drag ends it.
ordered_json taskJson(const stage::ActSession& s) {
  ordered_json j = io::settingsJson(s.task());
  const body::Frame frame = s.frame();
  for (const char* hand : {"hand_l", "hand_r"})
    j[hand] = frame.scalars[static_cast<std::size_t>(s.layout().scalarIndex("loads", hand))];
  return j;
}

}  // namespace

extern "C" {

/// A body that acts, in the place of a session that was. Answer: layout, person, exercises with
/// their meanings, and where hands hold weights, as JSON.
int studio_act_create(const char* settings) {
  return attempt([&] {
    Studio& s = studio();
    stage::PersonRequest who = s.pack.person;
    stage::ActSettings how;
    stage::ActTask task;
    io::readSettings(parsed(settings), "settings", who, how, task);
    const anatomy::Person person = stage::personOf(who, s.measured);
    auto made = std::make_unique<stage::ActSession>(
        s.measured, who, how, task, stage::packedShapes(s.pack, s.measured, person));
    s.muscles.clear();
    s.recording.reset();
    s.session.reset();
    s.act = std::move(made);
    ordered_json j = madeJson(s.act->layout(), person);
    for (const control::ExerciseInfo& e : control::exercises())
      j["exercises"].push_back({{"name", e.name}, {"meaning", e.meaning}});
    j["grips"] = {{"hand_l", gripJson(s.act->grip(false))},
                  {"hand_r", gripJson(s.act->grip(true))}};
    j["task"] = taskJson(*s.act);
    s.answer = j.dump();
  });
}

/// Answer: the task with the weights that are held, as JSON.
int studio_act_set(const char* task) {
  return attempt([&] {
    stage::ActTask wanted;
    io::readSettings(parsed(task), "settings", wanted);
    act().set(wanted);
    studio().answer = taskJson(act()).dump();
  });
}
/// A point of a link, in its frame, shall be at a place of the world. Answer: as of studio_act_set.
int studio_act_drag(const char* link, double lx, double ly, double lz, double x, double y,
                    double z) {
  return attempt([&] {
    act().drag(link, {lx, ly, lz}, {x, y, z});
    studio().answer = taskJson(act()).dump();
  });
}
/// An empty name: all links.
int studio_act_release(const char* link) {
  return attempt([&] {
    if (*link == 0)
      act().releaseAll();
    else
      act().release(link);
  });
}
}
