#include "pneuma/stage/skin_rig.h"

#include <algorithm>

#include "pneuma/anatomy/person.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skin/contour_driver.h"

namespace pneuma::stage {

std::vector<Pose> linkMotionsAt(const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const VecX& q) {
  skeleton::Kinematics k(model);
  skeleton::computePoses(model, q, k);
  std::vector<Pose> links;
  for (const int l : skeleton::linkIndices(compiled, model))
    links.push_back(k.X_WL[static_cast<std::size_t>(l)] *
                    model.links[static_cast<std::size_t>(l)].X_WL_rest.inverse());
  return links;
}

std::vector<Pose> boneMotionsAt(const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const VecX& q) {
  std::vector<Pose> bones;
  skin::boneMotions(compiled, linkMotionsAt(compiled, model, q), bones);
  return bones;
}

SkinRig::SkinRig(const anatomy::Body& measured, const anatomy::Person& person, int triangles)
    : body_(anatomy::fitToPerson(measured, person)),
      compiled_(anatomy::compileBody(body_, kArticulation).valueOrThrow()),
      model_(skeleton::modelFromBody(compiled_, {.freeRoot = true})) {
  const anatomy::GeometryCache cache;
  surface_ = anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, person,
                                      {.triangles = triangles}, cache);
  driver_ = skin::makeWeightsSkin(surface_, body_, compiled_, cache, {});
  weights_ = dynamic_cast<const skin::WeightsDriver*>(&driver_->poseDriver());
  PNEUMA_CHECK(weights_ != nullptr, "a skin without weights");
}

std::vector<Vec3> SkinRig::plain(const VecX& q, std::span<const Vec3> rest) const {
  const skin::JointGroups& groups = weights_->groups();
  const std::vector<skin::SkinWeights::Vertex>& weights = weights_->weights().vertices;
  PNEUMA_CHECK(rest.size() == weights.size(), "{} vertices with weights of {}", rest.size(),
               weights.size());
  const std::vector<Pose> bones = boneMotionsAt(compiled_, model_, q);
  std::vector<Vec3> x(rest.size(), Vec3::Zero());
  for (std::size_t v = 0; v < x.size(); ++v)
    for (std::size_t k = 0; k < skin::SkinWeights::kMost; ++k)
      x[v] += weights[v].weight[k] * (bones[at(groups.carrier[at(weights[v].group[k])])] * rest[v]);
  return x;
}

std::vector<Vec3> SkinRig::posed(const VecX& q) {
  const std::vector<Pose> bones = boneMotionsAt(compiled_, model_, q);
  std::vector<Vec3> x(rest().size());
  driver_->pose({.bones = bones, .posture = {}, .traces = {}}, x);
  return x;
}

std::vector<Vec3> SkinRig::contoured(const VecX& q) {
  if (!contours_) {
    bellies_ = std::make_unique<flesh::FigureBellies>(body_, compiled_, model_);
    contours_ = skin::makeContourSkin(surface_, body_, compiled_, model_, bellies_.get(),
                                      anatomy::GeometryCache(), {});
  }
  skeleton::Kinematics k(model_);
  skeleton::computePoses(model_, q, k);
  bellies_->settle(k);
  const std::vector<Pose> bones = boneMotionsAt(compiled_, model_, q);
  std::vector<Vec3> x(rest().size());
  contours_->pose({.bones = bones, .posture = {}, .traces = {}}, x);
  return x;
}

std::vector<io::JointWeights> SkinRig::jointWeights() const {
  std::vector<int> jointOfGroup;
  for (const std::string& name : weights_->groups().names)
    jointOfGroup.push_back(
        static_cast<int>(std::ranges::find(compiled_.links, name, &anatomy::CompiledLink::name) -
                         compiled_.links.begin()));
  std::vector<io::JointWeights> list;
  for (const skin::SkinWeights::Vertex& w : weights_->weights().vertices) {
    io::JointWeights& jw = list.emplace_back();
    for (std::size_t i = 0; i < skin::SkinWeights::kMost; ++i) {
      jw.joints[i] = jointOfGroup[at(w.group[i])];
      jw.weights[i] = w.weight[i];
    }
  }
  return list;
}

}  // namespace pneuma::stage
