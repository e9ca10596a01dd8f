#include "pneuma/stage/act_person.h"

#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skin/joint_groups.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/stage/complexion.h"
#include "pneuma/stage/open_eyes.h"

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
  const int skull = compiled.findLink("skull");
  for (Eyeball& eye : openEyes(*surface_.topology, surface_.mesh.positions)) {
    const Pose X_LW = tree.links[at(links_[at(skull)])].X_WL_rest.inverse();
    for (Vec3& p : eye.mesh.positions) p = X_LW * p;
    eyes_.push_back(
        {.name = "eye", .link = skull, .mesh = std::move(eye.mesh), .eye = eye.texture});
  }
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
  return {.bone = 1,
          .skin = 1,
          .skinTexture = skinTexture(*surface_.topology, {.sex = sex_, .lidsClosed = false})};
}

}  // namespace pneuma::stage
