#include "pneuma/stage/act_person.h"

#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skin/joint_groups.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/stage/complexion.h"

namespace pneuma::stage {

ActPerson::ActPerson(const anatomy::Body& measured, const anatomy::Body& described,
                     const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
                     const anatomy::RelaxedHands& hands, int triangles)
    : compiled_(compiled),
      tree_(tree),
      links_(skeleton::linkIndices(compiled, tree)),
      sex_(described.person.sex) {
  const anatomy::GeometryCache cache;
  surface_ = anatomy::makeShownSkin(measured, described.person, triangles, cache, hands);
  driver_ = skin::makeWeightsSkin(surface_, described, compiled, cache, {});
}

std::vector<Vec3> ActPerson::positions(const body::Frame& frame) {
  std::vector<Pose> links, bones;
  for (std::size_t l = 0; l < links_.size(); ++l)
    links.push_back(frame.X_WL[l] * tree_.links[at(links_[l])].X_WL_rest.inverse());
  skin::boneMotions(compiled_, links, bones);
  std::vector<Vec3> points(surface_.mesh.positions.size());
  driver_->pose({.bones = bones, .posture = {}, .traces = {}}, points);
  return points;
}

SoftPart ActPerson::skin() {
  return {.name = "skin",
          .tissue = body::Tissue::Skin,
          .triangles = surface_.mesh.triangles,
          .positions = [this](const body::Frame& frame) { return positions(frame); }};
}

Look ActPerson::look() const {
  return {.bone = 1, .skin = 1, .skinTexture = skinTexture(*surface_.topology, {.sex = sex_})};
}

}  // namespace pneuma::stage
