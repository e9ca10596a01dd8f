// Fits one of the shared characters, their variants or our own people as anonymous meshes, and
// prints what the fit is judged by, as JSON. Without a name it lists them.
//
//   measure_fit [name]
#include <chrono>
#include <cstdio>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/fit/bone_check.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/fitted_lungs.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "tests/verify/fit/own_people.h"

using namespace pneuma;
using nlohmann::ordered_json;

namespace {

/// One of our people, what it is called as a character, and how its arms stand.
struct Known {
  const char* name;
  anatomy::Sex sex;
  double height, mass;         // [m], [kg]
  std::optional<double> arms;  // from hanging [rad]; nothing: its own pose
};
constexpr Known kOwn[] = {{"own man", anatomy::Sex::Male, 1.78, 76, std::nullopt},
                          {"own man, A-pose", anatomy::Sex::Male, 1.85, 95, kPi / 4},
                          {"own man, T-pose", anatomy::Sex::Male, 1.70, 62, kPi / 2},
                          {"own woman", anatomy::Sex::Female, 1.68, 66, std::nullopt},
                          {"own woman, A-pose", anatomy::Sex::Female, 1.55, 50, kPi / 4},
                          {"own woman, T-pose", anatomy::Sex::Female, 1.72, 85, kPi / 2}};

/// What was found of one of our people against what is known.
ordered_json againstTruth(const fit::FittedFigure& f, const fit::FigureJoints& found, double cage,
                          const test::OwnPerson& own, const anatomy::GeometryCache& cache) {
  double sum = 0, worst = 0;
  for (const fit::NamedPair& pair : fit::kNamedPairs)
    for (std::size_t s = 0; s < 2; ++s) {
      const Vec3 known = own.character.marker(std::string(pair.name) + (s == 0 ? "_l" : "_r"));
      const double off = ((found.*pair.place)[s] - f.frame.toBody(known)).norm();
      sum += off * off / (2 * fit::kNamedPairs.size());
      worst = std::max(worst, off);
    }
  const anatomy::Person& p = own.truth.person;
  fit::CarriedAnatomy unmoved;
  for (const anatomy::Bone& bone : own.truth.body->bones) unmoved.bones.push_back({bone.name});
  const double trueCage = fit::cageVolume(own.truth, unmoved, cache);
  return {{"unit", f.report.unit},
          {"joints_rms_mm", 1e3 * std::sqrt(sum)},
          {"joints_worst_mm", 1e3 * worst},
          {"cage_percent", 100 * (cage / trueCage - 1)},
          {"height_percent", 100 * (f.person.height / p.height - 1)},
          {"mass_percent", 100 * (f.person.mass / p.mass - 1)},
          {"sex_right", f.person.sex == p.sex},
          {"sex_asked_for", f.report.sexConfidence < 0.8}};
}

ordered_json measured(const anatomy::Body& subject, const test::SharedCharacter& c,
                      const test::OwnPerson* own) {
  const auto begin = std::chrono::steady_clock::now();
  const anatomy::GeometryCache cache;
  fit::FitRequest request;
  if (!own) request.sex = c.sex;
  const fit::FittedFigure f = fit::fitFigure(c.mesh, subject, request, cache);
  const TriangleMesh surface{f.frame.toBody(c.mesh.positions), c.mesh.triangles};
  const fit::CarriedAnatomy inside = fit::fitBones(*f.figure, f, surface, cache);
  const auto outside = fit::bonesOutside(*f.figure, inside, surface, f.skin.mesh, cache);
  ordered_json j;
  j["height_m"] = f.person.height;
  j["mass_kg"] = f.person.mass;
  j["skin_mean_mm"] = 1e3 * f.report.skin.mean;
  j["skin_p99_mm"] = 1e3 * f.report.skin.p99;
  j["character_mean_mm"] = 1e3 * f.report.character.mean;
  j["character_p99_mm"] = 1e3 * f.report.character.p99;
  const fit::BoneOutside all = fit::summed(outside);
  j["bone_vertices"] = all.vertices;
  j["bone_vertices_outside"] = all.outside;
  const fit::BoneOutside hands = fit::summed(outside, fit::isOfHand);
  j["hand_bone_vertices"] = hands.vertices;
  j["hand_bone_vertices_outside"] = hands.outside;
  for (const fit::BoneOutside& b : outside)
    if (b.outside > 0) j["outside_mm"][b.bone] = {b.outside, b.vertices, 1e3 * b.worst};
  for (const fit::SlimmedBone& b : fit::slimmedBones(*f.figure, inside, cache))
    if (!b.bone.ends_with("_r"))
      j["slimmed"][b.bone] = {{"thinnest", b.thinnest}, {"moved_mm", 1e3 * b.moved}};
  constexpr std::pair<const char*, const char*> kBones[] = {
      {"shoulder", "elbow"}, {"elbow", "wrist"}, {"hip", "knee"}, {"knee", "ankle"}};
  const auto joint = [&](const char* name, std::size_t side) {
    for (const fit::NamedPair& pair : fit::kNamedPairs)
      if (pair.name == std::string(name)) return (inside.joints.*pair.place)[side];
    return Vec3(Vec3::Zero());
  };
  for (const auto& [a, b] : kBones) {
    const double its =
        f.frame.scale * (c.marker(std::string(a) + "_l") - c.marker(std::string(b) + "_l")).norm();
    double ours = 0;
    for (std::size_t s = 0; s < 2; ++s) ours += 0.5 * (joint(a, s) - joint(b, s)).norm();
    j["length_percent"][std::string(a) + "-" + b] = 100 * (ours / its - 1);
  }
  for (const fit::NamedPair& pair : fit::kNamedPairs) {
    const Vec3 off = joint(pair.name, 0) - f.frame.toBody(c.marker(std::string(pair.name) + "_l"));
    j["joint_off_mm"][pair.name] = {1e3 * off.x(), 1e3 * off.y(), 1e3 * off.z()};
  }
  const double cage = fit::cageVolume(*f.figure, inside, cache);
  if (own) j["truth"] = againstTruth(f, inside.joints, cage, *own, cache);
  j["cage_ratio"] = inside.cageVolume;
  j["cage_l"] = 1e3 * cage;
  anatomy::Body body = anatomy::withFit(subject, fit::fittedShapesOf(f, inside, c.name));
  body.person = f.person;
  const fit::FittedLungs lungs = fit::fittedLungs(anatomy::fitToPerson(body, body.person));
  j["frc_l"] = 1e3 * lungs.residual;
  j["frc_predicted_l"] = 1e3 * lungs.predicted;
  j["frc_z"] = lungs.score;
  j["cavity_l"] = 1e3 * (lungs.residual + anatomy::predictThoracicTissue(body.person));
  j["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return j;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<test::SharedCharacter> characters = test::allSharedCharacters();
  if (characters.front().mesh.empty()) throw InputError("no shared characters");
  if (argc < 2) {
    for (const test::SharedCharacter& c : characters) std::printf("%s\n", c.name.c_str());
    for (const Known& k : kOwn) std::printf("%s\n", k.name);
    return 0;
  }
  const std::string name = argv[1];
  const anatomy::Body subject = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  for (const test::SharedCharacter& c : characters)
    if (c.name == name) std::printf("%s\n", measured(subject, c, nullptr).dump(1).c_str());
  for (const Known& k : kOwn) {
    if (k.name != name) continue;
    anatomy::Person person;
    person.sex = k.sex, person.height = k.height, person.mass = k.mass;
    const test::OwnPerson own = test::ownPerson(subject, person, k.arms, 0.5e-3, k.name);
    std::printf("%s\n", measured(subject, own.character, &own).dump(1).c_str());
  }
  return 0;
} catch (const InputError& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
