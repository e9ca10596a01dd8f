#include "stage/asset_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pneuma/core/error.h"

namespace pneuma::stage::internal {
namespace {

// Below these a joint counts as still: 1 micrometre, and as much at a metre's reach.
constexpr double kStill = 1e-6;

class AssetCheck {
 public:
  AssetCheck(const AssetInput& input, const AssetConfig& config) : in_(input), config_(config) {}

  void run() {
    checkJoints();
    checkSkin();
    for (const AssetBone& b : in_.bones) checkBone(b);
    for (const AssetShape& shape : in_.shapes) checkShape(shape);
    checkKeys("animation 'motion'", in_.motion);
    checkKeys("animation 'breath'", in_.breathJoints);
    checkBreath();
    const auto& shares = config_.levels;
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (!(shares[k] > 0 && shares[k] < (k > 0 ? shares[k - 1] : 1)))
        add("levels of detail", "levels", fmt::format("share {} is {}", k, shares[k]),
            "falling numbers between 0 and 1");
    if (!(config_.boneTolerance >= 0)) add("bones", "boneTolerance", "is negative", ">= 0 [m]");
    if (!found_.empty()) throw InputError(std::move(found_));
  }

 private:
  void add(const std::string& subject, const std::string& field, const std::string& message,
           const std::string& expected) {
    found_.push_back(
        {.subject = subject, .field = field, .message = message, .expected = expected});
  }

  bool isJoint(int joint) const {
    return joint >= 0 && static_cast<std::size_t>(joint) < in_.joints.size();
  }

  void checkJoints() {
    if (in_.joints.empty()) add("armature", "joints", "has none", "one root and its joints");
    names_ = {in_.name, "skin", "bones", "cartilage"};
    for (std::size_t j = 0; j < in_.joints.size(); ++j) {
      const AssetJoint& joint = in_.joints[j];
      const std::string subject = "joint '" + joint.name + "'";
      if (!names_.insert(joint.name).second)
        add(subject, "name", "is used twice in the asset", "a name of its own");
      if (j == 0 ? joint.parent != -1 : joint.parent < 0 || joint.parent >= static_cast<int>(j))
        add(subject, "parent", fmt::format("is {}", joint.parent),
            j == 0 ? "-1, for the root" : "a joint before it");
    }
  }

  void checkSkin() {
    const AssetSkin& s = in_.skin;
    const std::size_t count = s.mesh.vertexCount();
    checkCorners("skin", "mesh", s.mesh.triangles, count);
    if (s.weights.size() != count)
      add("skin", "weights", fmt::format("has {} entries", s.weights.size()),
          fmt::format("one for each of the {} vertices", count));
    const anatomy::SkinAtlas& a = s.atlas;
    if (a.vertexOf.size() != a.uv.size() || a.vertexOf.empty() != a.triangles.empty())
      add("skin", "atlas",
          fmt::format("{} places for {} render vertices and {} triangles", a.uv.size(),
                      a.vertexOf.size(), a.triangles.size()),
          "one for each render vertex, or none at all");
    for (std::size_t i = 0; i < a.vertexOf.size(); ++i)
      if (a.vertexOf[i] < 0 || static_cast<std::size_t>(a.vertexOf[i]) >= count)
        return add("skin", "atlas.vertexOf", fmt::format("entry {} is {}", i, a.vertexOf[i]),
                   fmt::format("0 to {}", static_cast<long>(count) - 1));
    checkCorners("skin", "atlas.triangles", a.triangles, a.vertexOf.size());
  }

  /// Its points and keys are judged by the writer of glTF.
  void checkShape(const AssetShape& shape) {
    const std::string subject = "shape '" + shape.name + "'";
    if (!names_.insert(shape.name).second)
      add(subject, "name", "is used twice in the asset", "a name of its own");
    if (shape.joint != -1 && !isJoint(shape.joint))
      add(subject, "joint", fmt::format("is {}", shape.joint), "a joint of the asset, or -1");
  }

  void checkCorners(const std::string& subject, const std::string& field,
                    const std::vector<Triangle>& triangles, std::size_t count) {
    for (std::size_t i = 0; i < triangles.size(); ++i)
      for (const std::int32_t v : triangles[i])
        if (v < 0 || static_cast<std::size_t>(v) >= count)
          return add(subject, field, fmt::format("triangle {} names vertex {}", i, v),
                     fmt::format("0 to {}", static_cast<long>(count) - 1));
  }

  void checkBone(const AssetBone& bone) {
    const std::string subject = "bone '" + bone.name + "'";
    if (!isJoint(bone.joint))
      add(subject, "joint", fmt::format("is {}", bone.joint),
          fmt::format("0 to {}", static_cast<long>(in_.joints.size()) - 1));
    checkCorners(subject, "mesh", bone.mesh.triangles, bone.mesh.vertexCount());
  }

  void checkKeys(const std::string& subject, const AssetKeys& keys) {
    if (keys.joints.size() != keys.poses.size())
      return add(subject, "poses",
                 fmt::format("{} lists for {} joints", keys.poses.size(), keys.joints.size()),
                 "one for each joint");
    std::set<int> seen;
    for (std::size_t i = 0; i < keys.joints.size(); ++i) {
      const int j = keys.joints[i];
      if (!isJoint(j) || !seen.insert(j).second)
        add(subject, "joints", fmt::format("entry {} is {}", i, j), "a joint of the asset, once");
      if (keys.poses[i].size() != keys.times.size())
        add(subject, "poses",
            fmt::format("joint {} has {} for {} times", j, keys.poses[i].size(), keys.times.size()),
            "one for each time");
    }
  }

  void checkBreath() {
    if (in_.breath) {
      const BreathLoop& b = *in_.breath;
      if (b.base.size() != in_.skin.mesh.vertexCount())
        add("breath", "base", fmt::format("has {} vertices", b.base.size()),
            fmt::format("the skin's {}", in_.skin.mesh.vertexCount()));
      for (const io::MorphTarget& t : b.targets)
        if (t.offsets.size() != b.base.size() ||
            (!t.normalOffsets.empty() && t.normalOffsets.size() != b.base.size()))
          add("breath", t.name, fmt::format("has {} offsets", t.offsets.size()),
              "one for each vertex");
    }
    // Two animations that move one joint would fight when an engine plays both.
    for (const int j : in_.breathJoints.joints) {
      const auto at = std::ranges::find(in_.motion.joints, j);
      if (at == in_.motion.joints.end() || !isJoint(j)) continue;
      const auto& poses =
          in_.motion.poses[static_cast<std::size_t>(at - in_.motion.joints.begin())];
      if (!poses.empty() && (moves(poses, poses[0], true) || moves(poses, poses[0], false)))
        add("joint '" + in_.joints[static_cast<std::size_t>(j)].name + "'", "",
            "moves in 'motion' and in 'breath'", "one of them");
    }
  }

  const AssetInput& in_;
  const AssetConfig& config_;
  std::set<std::string> names_;
  std::vector<Diagnostic> found_;
};

}  // namespace

void checkAsset(const AssetInput& input, const AssetConfig& config) {
  AssetCheck(input, config).run();
}

bool moves(const std::vector<Pose>& poses, const Pose& rest, bool turns) {
  return std::ranges::any_of(poses, [&](const Pose& X) {
    return turns ? !((X.rotation - rest.rotation).cwiseAbs().maxCoeff() <= kStill)
                 : !((X.position - rest.position).norm() <= kStill);
  });
}

}  // namespace pneuma::stage::internal
