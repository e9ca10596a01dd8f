#pragma once

#include "pneuma/core/mesh_simplify.h"
#include "pneuma/core/random.h"
#include "pneuma/fit/figure_template.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/stage/skin_rig.h"
#include "tests/verify/fit/shared_characters.h"

/// Our own people as characters whose inside is known.
namespace pneuma::test {

struct OwnPerson {
  fit::FigureTemplate truth;
  SharedCharacter character;  ///< an anonymous mesh of it, with its joint centres as markers
};

/// Arms raised sideways to an angle from hanging [rad], as `live` shows it: collar bones and
/// shoulder blades go along, the skin keeps its volume. Markers go with the bones they lie on.
inline void raiseArms(const anatomy::Body& measured, const fit::FigureTemplate& truth, double angle,
                      SharedCharacter& c) {
  stage::SkinRig rig(measured, truth.person);
  const Vec3 arm = (truth.joints.elbow[0] - truth.joints.shoulder[0]).normalized();
  const skeleton::JointSetting raised{"shoulder.abduction", angle - std::atan2(arm.x(), -arm.y())};
  const VecX q = skeleton::PoseMaker(rig.compiled(), rig.model()).make({&raised, 1});
  c.mesh.positions = rig.posed(q);
  const std::vector<Pose> motions = stage::boneMotionsAt(rig.compiled(), rig.model(), q);
  constexpr std::pair<const char*, const char*> kOn[] = {
      {"shoulder", "humerus"}, {"elbow", "humerus"}, {"wrist", "hand"}, {"hand", "hand"},
      {"hip", "femur"},        {"knee", "femur"},    {"ankle", "talus"}};
  for (const auto& [joint, bone] : kOn)
    for (const char* side : {"_l", "_r"}) {
      const auto& bones = truth.body->bones;
      const auto on = std::ranges::find(bones, std::string(bone) + side, &anatomy::Bone::name);
      const auto marker =
          std::ranges::find(c.markers, std::string(joint) + side, &fit::Landmark::name);
      marker->place = motions[static_cast<std::size_t>(on - bones.begin())] * marker->place;
    }
}

/// Other triangles, another pose (arms at an angle from hanging; nothing: as it stands), noise
/// along the normals [m], in centimetres, z up.
inline OwnPerson ownPerson(const anatomy::Body& measured, const anatomy::Person& person,
                           std::optional<double> arms, double noise, std::string name) {
  OwnPerson own;
  own.truth = fit::makeFigureTemplate(measured, person, anatomy::GeometryCache());
  SharedCharacter c{std::move(name), person.sex, own.truth.skin.mesh};
  const auto mark = [&](const std::string& joint, const std::array<Vec3, 2>& places) {
    c.markers.push_back({joint + "_l", places[0]});
    c.markers.push_back({joint + "_r", places[1]});
  };
  for (const fit::NamedPair& pair : fit::kNamedPairs) mark(pair.name, own.truth.joints.*pair.place);
  mark("hand", own.truth.joints.hand);
  if (arms) raiseArms(measured, own.truth, *arms, c);
  c.mesh = simplified(c.mesh, 0.5e-3);
  const std::vector<Vec3> normals = vertexNormals(c.mesh);
  Random random(5);
  for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v)
    c.mesh.positions[v] += noise * random.normal() * normals[v];
  own.character =
      c.changed(c.name, [](const Vec3& p) { return Vec3(100 * Vec3(p.x(), -p.z(), p.y())); });
  return own;
}

}  // namespace pneuma::test
