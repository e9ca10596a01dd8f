// Writes a simple person as a game asset for outside judges, and where its vertices must be when
// both animations play together at a moment:
//
//   example_asset <folder>
//
// body.glb (small numbers), plain.glb (floats), asset.json. The positions are computed here from
// the input of the writer, not from its files.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "pneuma/io/atomic_file.h"
#include "tests/support/capsule_person.h"

using namespace pneuma;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kKey = 30;  // looked at in both animations
constexpr double kFramesPerSecond = 30;

/// From rest a share of the way to a pose, and beyond.
Pose towards(const Pose& rest, const Pose& pose, double share) {
  const Eigen::AngleAxisd turn(rest.rotation.transpose() * pose.rotation);
  return {rest.rotation * Mat3(Eigen::AngleAxisd(share * turn.angle(), turn.axis())),
          rest.position + share * (pose.position - rest.position)};
}

/// Joints in the world, moved as an engine does: parents first.
std::vector<Pose> posedJoints(const stage::AssetInput& in, double depth) {
  std::vector<Pose> local;
  for (const stage::AssetJoint& j : in.joints)
    local.push_back(j.parent < 0
                        ? j.X_WJ
                        : in.joints[static_cast<std::size_t>(j.parent)].X_WJ.inverse() * j.X_WJ);
  for (std::size_t i = 0; i < in.motion.joints.size(); ++i)
    local[static_cast<std::size_t>(in.motion.joints[i])] = in.motion.poses[i][kKey];
  for (std::size_t i = 0; i < in.breathJoints.joints.size(); ++i) {
    Pose& pose = local[static_cast<std::size_t>(in.breathJoints.joints[i])];
    pose = towards(pose, in.breathJoints.poses[i][kKey], depth);
  }
  std::vector<Pose> world;
  for (std::size_t j = 0; j < local.size(); ++j) {
    const int parent = in.joints[j].parent;
    world.push_back(parent < 0 ? local[j] : world[static_cast<std::size_t>(parent)] * local[j]);
  }
  return world;
}

Json jsonOf(const Vec3& p) {
  return Json::array({p.x(), p.y(), p.z()});
}

Json skinAt(const stage::AssetInput& in, double depth) {
  const std::vector<Pose> joints = posedJoints(in, depth);
  const std::size_t count = in.breath->targetCount();
  std::vector<double> weights;
  for (std::size_t k = 0; k < count; ++k)
    weights.push_back(depth * in.breath->weights[kKey * count + k]);
  const std::vector<Vec3> shape = in.breath->shape(weights);
  Json list = Json::array();
  for (const std::int32_t v : in.skin.atlas.vertexOf) {
    const io::JointWeights& w = in.skin.weights[static_cast<std::size_t>(v)];
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto j = static_cast<std::size_t>(w.joints[k]);
      const Vec3 inJoint = in.joints[j].X_WJ.inverse() * shape[static_cast<std::size_t>(v)];
      sum += w.weights[k] * (joints[j] * inJoint);
      total += w.weights[k];
    }
    list.push_back(jsonOf(sum / total));
  }
  return list;
}

Json bonesAt(const stage::AssetInput& in, double depth) {
  const std::vector<Pose> joints = posedJoints(in, depth);
  Json list = Json::array();
  for (const stage::AssetBone& b : in.bones) {
    const auto j = static_cast<std::size_t>(b.joint);
    if (!b.cartilage)
      for (const Vec3& p : b.mesh.positions)
        list.push_back(jsonOf(joints[j] * (in.joints[j].X_WJ.inverse() * p)));
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path folder = argv[1];
  const test::CapsulePerson person(4);
  const test::CapsuleBreath breath(person, 0.3, {1, 0.8, 1.1, 0.9, 1}, 4, 25, -1.3,
                                   4e-3);  // drifts, so nothing repeats by itself
  const stage::BreathLoop layer =
      stage::makeBreathLoop(breath.recording(person), {.framesPerSecond = kFramesPerSecond});
  const stage::AssetInput in = test::capsuleAsset(person, layer, kFramesPerSecond);
  const stage::AssetReport report =
      stage::writeAsset(folder / "body.glb", in, {.boneTolerance = 0});
  stage::writeAsset(folder / "plain.glb", in, {.boneTolerance = 0, .quantised = false});

  Json facts = {{"fps", kFramesPerSecond},
                {"time", static_cast<double>(kKey) / kFramesPerSecond},
                {"joints", Json::array()},
                {"targets", Json::array()},
                {"moments", Json::array()}};
  for (const stage::AssetJoint& j : in.joints)
    facts["joints"].push_back({{"name", j.name}, {"pivot", jsonOf(j.X_WJ.position)}});
  for (const io::MorphTarget& t : layer.targets) facts["targets"].push_back(t.name);
  for (const double depth : {0.0, 0.5, 1.0, 1.5})
    facts["moments"].push_back(
        {{"depth", depth}, {"skin", skinAt(in, depth)}, {"bones", bonesAt(in, depth)}});
  io::writeFile(folder / "asset.json", facts.dump());

  std::printf("%zu bytes, %zu draw calls, skin", report.bytes, report.drawCalls);
  for (const std::size_t n : report.skinTriangles) std::printf(" %zu", n);
  std::printf(" triangles; breath within %.3f mm, seam %.3f -> %.3f mm\n", layer.largestError * 1e3,
              layer.seamBefore * 1e3, layer.seamAfter * 1e3);
  for (const io::GlbPart& p : report.parts) std::printf("  %-24s %8zu\n", p.name.c_str(), p.bytes);
}
