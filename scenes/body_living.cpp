#include "scenes/body_living.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/posture.h"

namespace pneuma::scenes {
namespace {

constexpr std::array<std::string_view, 3> kNames{"quiet_trunk", "walking_breather", "supine_woman"};
constexpr double kStride = 1.1, kSpeed = 1.3;  // [s], [m/s]

class TrunkScene : public LivingScene {
 public:
  explicit TrunkScene(breath::BreathSettings settings) : simulation_(std::move(settings)) {}
  void run(double until) override { simulation_.run(until); }
  double time() const override { return simulation_.state().time; }
  std::string hash() const override { return simulation_.state().hash(); }
  double lungVolume() const override { return simulation_.samples().back().lungVolume; }
  void save(io::StateWriter& out) const override { simulation_.save(out); }
  void load(io::StateReader& in) override { simulation_.load(in); }

 private:
  breath::BreathSimulation simulation_;
};

class WholeScene : public LivingScene {
 public:
  WholeScene(std::unique_ptr<body::LivingModel> model, body::LivingSettings settings)
      : model_(std::move(model)), simulation_(*model_, std::move(settings)) {}
  void run(double until) override { simulation_.run(until); }
  double time() const override { return simulation_.state().time(); }
  std::string hash() const override { return simulation_.state().hash(); }
  double lungVolume() const override { return simulation_.samples().back().lungVolume; }
  body::LivingSimulation* living() override { return &simulation_; }
  void save(io::StateWriter& out) const override { simulation_.save(out); }
  void load(io::StateReader& in) override { simulation_.load(in); }

 private:
  std::unique_ptr<body::LivingModel> model_;
  body::LivingSimulation simulation_;
};

std::unique_ptr<body::LivingModel> modelOf(const LivingData& data, const anatomy::Person& person) {
  return std::make_unique<body::LivingModel>(body::makeLivingModel(
      std::make_shared<anatomy::Body>(anatomy::fitToPerson(*data.body, person))));
}

std::unique_ptr<LivingScene> quietTrunk(const LivingData& data) {
  breath::BreathSettings s;
  s.body = data.body;
  s.person = data.body->person;
  s.torso = breath::makeTorsoConfig("default");
  s.style = breath::findBreathStyle(data.styles, "casual");
  return std::make_unique<TrunkScene>(std::move(s));
}

std::unique_ptr<LivingScene> walkingBreather(const LivingData& data) {
  auto model = modelOf(data, data.body->person);
  body::LivingSettings s;
  s.motion = makeWalk(*model);
  s.style = breath::findBreathStyle(data.styles, "casual");
  s.knobs.rate = 60 / (2 * kStride);
  return std::make_unique<WholeScene>(std::move(model), std::move(s));
}

std::unique_ptr<LivingScene> supineWoman(const LivingData& data) {
  anatomy::Person woman = data.body->person;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.63;
  woman.mass = 58;
  auto model = modelOf(data, woman);
  body::LivingSettings s;
  s.motion = skeleton::makePoseTrack(
      model->tree, skeleton::makePosture(*model->body, model->compiled, model->tree, "supine"));
  s.style = breath::findBreathStyle(data.styles, "casual");
  return std::make_unique<WholeScene>(std::move(model), std::move(s));
}

}  // namespace

std::span<const std::string_view> livingSceneNames() {
  return kNames;
}

std::unique_ptr<LivingScene> makeLivingScene(std::string_view name, const LivingData& data) {
  if (name == kNames[0]) return quietTrunk(data);
  if (name == kNames[1]) return walkingBreather(data);
  if (name == kNames[2]) return supineWoman(data);
  throw InputError(Diagnostic{.field = "scene", .message = fmt::format("no scene '{}'", name)});
}

skeleton::PoseTrack makeWalk(const body::LivingModel& m) {
  constexpr int kKeys = 32;
  std::vector<double> times;
  std::vector<VecX> poses;
  for (int i = 0; i <= kKeys; ++i) {
    const double part = static_cast<double>(i) / kKeys;
    const double phase = 2 * std::numbers::pi * part, swing = std::sin(phase);
    const auto knee = [&](double shift) { return 25 + 20 * std::sin(phase + shift); };
    std::vector<std::string> joints;
    const auto set = [&](const char* name, double degrees) {
      joints.push_back(fmt::format("{}={}", name, degrees));
    };
    set("hip_l.flexion", 5 + 22 * swing);
    set("hip_r.flexion", 5 - 22 * swing);
    set("knee_l.flexion", knee(0.8));
    set("knee_r.flexion", knee(0.8 + std::numbers::pi));
    set("spine.torsion", -8 * swing);
    VecX q = skeleton::posesOfJoints(m.compiled, m.tree, joints).q.back();
    q[0] += 0.015 * swing;
    q[1] += 0.02 * std::cos(2 * phase);
    q[2] += kSpeed * kStride * part;
    const Quat turn(Eigen::AngleAxisd(0.09 * swing, Vec3::UnitY()));
    q.segment<4>(3) << turn.w(), turn.x(), turn.y(), turn.z();
    times.push_back(kStride * part);
    poses.push_back(std::move(q));
  }
  return skeleton::PoseTrack(m.tree, times, poses, {.cyclic = true});
}

std::string KeptHashes::of(std::string_view scene) const {
  for (const auto& [name, hash] : hashes)
    if (name == scene) return hash;
  return {};
}

KeptHashes readHashes(const std::string& file) {
  KeptHashes kept;
  std::istringstream in(io::readFile(file).valueOrThrow());
  std::getline(in, kept.build);
  for (std::string name, hash; in >> name >> hash;) kept.hashes.emplace_back(name, hash);
  return kept;
}

void writeHashes(const std::string& file, const KeptHashes& kept) {
  std::string text = kept.build + "\n";
  for (const auto& [name, hash] : kept.hashes) text += fmt::format("{} {}\n", name, hash);
  io::writeFile(file, text);
}

}  // namespace pneuma::scenes
