#include "pneuma/stage/act_flesh.h"

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
                   const FleshRequest& request, int triangles, FigureActor& actor)
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
  driver_->pose(inputs, frame.pointsOf(actor_.layout(), skinSet_));
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
