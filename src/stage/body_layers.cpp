#include "pneuma/stage/body_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"
#include "pneuma/stage/licence.h"
#include "pneuma/stage/units.h"
#include "stage/asset_check.h"
#include "stage/gait_share.h"
#include "stage/shape_keys.h"

namespace pneuma::stage {
namespace {

constexpr const char* kSkin = "skin";
constexpr double kUnmoved = 1e-9;  // a joint's motion that leaves the skin where it is

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class LayerBuilder {
 public:
  LayerBuilder(const RecordedBody& recorded, const Clip& clip, double framesPerSecond)
      : in_(recorded), clip_(clip), fps_(framesPerSecond) {
    PNEUMA_CHECK(clip.size() > 0, "layers of no frame");
    PNEUMA_CHECK(recorded.breathing.size() == recorded.compiled->links.size(),
                 "{} marks for {} links", recorded.breathing.size(),
                 recorded.compiled->links.size());
  }

  AssetInput build() {
    readFrames();
    chooseCuts();
    placeJoints();
    addJointKeys();
    addBones();
    if (in_.surface != nullptr) addSkin();
    addShapes();
    out_.copyright = kBodyLicence;
    return std::move(out_);
  }

 private:
  const std::vector<anatomy::CompiledLink>& links() const { return in_.compiled->links; }

  void readFrames() {
    const bool breathes = !clip_.layout().group("breath").empty();
    const int volume = breathes ? clip_.layout().scalarIndex("breath", "lung_volume") : -1;
    for (std::size_t k = 0; k < clip_.size(); ++k) {
      times_.push_back(clip_.time(k));
      volumes_.push_back(breathes ? in_.lungVolumeUnit * clip_.scalar(k, volume) : 0);
      motions_.push_back(in_.motions(clip_[k]));
      PNEUMA_CHECK(motions_.back().size() == links().size());
    }
  }

  /// What both animations show.
  void chooseCuts() {
    if (times_.size() < 2) return;
    const double begin = times_.front(), end = times_.back();
    const bool cyclic = in_.gaitCycle > 0 && begin + in_.gaitCycle <= end;
    LoopCut breaths = cutBreathsOrAll(times_, volumes_);
    // Both begin together, so that a gait and a breath that are locked stay in step.
    const double start = breaths.begin + in_.gaitCycle <= end ? breaths.begin : begin;
    const LoopCut gait{start, start + in_.gaitCycle, 1}, all{begin, end, 0};
    if (breaths.cycles == 0 && cyclic) breaths = gait;
    breath_.emplace(times_, breaths, fps_);
    motion_.emplace(times_, cyclic ? gait : all, fps_);
  }

  /// The end of a breath out within what is shown.
  std::size_t restFrame() const {
    if (!breath_) return 0;
    const std::size_t first = breath_->place(0).first,
                      last = breath_->place(breath_->keyCount() - 1).first + 1;
    const auto begin = volumes_.begin();
    return static_cast<std::size_t>(
        std::min_element(begin + static_cast<long>(first), begin + static_cast<long>(last) + 1) -
        begin);
  }

  Pose restOfLink(std::size_t l) const { return {.position = links()[l].center}; }

  /// Pose of a link in its parent's frame.
  Pose localPose(std::size_t l, const std::vector<Pose>& motions) const {
    const Pose X_W = motions[l] * restOfLink(l);
    const int parent = links()[l].parent;
    return parent < 0 ? X_W : (motions[at(parent)] * restOfLink(at(parent))).inverse() * X_W;
  }

  /// World poses of all joints when breathing ones are as in a frame and the others at rest.
  std::vector<Pose> breathingPose(std::size_t frame) const {
    const std::vector<Pose> still(links().size());
    std::vector<Pose> world;
    for (std::size_t l = 0; l < links().size(); ++l) {
      const Pose local = localPose(l, in_.breathing[l] ? motions_[frame] : still);
      world.push_back(links()[l].parent < 0 ? local : world[at(links()[l].parent)] * local);
    }
    return world;
  }

  void placeJoints() {
    const std::vector<Pose> rest = breathingPose(restFrame());
    for (std::size_t l = 0; l < links().size(); ++l)
      out_.joints.push_back({links()[l].name, links()[l].parent, rest[l]});
  }

  void addJointKeys() {
    for (std::size_t l = 0; l < links().size(); ++l) {
      std::vector<Pose> local;
      for (const std::vector<Pose>& m : motions_) local.push_back(localPose(l, m));
      const bool root = links()[l].parent < 0;
      AssetKeys& keys = in_.breathing[l] ? out_.breathJoints : out_.motion;
      keys.joints.push_back(static_cast<int>(l));
      if (!breath_) {
        keys.poses.push_back(std::move(local));
      } else {
        const Loop& loop = in_.breathing[l] ? *breath_ : *motion_;
        keys.poses.push_back(loop.closed(local, root && !in_.breathing[l]));
        if (root && in_.gaitCycle > 0) toOrigin(keys.poses.back());
      }
    }
    out_.motion.times = motion_ ? motion_->keyTimes() : std::vector<double>{0};
    out_.breathJoints.times = breath_ ? breath_->keyTimes() : std::vector<double>{0};
    holdStillPose();
  }

  /// A gait begins above the origin.
  static void toOrigin(std::vector<Pose>& keys) {
    const Vec3 start(keys.front().position.x(), 0, keys.front().position.z());
    for (Pose& p : keys) p.position -= start;
  }

  /// A pose that is held needs two keys, not hundreds.
  void holdStillPose() {
    AssetKeys& m = out_.motion;
    for (const std::vector<Pose>& poses : m.poses)
      if (internal::moves(poses, poses[0], true) || internal::moves(poses, poses[0], false)) return;
    if (m.times.size() < 2) return;
    m.times = {0, m.times.back()};
    for (std::vector<Pose>& poses : m.poses) poses.assign(2, poses[0]);
  }

  int jointOf(int bone) const {
    return in_.jointOfBone.empty() ? in_.compiled->boneLink[at(bone)] : in_.jointOfBone[at(bone)];
  }

  /// Bones at rest, those of breathing joints moved to the end of a breath out.
  void addBones() {
    const auto& bones = in_.body->bones;
    for (const RigidPart& part : in_.cast->rigid) {
      const auto bone = std::ranges::find(bones, part.name, &anatomy::Bone::name);
      PNEUMA_CHECK(bone != bones.end(), "no bone {}", part.name);
      const int joint = jointOf(static_cast<int>(bone - bones.begin()));
      const Pose X_WL = part.link < 0 ? Pose{} : clip_.layout().links[at(part.link)].X_WL_rest;
      const Pose move = out_.joints[at(joint)].X_WJ * restOfLink(at(joint)).inverse() * X_WL;
      AssetBone b{part.name, part.mesh, joint, part.tissue == body::Tissue::Cartilage};
      for (Vec3& p : b.mesh.positions) p = move * p;
      out_.bones.push_back(std::move(b));
    }
  }

  /// Skin, weights and texture of the file's level, whose vertices are the first of the surface's.
  void addSkin() {
    const anatomy::SkinTopology& topology =
        in_.fileTopology != nullptr ? *in_.fileTopology : *in_.surface->topology;
    const std::size_t count = topology.parts.size();
    PNEUMA_CHECK(count <= in_.surface->mesh.vertexCount());
    const auto* weights = dynamic_cast<const skin::WeightsDriver*>(&in_.driver->poseDriver());
    PNEUMA_CHECK(weights != nullptr && in_.driver->breath() != nullptr,
                 "layers need a skin with weights and breath");
    const auto& all = in_.surface->mesh.positions;
    AssetSkin& skin = out_.skin;
    skin.mesh = {{all.begin(), all.begin() + static_cast<long>(count)}, topology.triangles};
    skin.atlas = topology.atlas;
    const skin::JointGroups& groups = weights->groups();
    std::vector<int> jointOfGroup;
    for (const std::string& name : groups.names)
      jointOfGroup.push_back(static_cast<int>(
          std::ranges::find(links(), name, &anatomy::CompiledLink::name) - links().begin()));
    for (std::size_t v = 0; v < count; ++v) {
      const skin::SkinWeights::Vertex& w = weights->weights().vertices[v];
      io::JointWeights& jw = skin.weights.emplace_back();
      for (std::size_t i = 0; i < skin::SkinWeights::kMost; ++i) {
        jw.joints[i] = jointOfGroup[at(w.group[i])];
        jw.weights[i] = w.weight[i];
      }
    }
    if (in_.restSkin) addBreath(topology);
  }

  void addBreath(const anatomy::SkinTopology& topology) {
    std::vector<std::vector<Vec3>> frames(times_.size());
    for (std::size_t k = 0; k < frames.size(); ++k) frames[k] = skinAtRest(k);
    if (!breath_) {
      out_.skin.mesh.positions = std::move(frames[0]);
      return;
    }
    if (in_.gaitCycle > 0 && !internal::isLocked(breath_->period(), in_.gaitCycle))
      internal::removeGait(times_, in_.gaitCycle, frames);
    std::vector<BreathRegion> regions;
    for (const anatomy::SkinPart part : topology.parts)
      regions.push_back(breathRegion(anatomy::name(part)));
    const std::span<const double> share = in_.driver->breath()->chestShare();
    out_.breath = makeBreathLoop({.times = times_,
                                  .lungVolumes = volumes_,
                                  .frames = frames,
                                  .triangles = topology.triangles,
                                  .regions = regions,
                                  .chestShare = share.first(regions.size())},
                                 {.framesPerSecond = fps_, .cut = breath_->cut()});
  }

  /// y of makeLayers.
  std::vector<Vec3> skinAtRest(std::size_t frame) const {
    std::vector<Vec3> x = in_.restSkin(clip_[frame]);
    x.resize(out_.skin.mesh.vertexCount());
    std::vector<Pose> breathing = breathingPose(frame);
    std::vector<bool> moves;
    for (std::size_t j = 0; j < breathing.size(); ++j) {
      breathing[j] = breathing[j] * out_.joints[j].X_WJ.inverse();
      moves.push_back((breathing[j].rotation - Mat3::Identity()).norm() > kUnmoved ||
                      breathing[j].position.norm() > kUnmoved);
    }
    parallelFor(x.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const io::JointWeights& w = out_.skin.weights[v];
        Mat3 A = Mat3::Zero();
        Vec3 b = Vec3::Zero();
        bool any = false;
        for (std::size_t i = 0; i < w.joints.size(); ++i) {
          const auto j = at(w.joints[i]);
          any = any || (moves[j] && w.weights[i] > 0);
          A += w.weights[i] * breathing[j].rotation;
          b += w.weights[i] * breathing[j].position;
        }
        if (any) x[v] = A.inverse() * (x[v] - b);
      }
    });
    return x;
  }

  void addShapes() {
    const internal::ShapeKeys keys(clip_, breath_);
    for (const SoftPart& part : in_.cast->soft)
      if (part.name != kSkin) out_.shapes.push_back(keys.of(part));
    for (const LinePart& part : in_.cast->lines)
      if (part.inFiles) out_.shapes.push_back(keys.of(part));
    // Carriers are links of the layout, which need not be those of the armature.
    for (AssetShape& s : out_.shapes)
      if (s.joint >= 0) {
        const std::string& name = clip_.layout().links[at(s.joint)].name;
        const auto joint = std::ranges::find(out_.joints, name, &AssetJoint::name);
        PNEUMA_CHECK(joint != out_.joints.end(), "no joint {} carries {}", name, s.name);
        s.joint = static_cast<int>(joint - out_.joints.begin());
      }
  }

  const RecordedBody& in_;
  const Clip& clip_;
  double fps_;
  AssetInput out_;
  std::vector<double> times_, volumes_;
  std::vector<std::vector<Pose>> motions_;  // of each frame's links from rest
  std::optional<Loop> breath_, motion_;     // none for a single frame
};

}  // namespace

AssetInput makeLayers(const RecordedBody& recorded, const Clip& clip, double framesPerSecond) {
  return LayerBuilder(recorded, clip, framesPerSecond).build();
}

AssetInput withoutShapes(AssetInput input) {
  input.shapes.clear();
  return input;
}

AssetInput painted(AssetInput input, const RecordedBody& recorded) {
  const anatomy::SkinSurface* fine = recorded.surface;
  if (input.skin.mesh.empty() || input.skin.atlas.uv.empty() || fine == nullptr) return input;
  const anatomy::SkinTopology& shown =
      recorded.fileTopology != nullptr ? *recorded.fileTopology : *fine->topology;
  input.skin.maps = std::make_shared<const SkinMaps>(
      makeSkinMaps(shown, *fine, {.sex = recorded.body->person.sex}));
  return input;
}

nlohmann::ordered_json layersJson(const AssetInput& input) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  if (!input.breath) return j;
  const BreathLoop& b = *input.breath;
  j["loop_breaths"] = b.loop.cut().cycles;
  j["loop_s"] = b.loop.period();
  for (const io::MorphTarget& t : b.targets) j["breath_targets"].push_back(t.name);
  j["breath_targets_rms_mm"] = b.meanError / kMillimetre;
  j["breath_targets_error_mm"] = b.largestError / kMillimetre;
  j["loop_seam_before_mm"] = b.seamBefore / kMillimetre;
  j["loop_seam_mm"] = b.seamAfter / kMillimetre;
  return j;
}

nlohmann::ordered_json assetJson(const AssetReport& report) {
  nlohmann::ordered_json j;
  j["asset_bytes"] = report.bytes;
  j["asset_draw_calls"] = report.drawCalls;
  j["asset_skin_triangles"] = report.skinTriangles;
  j["asset_bone_triangles"] = report.boneTriangles;
  return j;
}

}  // namespace pneuma::stage
