#include "pneuma/control/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/key_poses.h"

namespace pneuma::control {
namespace {

using skeleton::KeyPoses;
using skeleton::Model;
using skeleton::PoseMaker;

/// A pose at a time, in degrees by the names of PoseMaker.
struct Key {
  double time;
  std::vector<std::pair<const char*, double>> joints;
};

skeleton::PoseTrack trackOf(const std::vector<Key>& keys, const std::string& exercise,
                            const anatomy::CompiledBody& compiled, const Model& model) {
  const PoseMaker maker(compiled, model);
  KeyPoses poses;
  for (const Key& key : keys) {
    std::vector<skeleton::JointSetting> settings;
    for (const auto& [joint, degrees] : key.joints)
      settings.push_back({joint, degreesToRadians(degrees)});
    poses.times.push_back(key.time);
    poses.q.push_back(maker.make(settings, {.subject = fmt::format("exercise '{}'", exercise)}));
  }
  return skeleton::makePoseTrack(model, poses);
}

// Angles [degrees] and times [s] are ours: the paper shows pictures and gives key poses about a
// second apart.
std::vector<Key> keysOf(const std::string& name) {
  const std::vector<std::pair<const char*, double>> hanging{{"elbow.flexion", 12}};
  const std::vector<std::pair<const char*, double>> curled{{"elbow.flexion", 120}};
  if (name == "curl")
    return {{0, hanging},   {0.4, hanging}, {1.8, curled},
            {3.2, hanging}, {4.6, curled},  {6, hanging}};
  if (name == "head-turn")
    return {{0, {}},
            {1, {{"neck.torsion", 12}}},
            {2.5, {{"neck.torsion", -12}}},
            {3.5, {{"neck.flexion", 10}}},
            {4.5, {{"neck.flexion", -6}}},
            {5.5, {}}};
  if (name == "trunk-bend")
    return {{0, {}},
            {1.5, {{"spine.flexion", 40}}},
            {3, {}},
            {4, {{"spine.bending", 18}}},
            {5.5, {{"spine.bending", -18}}},
            {6.5, {}}};
  if (name == "shrug")
    return {{0, {}},
            {1, {{"clavicle.elevation", 10}}},
            {2, {}},
            {3, {{"clavicle.elevation", 10}}},
            {4, {}}};
  if (name == "reach")
    return {{0, {}},
            {1.4, {{"shoulder_r.flexion", 60}, {"elbow_r.flexion", 30}}},
            {2.4, {{"shoulder_r.flexion", 80}, {"elbow_r.flexion", 10}}},
            {4.2, {}}};
  if (name == "pectoral-dance") return {{0, {}}, {6, {}}};
  return {{0, {{"elbow.flexion", 90}}}, {4, {{"elbow.flexion", 90}}}};  // hold
}

}  // namespace

const std::vector<ExerciseInfo>& exercises() {
  static const std::vector<ExerciseInfo> all{
      {"curl", "both elbows bend and stretch twice, 5 kg in each hand"},
      {"head-turn", "the head turns left and right, nods and leans back"},
      {"trunk-bend", "the trunk bends forwards and to both sides"},
      {"shrug", "the shoulders rise twice"},
      {"reach", "the right arm reaches forwards and comes back"},
      {"breathe-ribs", "the ribs rise and fall, lifted by intercostals and scalenes"},
      {"pectoral-dance", "the great chest muscles swell by turns, the others hold the pose"},
      {"hold", "the forearms are held level"}};
  return all;
}

skeleton::PoseTrack makeRibBreath(const RibBreath& breath, const anatomy::CompiledBody& compiled,
                                  const Model& model) {
  constexpr int kRibs = 10, kKeysPerBreath = 32;
  const PoseMaker maker(compiled, model);
  KeyPoses poses;
  const int keys = breath.breaths * kKeysPerBreath;
  for (int k = 0; k <= keys; ++k) {
    const double theta = 2 * kPi * k / kKeysPerBreath;
    const double rho = breath.largestAngle * 0.5 * (1 - std::cos(theta));
    std::vector<skeleton::JointSetting> settings;
    for (int rib = 1; rib <= kRibs; ++rib)
      for (const char* side : {"l", "r"})
        settings.push_back(
            {fmt::format("rib_{:02}_{}.inspiration", rib, side), rho * std::min(rib, 5) / 5.0});
    poses.times.push_back(breath.period * k / kKeysPerBreath);
    poses.q.push_back(maker.make(settings, {.subject = "exercise 'breathe-ribs'"}));
  }
  return skeleton::PoseTrack(model, poses.times, poses.q);
}

double GivenActivation::at(double time) const {
  const double turns = time / period - delay;
  return turns > 0 ? largest * 0.5 * (1 - std::cos(2 * kPi * turns)) : 0;
}

std::vector<GivenActivation> makePectoralDance(const PectoralDance& dance,
                                               const anatomy::CompiledBody& compiled) {
  std::vector<GivenActivation> given;
  for (std::size_t i = 0; i < compiled.muscles.size(); ++i)
    if (compiled.muscles[i].muscle == "pectoralis_major")
      given.push_back({.muscle = static_cast<int>(i),
                       .largest = dance.largest,
                       .period = dance.period,
                       .delay = compiled.muscles[i].name.ends_with("_r") ? 0.5 : 0.0});
  return given;
}

Exercise makeExercise(const std::string& name, const anatomy::CompiledBody& compiled,
                      const Model& model) {
  std::vector<std::string> known;
  for (const ExerciseInfo& e : exercises()) known.push_back(e.name);
  if (std::ranges::find(known, name) == known.end())
    throw InputError(Diagnostic{.message = fmt::format("unknown exercise '{}'", name),
                                .expected = fmt::format("one of {}", fmt::join(known, ", ")),
                                .nearest = nearestName(name, known)});
  Exercise e;
  e.name = name;
  if (name == "breathe-ribs")
    e.track = makeRibBreath({}, compiled, model);
  else
    e.track = trackOf(keysOf(name), name, compiled, model);
  e.seconds = e.track.duration();
  if (name == "pectoral-dance") e.given = makePectoralDance({}, compiled);
  if (name == "curl") e.loads = {"5kg@hand_l", "5kg@hand_r"};
  return e;
}

}  // namespace pneuma::control
