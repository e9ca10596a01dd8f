#include "pneuma/stage/posed_performance.h"

#include <algorithm>

#include "pneuma/core/index.h"

namespace pneuma::stage {
namespace {

/// Pose of each link in its parent's frame; joints stand at the links' centres, unturned at rest.
std::vector<Pose> jointPoses(const anatomy::CompiledBody& compiled,
                             const std::vector<Pose>& motions) {
  std::vector<Pose> world, local;
  for (std::size_t l = 0; l < compiled.links.size(); ++l) {
    const anatomy::CompiledLink& link = compiled.links[l];
    world.push_back(motions[l] * Pose{.position = link.center});
    local.push_back(link.parent < 0 ? world[l] : world[at(link.parent)].inverse() * world[l]);
  }
  return local;
}

}  // namespace

PosedPerformance::PosedPerformance(const shape::BreathModel& model,
                                   const shape::PersonBreath& person, const anatomy::Body& measured,
                                   const anatomy::Person& who, const MotionSource& source,
                                   double framesPerSecond)
    : model_(&model),
      person_(&person),
      shape_(model.shape()),
      motion_(makePlayedMotion(source, measured, who, SkinRig::kArticulation, framesPerSecond)),
      rig_(measured, who),
      solver_(shape_, model.pose) {}

const VecX& PosedPerformance::configuration(std::size_t frame) const {
  return motion_.q[std::min(frame, motion_.q.size() - 1)];
}

std::vector<Vec3> PosedPerformance::skin(std::size_t frame, const VecX& weights) const {
  std::vector<Vec3> morphed(person_->rest().size());
  person_->apply(weights, morphed);
  return solver_.pose(person_->rest(), rig_.plain(configuration(frame), person_->rest()), morphed);
}

std::vector<Vec3> PosedPerformance::plainSkin(std::size_t frame, const VecX& weights) const {
  std::vector<Vec3> morphed(person_->rest().size());
  person_->apply(weights, morphed);
  return rig_.plain(configuration(frame), morphed);
}

io::GltfScene PosedPerformance::scene(const BreathTrack& track,
                                      const std::vector<VecX>& weights) const {
  io::GltfScene scene = performScene(*model_, *person_, track, weights);
  const anatomy::CompiledBody& compiled = rig_.compiled();
  scene.meshes.front().jointWeights = rig_.jointWeights();
  io::GltfSkin skin{.name = "armature", .root = scene.addNode({.name = "armature"})};
  const std::vector<Pose> rest = jointPoses(compiled, std::vector<Pose>(compiled.links.size()));
  std::vector<int> nodes;
  for (std::size_t l = 0; l < compiled.links.size(); ++l) {
    const anatomy::CompiledLink& link = compiled.links[l];
    nodes.push_back(
        scene.addNode({.name = link.name,
                       .pose = rest[l],
                       .parent = link.parent < 0 ? skin.root : nodes[at(link.parent)]}));
    skin.joints.push_back(nodes.back());
    skin.X_WJ.push_back({.position = link.center});
  }
  scene.skins.push_back(std::move(skin));
  scene.nodes.front().skin = 0;
  std::vector<double> times;
  std::vector<std::vector<Pose>> keys(compiled.links.size());
  for (std::size_t k = 0; k < track.size(); ++k) {
    times.push_back(track.time(k));
    const std::vector<Pose> local =
        jointPoses(compiled, linkMotionsAt(compiled, rig_.model(), configuration(k)));
    for (std::size_t l = 0; l < local.size(); ++l) keys[l].push_back(local[l]);
  }
  io::GltfAnimation motion{.name = "motion"};
  for (std::size_t l = 0; l < keys.size(); ++l)
    motion.tracks.push_back({nodes[l], io::rigidAnimation(times, keys[l])});
  scene.animations.push_back(std::move(motion));
  return scene;
}

}  // namespace pneuma::stage
