#include "pneuma/stage/act_flesh.h"

#include <algorithm>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skin/joint_groups.h"

namespace pneuma::stage {
namespace {

constexpr MorphQuality kActSkinMorphs{.tolerance = 1e-3, .mostTargets = 24};

}  // namespace

ActFlesh::ActFlesh(const anatomy::Body& measured, const anatomy::Body& described,
                   const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
                   const FleshRequest& request, int triangles, const anatomy::RelaxedHands& hands,
                   FigureActor& actor)
    : compiled_(compiled),
      tree_(tree),
      links_(skeleton::linkIndices(compiled, tree)),
      actor_(actor) {
  const anatomy::GeometryCache cache;
  // Lungs and gut are those of the living body at rest; nothing moves their walls here.
  const body::LivingModel living =
      body::makeLivingModel(std::make_shared<anatomy::Body>(described));
  body::FleshOptions options = request.options();
  options.walls = false;
  const anatomy::SkinSurface surface = anatomy::makeSkinSurface(
      anatomy::skinModelOf(measured), measured, described.person, {.triangles = triangles}, cache);
  driver_ = std::make_unique<skin::FleshDriver>(
      body::makeFlesh(living, measured, compiled, options, cache), surface.mesh,
      skin::FleshDriver::Settings{}, options.effects);
  skinSet_ = actor.addPointSet({.name = "skin",
                                .count = surface.mesh.vertexCount(),
                                .tissue = body::Tissue::Skin,
                                .carrier = 0,
                                .triangles = surface.mesh.triangles},
                               kActSkinMorphs);
  for (const body::FrameScalar& s : FleshRecord::scalars()) actor.addScalar(s);
  holdHands(surface, described, hands);
}

/// A hand is one bone: its fingers' posture is a shape of the rest pose that the bone carries.
void ActFlesh::holdHands(const anatomy::SkinSurface& skin, const anatomy::Body& body,
                         const anatomy::RelaxedHands& hands) {
  const auto boneAt = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(body.bones, name, &anatomy::Bone::name) -
                                    body.bones.begin());
  };
  const std::size_t left = boneAt("hand_l"), right = boneAt("hand_r");
  if (left == body.bones.size() || right == body.bones.size()) return;
  for (std::size_t v = 0; v < skin.parts.size(); ++v) {
    if (skin.parts[v] != anatomy::SkinPart::Hand && skin.parts[v] != anatomy::SkinPart::Forearm)
      continue;
    const Vec3& p = skin.mesh.positions[v];
    hands_.push_back({v, p.x() < 0 ? right : left, hands(p) - p});
  }
}

void ActFlesh::capture(const skeleton::Kinematics& kinematics, std::span<const double> activations,
                       body::Frame& frame) {
  std::vector<Pose> links, bones;
  for (const int l : links_)
    links.push_back(kinematics.X_WL[at(l)] * tree_.links[at(l)].X_WL_rest.inverse());
  skin::boneMotions(compiled_, links, bones);
  skin::SkinInputs inputs;
  inputs.bones = bones;
  inputs.activations = activations;
  inputs.time = frame.time;
  const std::span<Vec3> skin = frame.pointsOf(actor_.layout(), skinSet_);
  driver_->pose(inputs, skin);
  for (const HandVertex& h : hands_) skin[h.vertex] += bones[h.bone].rotation * h.shift;
  record_.add(driver_->report(), frame);
}

void ActFlesh::save(io::StateWriter& out) const {
  driver_->save(out);
  record_.save(out);
}

void ActFlesh::load(io::StateReader& in) {
  driver_->load(in);
  record_.load(in);
}

}  // namespace pneuma::stage
