// native_session BODY.pnb: what session.mjs lets the WebAssembly do, done natively; as JSON.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/act_session.h"
#include "pneuma/stage/body_pack.h"
#include "pneuma/stage/session.h"

namespace {

using namespace pneuma;
using nlohmann::ordered_json;

double readingOf(const stage::Session& session, const char* name) {
  const int at = session.layout().scalarIndex("breath", name);
  return session.frame().scalars[static_cast<std::size_t>(at)];
}
double volumeOf(const stage::Session& session) {
  return readingOf(session, "lung_volume");
}

/// The pack's own person over a minute, with a change in the middle.
ordered_json ownPerson(const stage::BodyPack& pack, const anatomy::Body& measured) {
  stage::Session session(
      measured, pack.person, {.framesPerSecond = 1, .recordSeconds = 2}, {.style = "casual"},
      stage::packedShapes(pack, measured, stage::personOf(pack.person, measured)));
  ordered_json j;
  for (int i = 0; i < 120; ++i) {
    if (i == 60) session.set({.style = "deep", .effort = 1.2});
    session.advance(0.5);
    j["volumes"].push_back(volumeOf(session));
  }
  const body::Frame frame = session.frame();
  const auto skin = frame.pointsOf(session.layout(), session.layout().pointSetIndex("skin"));
  for (std::size_t v = 0; v < skin.size(); v += 97)
    for (int k = 0; k < 3; ++k) j["skin"].push_back(skin[v][k]);
  j["hash"] = session.stateHash();
  return j;
}

/// Somebody else as the program makes her, without a pack.
ordered_json otherPerson(const stage::BodyPack& pack, const anatomy::Body& packed) {
  const stage::PersonRequest she{.sex = "female", .height = 1.6, .mass = 70, .age = 45};
  const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::Person person = stage::personOf(she, measured);
  stage::Session session(measured, she, {.recordSeconds = 0});
  ordered_json j;
  for (int i = 0; i < 12; ++i) {
    session.advance(0.5);
    j["volumes"].push_back(volumeOf(session));
  }
  // How far the skin between forms lies from the one that is made for her.
  const std::vector<Vec3> made =
      anatomy::makeShownSkin(measured, person, 20000, anatomy::GeometryCache()).mesh.positions;
  const std::vector<Vec3> between = stage::packedShapes(pack, packed, person).skin->mesh.positions;
  double sum = 0, most = 0;
  for (std::size_t v = 0; v < made.size(); ++v) {
    const double d = (made[v] - between.at(v)).norm();
    sum += d;
    most = std::max(most, d);
  }
  j["skin_mean_mm"] = 1e3 * sum / static_cast<double>(made.size());
  j["skin_most_mm"] = 1e3 * most;
  return j;
}

/// People at the ends of what sliders allow: lungs at rest, and a breath with its pressures,
/// without a pack.
ordered_json people(const anatomy::Body& measured) {
  ordered_json list;
  for (const stage::PersonRequest& who :
       {stage::PersonRequest{.sex = "female", .height = 1.50, .mass = 45, .age = 20},
        stage::PersonRequest{.sex = "male", .height = 1.95, .mass = 75, .age = 30},
        stage::PersonRequest{.sex = "male", .height = 1.75, .mass = 115, .age = 70}}) {
    const anatomy::Person person = stage::personOf(who, measured);
    stage::Session session(measured, who, {.recordSeconds = 0});
    ordered_json j{{"sex", who.sex},
                   {"height", *who.height},
                   {"mass", *who.mass},
                   {"age", *who.age},
                   {"frc", anatomy::lungVolumes(person).functionalResidual}};
    for (int i = 0; i < 20; ++i) {
      session.advance(0.25);
      j["volumes"].push_back(volumeOf(session));
      j["pressures"].push_back(readingOf(session, "pleural_pressure"));
    }
    list.push_back(j);
  }
  return list;
}

/// The pack's own person takes a weight and is dragged by the right hand.
ordered_json acting(const stage::BodyPack& pack, const anatomy::Body& measured) {
  stage::ActSession act(
      measured, pack.person, {.recordSeconds = 0}, {},
      stage::packedShapes(pack, measured, stage::personOf(pack.person, measured)));
  const auto hand = static_cast<std::size_t>(act.layout().linkIndex("hand_r"));
  const Vec3 palm(0, -0.08, 0);
  act.set({.weightRight = 2});
  act.drag("hand_r", palm, act.frame().X_WL[hand] * palm + Vec3(0, 0.3, 0.2));
  ordered_json j;
  for (int i = 0; i < 6; ++i) {
    act.advance(0.2);
    const body::Frame frame = act.frame();
    const Vec3 place = frame.X_WL[hand] * palm;
    for (int k = 0; k < 3; ++k) j["hand"].push_back(place[k]);
    double sum = 0;
    for (const int a : act.layout().group("activations"))
      sum += frame.scalars[static_cast<std::size_t>(a)];
    j["activation"].push_back(sum);
  }
  return j;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const stage::BodyPack pack = stage::decodePack(io::readFile(argv[1]).valueOrThrow());
    const anatomy::Body measured = stage::packedBody(pack);
    ordered_json j = ownPerson(pack, measured);
    j["other"] = otherPerson(pack, measured);
    j["people"] = people(anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
    j["act"] = acting(pack, measured);
    std::puts(j.dump().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
