#include "skeleton/motion/clip_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/retarget.h"

namespace pneuma::skeleton::internal {
namespace {

/// Turn about y that makes `left` point to +X.
Mat3 facingFront(const Vec3& left) {
  return Eigen::AngleAxisd(std::atan2(left.z(), left.x()), Vec3::UnitY()).toRotationMatrix();
}

/// Piecewise linear through three knots, extended beyond them.
double along(double x, const Vec3& knots, const Vec3& values) {
  const int k = x < knots[1] ? 0 : 1;
  const double span = knots[k + 1] - knots[k];
  const double t = std::abs(span) > 1e-9 ? (x - knots[k]) / span : 0;
  return values[k] + t * (values[k + 1] - values[k]);
}

/// Hips, shoulders and head of one skeleton at rest, facing +Z.
struct TrunkMarks {
  Vec3 hips, shoulders, head;  ///< middle between left and right
  double hipWidth, shoulderWidth;

  /// `at` gives a role's point.
  template <class At>
  explicit TrunkMarks(const At& at)
      : hips(0.5 * (at("hip_l") + at("hip_r"))),
        shoulders(0.5 * (at("shoulder_l") + at("shoulder_r"))),
        head(at("head")),
        hipWidth((at("hip_l") - at("hip_r")).x()),
        shoulderWidth((at("shoulder_l") - at("shoulder_r")).x()) {}

  /// One coordinate of the three, from the hips up.
  Vec3 coordinate(int axis) const { return {hips[axis], shoulders[axis], head[axis]}; }
};

/// Brings points of the clip's trunk to the heights, widths and depths of the figure's.
class TrunkMap {
 public:
  TrunkMap(const TrunkMarks& clip, const TrunkMarks& figure, double depthScale)
      : clip_(clip),
        figure_(figure),
        hipScale_(figure.hipWidth / clip.hipWidth),
        shoulderScale_(figure.shoulderWidth / clip.shoulderWidth),
        depthScale_(depthScale) {}

  Vec3 operator()(const Vec3& p) const {
    const Vec3 heights = clip_.coordinate(1);
    const double width = along(std::min(p.y(), clip_.shoulders.y()), heights,
                               {hipScale_, shoulderScale_, shoulderScale_});
    const auto ours = [&](int axis) { return along(p.y(), heights, figure_.coordinate(axis)); };
    const auto theirs = [&](int axis) { return along(p.y(), heights, clip_.coordinate(axis)); };
    return {ours(0) + width * (p.x() - theirs(0)), ours(1),
            ours(2) + depthScale_ * (p.z() - theirs(2))};
  }

 private:
  TrunkMarks clip_, figure_;
  double hipScale_, shoulderScale_, depthScale_;
};

class ClipScaler {
 public:
  ClipScaler(const io::Bvh& clip, int restFrame, const std::vector<int>& joints,
             const std::vector<Vec3>& figure)
      : clip_(clip), joints_(joints), figure_(figure), rest_(restPoses(clip, restFrame)) {
    result_.clip = clip;
    result_.facing = facingFront(at("hip_l") - at("hip_r"));
    result_.legScale = 0.25 * (segment("hip_l", "knee_l") + segment("knee_l", "ankle_l") +
                               segment("hip_r", "knee_r") + segment("knee_r", "ankle_r"));
  }

  ScaledClip run() {
    scaleOffsets();
    scalePath();
    return std::move(result_);
  }

 private:
  int joint(const std::string& role) const { return joints_[roleIndex(role)]; }
  Vec3 at(const std::string& role) const {
    return rest_[static_cast<std::size_t>(joint(role))].position;
  }
  Vec3 ours(const std::string& role) const { return figure_[roleIndex(role)]; }
  Vec3 turned(std::size_t joint) const { return result_.facing * rest_[joint].position; }

  /// Length of a segment on the figure over that on the clip.
  double segment(const std::string& a, const std::string& b) const {
    const double length = (at(b) - at(a)).norm();
    if (!(length > 0))
      throw InputError(
          Diagnostic{.subject = "clip", .message = fmt::format("'{}' and '{}' coincide", a, b)});
    return (ours(b) - ours(a)).norm() / length;
  }

  /// Scale of each joint's limb segment; -1: part of the trunk.
  std::vector<double> limbScales() const {
    std::vector<double> scale(clip_.joints.size(), -1);
    const auto limb = [&](const std::string& from, const std::string& to) {
      if (joint(to) < 0 || joint(from) < 0) return;
      for (int j = joint(to); j >= 0 && j != joint(from); j = clip_.joints[j].parent)
        scale[static_cast<std::size_t>(j)] = segment(from, to);
    };
    for (const std::string s : {"_l", "_r"}) {
      limb("hip" + s, "knee" + s), limb("knee" + s, "ankle" + s), limb("ankle" + s, "toe" + s);
      limb("shoulder" + s, "elbow" + s), limb("elbow" + s, "wrist" + s);
      limb("wrist" + s, "hand" + s);
    }
    // What hangs on a limb beyond the known segments keeps that limb's scale.
    for (std::size_t i = 0; i < scale.size(); ++i)
      if (const int parent = clip_.joints[i].parent; parent >= 0 && scale[i] < 0)
        scale[i] = scale[static_cast<std::size_t>(parent)];
    return scale;
  }

  /// Places the joints in the rest pose, the trunk's by their place, those of limbs segment by
  /// segment, and takes the offsets from there.
  void scaleOffsets() {
    const TrunkMap place(TrunkMarks([&](const char* r) -> Vec3 { return result_.facing * at(r); }),
                         TrunkMarks([&](const char* r) { return ours(r); }), result_.legScale);
    const std::vector<double> scale = limbScales();
    std::vector<Vec3> placed(clip_.joints.size());
    for (std::size_t i = 0; i < clip_.joints.size(); ++i) {
      Vec3& offset = result_.clip.joints[i].offset;
      if (clip_.joints[i].parent < 0) {
        placed[i] = place(turned(i));
        offset *= result_.legScale;
        continue;
      }
      const auto parent = static_cast<std::size_t>(clip_.joints[i].parent);
      placed[i] = scale[i] < 0 ? place(turned(i))
                               : Vec3(placed[parent] + scale[i] * (turned(i) - turned(parent)));
      // A foot that is flat in the clip's rest pose is flat on the figure, whatever its shape.
      for (const std::string s : {"_l", "_r"})
        if (static_cast<int>(i) == joint("toe" + s) && clip_.joints[i].parent == joint("ankle" + s))
          placed[i] = placed[parent] + ours("toe" + s) - ours("ankle" + s);
      offset = (result_.facing * rest_[parent].rotation).transpose() * (placed[i] - placed[parent]);
    }
  }

  void scalePath() {
    io::Bvh& scaled = result_.clip;
    for (const io::BvhJoint& j : clip_.joints)
      for (std::size_t c = 0; c < j.channels.size(); ++c)
        if (j.channels[c] <= io::BvhChannel::Zposition)
          for (std::size_t f = 0; f < scaled.frameCount; ++f)
            scaled.frames[f * scaled.channelCount + j.firstChannel + c] *= result_.legScale;
  }

  const io::Bvh& clip_;
  const std::vector<int>& joints_;
  const std::vector<Vec3>& figure_;
  std::vector<Pose> rest_;
  ScaledClip result_;
};

}  // namespace

std::size_t roleIndex(const std::string& name) {
  const auto& roles = clipRoles();
  return static_cast<std::size_t>(std::ranges::find(roles, name, &ClipRole::name) - roles.begin());
}

std::vector<Pose> restPoses(const io::Bvh& clip, int restFrame) {
  io::Bvh rest = clip;
  rest.frameCount = 1;
  rest.frames.assign(clip.channelCount, 0.0);
  if (restFrame >= 0)
    std::ranges::copy(clip.frame(static_cast<std::size_t>(restFrame)), rest.frames.begin());
  return rest.poses(0);
}

ScaledClip scaleClip(const io::Bvh& clip, int restFrame, const std::vector<int>& joints,
                     const std::vector<Vec3>& figure) {
  return ClipScaler(clip, restFrame, joints, figure).run();
}

}  // namespace pneuma::skeleton::internal
