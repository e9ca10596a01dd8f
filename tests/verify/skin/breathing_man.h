#pragma once

#include <memory>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skin/contour_driver.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/skin/skin_checks.h"
#include "pneuma/skin/torso_traces.h"
#include "tests/support/human_breath.h"

/// The default man with his one mesh and every driver, made once for all tests of a program.
namespace pneuma::skin {

/// A person who breathes in a style, with the traces that skin follows.
struct Breather {
  breath::BreathSimulation run;
  TorsoTraces traces;
  Breather(const anatomy::Body& body, const std::string& style,
           breath::Posture posture = breath::Posture::Upright)
      : run(settings(style, posture)), traces(run.model(), body) {}
  static breath::BreathSettings settings(const std::string& style, breath::Posture posture) {
    breath::BreathSettings s = test::humanBreath(style);
    s.torso = breath::makeTorsoConfig("default", posture);
    s.arms = true;
    return s;
  }
  SkinInputs now() {
    breath::updatePoints(run.model(), run.state(), run.workspace());
    std::vector<Pose> bodies;
    for (int b = 0; b < breath::kBodyCount; ++b) {
      const Pose pose = breath::bodyPose(run.model(), run.state(), b);
      const Vec3& origin = run.model().parts[static_cast<std::size_t>(b)].origin;
      bodies.push_back({pose.rotation, pose.position - pose.rotation * origin});
    }
    for (int b = breath::kBodyCount; b < breath::kAllBodyCount; ++b)
      bodies.push_back(run.layer()->motion(b));
    return traces.follow(run.workspace().points(), bodies, run.workspace().reading().lungVolume);
  }
};

/// The default man: fitted body, his skin at the smallest level, both drivers.
struct Man {
  anatomy::Body measured = *test::humanBody();
  anatomy::Body body = anatomy::fitToPerson(measured, measured.person);
  anatomy::GeometryCache cache;
  anatomy::SkinSurface surface = anatomy::makeSkinSurface(
      anatomy::skinModelOf(measured), measured, measured.person, {.triangles = 20000}, cache);
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  skeleton::Model model = skeleton::modelFromBody(compiled, {.freeRoot = true});
  /// Not those that the driver holds.
  std::vector<BoneSample> cage =
      sampleBones(body, cache, 0.011, [](const anatomy::Bone& b) { return isCageBone(b.name); });
  std::vector<Triangle> trunk = trianglesOf(surface.mesh.triangles, overTheCage(surface));
  Breather still{body, "casual"};  // never run: its traces at rest bind the drivers
  std::unique_ptr<LayeredDriver> weights =
      makeWeightsSkin(surface, body, compiled, cache, still.traces.traces());
  std::unique_ptr<LayeredDriver> contours =
      makeContourSkin(surface, body, compiled, model, nullptr, cache, still.traces.traces());

  std::vector<std::pair<const char*, LayeredDriver*>> drivers() const {
    return {{"weights", weights.get()}, {"contours", contours.get()}};
  }
  std::vector<Vec3> pose(SkinDriver& driver, const SkinInputs& inputs) const {
    std::vector<Vec3> x(surface.mesh.vertexCount());
    driver.pose(inputs, x);
    return x;
  }
  /// Motions of all bones in a pose of the figure.
  std::vector<Pose> bones(const VecX& q) const {
    skeleton::Kinematics k(model);
    skeleton::computePoses(model, q, k);
    const std::vector<int> links = skeleton::linkIndices(compiled, model);
    std::vector<Pose> motions, all;
    for (const int l : links)
      motions.push_back(k.X_WL[static_cast<std::size_t>(l)] *
                        model.links[static_cast<std::size_t>(l)].X_WL_rest.inverse());
    boneMotions(compiled, motions, all);
    return all;
  }
  /// A pose with the wall carried along by a lumbar vertebra.
  struct Posed {
    std::vector<Pose> bones;
    Pose carrier;
    std::vector<Vec3> wall;
    PointTrace trace;
    SkinInputs inputs() const {
      return {.bones = bones, .posture = {}, .traces = {&trace, 1}, .gas = 0};
    }
  };
  std::unique_ptr<Posed> posed(std::vector<Pose> motions) const {
    auto p = std::make_unique<Posed>();
    p->bones = std::move(motions);
    const PointTrace& rest = still.traces.traces().front();
    const auto lumbar = std::ranges::find(body.bones, "vertebra_l2", &anatomy::Bone::name);
    p->carrier = p->bones[static_cast<std::size_t>(lumbar - body.bones.begin())];
    for (const Vec3& w : rest.rest) p->wall.push_back(p->carrier * w);
    p->trace = {rest.name, rest.rest, p->wall};
    return p;
  }
  VecX jointed(const std::vector<std::pair<const char*, double>>& degrees) const {
    std::vector<skeleton::JointSetting> settings;
    for (const auto& [name, angle] : degrees) settings.push_back({name, degreesToRadians(angle)});
    return skeleton::PoseMaker(compiled, model).make(settings);
  }
};
inline Man& man() {
  static Man one;
  return one;
}

}  // namespace pneuma::skin
