#include <array>
#include <limits>

#include "pneuma/core/parallel.h"
#include "pneuma/skin/skin_weights.h"

namespace pneuma::skin {
namespace {

using anatomy::BodyRegion;
using anatomy::SkinPart;

constexpr double kAcross = 0.01;  // of the mid-plane that a side's bones still reach [m]

enum class Side : std::int8_t { Right = -1, Middle = 0, Left = 1 };

/// What a sample's bone may carry.
struct Kind {
  BodyRegion region = BodyRegion::Thorax;
  Side side = Side::Middle;
  bool girdle = false;  // clavicle or scapula
};

Kind kindOf(const anatomy::Bone& bone) {
  const Side side = bone.name.ends_with("_l")   ? Side::Left
                    : bone.name.ends_with("_r") ? Side::Right
                                                : Side::Middle;
  return {bone.region, side, bone.name.starts_with("clavicle") || bone.name.starts_with("scapula")};
}

/// Bones that may carry a part of the skin: its own, and those of the parts beside it.
bool carries(const Kind& bone, SkinPart part) {
  const bool arm = bone.region == BodyRegion::Arm, leg = bone.region == BodyRegion::Leg;
  const bool head = bone.region == BodyRegion::Head, neck = bone.region == BodyRegion::Neck;
  switch (part) {
    case SkinPart::Head:
      return head || neck;
    case SkinPart::Neck:
      return head || neck || bone.girdle || bone.region == BodyRegion::Thorax;
    case SkinPart::Chest:
    case SkinPart::Back:
    case SkinPart::Abdomen:
      return !arm && !leg && !head;  // the girdle slides under the skin of the trunk
    case SkinPart::Pelvis:
      return !arm && !head && !neck;
    case SkinPart::Shoulder:
      return arm || bone.region == BodyRegion::Thorax;
    case SkinPart::UpperArm:
    case SkinPart::Forearm:
    case SkinPart::Hand:
      return arm;
    case SkinPart::Thigh:
      return leg || bone.region == BodyRegion::Pelvis;
    case SkinPart::Shank:
    case SkinPart::Foot:
      return leg;
  }
  return true;
}

}  // namespace

WeightSources findWeightSources(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                                const JointGroups& groups, const std::vector<BoneSample>& samples) {
  // Candidates of every part of the skin, side by side.
  struct Candidate {
    Vec3 place;
    double side = 0;  // -1, 0, 1
    std::int32_t group = 0;
  };
  std::array<std::vector<Candidate>, std::size_t{anatomy::kSkinParts}> candidates;
  for (const BoneSample& s : samples) {
    const auto bone = static_cast<std::size_t>(s.bone);
    const Kind kind = kindOf(body.bones[bone]);
    for (std::size_t part = 0; part < candidates.size(); ++part)
      if (carries(kind, static_cast<SkinPart>(part)))
        candidates[part].push_back({s.place, static_cast<double>(kind.side),
                                    static_cast<std::int32_t>(groups.ofBone[bone])});
  }
  const std::size_t n = surface.mesh.vertexCount();
  WeightSources sources{std::vector<std::int32_t>(n, 0), std::vector<double>(n, 0)};
  parallelFor(n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3& p = surface.mesh.positions[v];
      double best = std::numeric_limits<double>::max();
      for (const Candidate& c : candidates[static_cast<std::size_t>(surface.parts[v])]) {
        const double d = (c.place - p).squaredNorm();
        if (d >= best || p.x() * c.side < -kAcross) continue;
        best = d;
        sources.group[v] = c.group;
      }
      sources.distance[v] = std::sqrt(best);
    }
  });
  return sources;
}

}  // namespace pneuma::skin
