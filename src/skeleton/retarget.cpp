#include "pneuma/skeleton/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pneuma::skeleton {
namespace {

std::size_t roleIndex(const std::string& name) {
  const auto& roles = clipRoles();
  return static_cast<std::size_t>(
      std::find_if(roles.begin(), roles.end(), [&](const ClipRole& r) { return r.name == name; }) -
      roles.begin());
}

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

}  // namespace

Retargeter::Retargeter(const anatomy::CompiledBody& body, const Model& model, const io::Bvh& clip,
                       const ClipJointMap& map, const RetargetConfig& config)
    : body_(body), model_(model), clip_(clip), config_(config), fit_(model, config.resting) {
  if (config.restFrame >= static_cast<int>(clip.frameCount) ||
      config.firstFrame >= static_cast<int>(clip.frameCount) || config.firstFrame < 0)
    throw InputError(
        Diagnostic{.subject = "clip",
                   .message = fmt::format("has {} frames, rest pose asked at {}, first frame at {}",
                                          clip.frameCount, config.restFrame, config.firstFrame)});
  joint_ = map.resolve(clip);
  for (const ClipRole& role : clipRoles()) link_.push_back(model.linkIndex(role.link));
  scaleClip();
  standOnFloor();
  fitRest();
}

/// A role's point at rest (A-pose) in the link's frame.
Vec3 Retargeter::localPoint(std::size_t role) const {
  const Link& link = model_.links[static_cast<std::size_t>(link_[role])];
  return clipRoles()[role].tip ? link.inertia.center : Vec3::Zero();
}

Vec3 Retargeter::figurePoint(std::size_t role) const {
  return model_.links[static_cast<std::size_t>(link_[role])].X_WL_rest * localPoint(role);
}

void Retargeter::scaleClip() {
  io::Bvh rest = clip_;
  rest.frameCount = 1;
  rest.frames.assign(clip_.channelCount, 0.0);
  if (config_.restFrame >= 0)
    std::ranges::copy(clip_.frame(static_cast<std::size_t>(config_.restFrame)),
                      rest.frames.begin());
  clipRest_ = rest.poses(0);
  const auto joint = [&](const std::string& role) { return joint_[roleIndex(role)]; };
  const auto at = [&](const std::string& role) {
    return clipRest_[static_cast<std::size_t>(joint(role))].position;
  };
  const auto ours = [&](const std::string& role) { return figurePoint(roleIndex(role)); };
  facing_ = facingFront(at("hip_l") - at("hip_r"));
  const auto turned = [&](const std::string& role) -> Vec3 { return facing_ * at(role); };
  const auto segment = [&](const std::string& a, const std::string& b) {
    const double length = (at(b) - at(a)).norm();
    if (!(length > 0))
      throw InputError(
          Diagnostic{.subject = "clip", .message = fmt::format("'{}' and '{}' coincide", a, b)});
    return (ours(b) - ours(a)).norm() / length;
  };
  legScale_ = 0.25 * (segment("hip_l", "knee_l") + segment("knee_l", "ankle_l") +
                      segment("hip_r", "knee_r") + segment("knee_r", "ankle_r"));

  // Heights, widths and depths of hips, shoulders and head, clip's and ours.
  const Vec3 hips = 0.5 * (turned("hip_l") + turned("hip_r")),
             shoulders = 0.5 * (turned("shoulder_l") + turned("shoulder_r")), head = turned("head");
  const Vec3 ourHips = 0.5 * (ours("hip_l") + ours("hip_r")),
             ourShoulders = 0.5 * (ours("shoulder_l") + ours("shoulder_r")), ourHead = ours("head");
  const double hipWidth =
                   (ours("hip_l") - ours("hip_r")).x() / (turned("hip_l") - turned("hip_r")).x(),
               shoulderWidth = (ours("shoulder_l") - ours("shoulder_r")).x() /
                               (turned("shoulder_l") - turned("shoulder_r")).x();
  const Vec3 heights(hips.y(), shoulders.y(), head.y());
  const auto place = [&](const Vec3& p) -> Vec3 {
    const Vec3 middle(along(p.y(), heights, {hips.x(), shoulders.x(), head.x()}), 0,
                      along(p.y(), heights, {hips.z(), shoulders.z(), head.z()}));
    const double width =
        along(std::min(p.y(), shoulders.y()), heights, {hipWidth, shoulderWidth, shoulderWidth});
    return {along(p.y(), heights, {ourHips.x(), ourShoulders.x(), ourHead.x()}) +
                width * (p.x() - middle.x()),
            along(p.y(), heights, {ourHips.y(), ourShoulders.y(), ourHead.y()}),
            along(p.y(), heights, {ourHips.z(), ourShoulders.z(), ourHead.z()}) +
                legScale_ * (p.z() - middle.z())};
  };

  // Where each joint of the clip comes to be in the rest pose: the trunk by its place, limbs
  // segment by segment.
  std::vector<double> factor(clip_.joints.size(), -1);  // -1: trunk
  const auto limb = [&](const std::string& from, const std::string& to) {
    if (joint(to) < 0 || joint(from) < 0) return;
    for (int j = joint(to); j >= 0 && j != joint(from); j = clip_.joints[j].parent)
      factor[static_cast<std::size_t>(j)] = segment(from, to);
  };
  for (const std::string s : {"_l", "_r"}) {
    limb("hip" + s, "knee" + s), limb("knee" + s, "ankle" + s), limb("ankle" + s, "toe" + s);
    limb("shoulder" + s, "elbow" + s), limb("elbow" + s, "wrist" + s);
    limb("wrist" + s, "hand" + s);
  }
  limb("head", "head_tip");
  scaled_ = clip_;
  std::vector<Vec3> placed(clip_.joints.size());
  for (std::size_t i = 0; i < clip_.joints.size(); ++i) {
    const io::BvhJoint& j = clip_.joints[i];
    const Vec3 p = facing_ * clipRest_[i].position;
    if (j.parent < 0) {
      placed[i] = place(p);
      scaled_.joints[i].offset *= legScale_;
      continue;
    }
    const auto parent = static_cast<std::size_t>(j.parent);
    // What hangs on a limb beyond the known segments keeps that limb's scale.
    if (factor[i] < 0 && factor[parent] >= 0) factor[i] = factor[parent];
    placed[i] = factor[i] < 0
                    ? place(p)
                    : Vec3(placed[parent] + factor[i] * (p - facing_ * clipRest_[parent].position));
    scaled_.joints[i].offset =
        (facing_ * clipRest_[parent].rotation).transpose() * (placed[i] - placed[parent]);
  }
  for (const io::BvhJoint& j : clip_.joints)
    for (std::size_t c = 0; c < j.channels.size(); ++c)
      if (j.channels[c] <= io::BvhChannel::Zposition)
        for (std::size_t f = 0; f < scaled_.frameCount; ++f)
          scaled_.frames[f * scaled_.channelCount + j.firstChannel + c] *= legScale_;
}

void Retargeter::standOnFloor() {
  // The lowest ankle of the clip gets the height of the figure's. A few frames may be noise, so
  // the lowest hundredth of them is passed over.
  std::vector<double> lowest;
  const std::size_t ankles[] = {roleIndex("ankle_l"), roleIndex("ankle_r")};
  for (auto f = static_cast<std::size_t>(config_.firstFrame); f < scaled_.frameCount; ++f) {
    const std::vector<Pose> poses = scaled_.poses(f);
    double y = std::numeric_limits<double>::infinity();
    for (const std::size_t a : ankles)
      y = std::min(y, poses[static_cast<std::size_t>(joint_[a])].position.y());
    lowest.push_back(y);
  }
  const auto nth = lowest.begin() + static_cast<std::ptrdiff_t>(lowest.size() / 100);
  std::nth_element(lowest.begin(), nth, lowest.end());
  scaled_.joints.front().offset.y() += figurePoint(ankles[0]).y() - *nth;
}

void Retargeter::setTargets(const std::vector<Pose>& clip) {
  for (std::size_t i = 0; i < points_.size(); ++i)
    points_[i].position = clip[static_cast<std::size_t>(joint_[pointRole_[i]])].position;
  std::size_t k = 0;
  for (std::size_t r = 0; r < link_.size(); ++r)
    if (joint_[r] >= 0 && clipRoles()[r].orientation > 0)
      orientations_[k++].rotation =
          clip[static_cast<std::size_t>(joint_[r])].rotation * orientationOffset_[r];
}

void Retargeter::fitRest() {
  const auto& roles = clipRoles();
  orientationOffset_.assign(roles.size(), Mat3::Identity());
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (joint_[r] < 0) continue;
    if (roles[r].placed) {
      points_.push_back({.link = link_[r], .local = localPoint(r)});
      pointRole_.push_back(r);
    }
    if (roles[r].orientation > 0)
      orientations_.push_back({.link = link_[r], .weight = roles[r].orientation});
  }
  // Arms out, palms down: the forearms of a T-pose are half pronated.
  rest_ = model_.neutral;
  const auto prefer = [&](const std::string& link, double angle) {
    const Link& l = model_.links[static_cast<std::size_t>(model_.linkIndex(link))];
    fit_.preferred[l.firstPosition] = angle;
    rest_[l.firstPosition] = angle;
  };
  for (const std::string s : {"_l", "_r"}) {
    prefer("radius" + s, degreesToRadians(80));
    const Link& arm = model_.links[static_cast<std::size_t>(model_.linkIndex("humerus" + s))];
    rest_[arm.firstPosition + 1] = degreesToRadians(60);
  }
  io::Bvh restClip = scaled_;
  restClip.frames.assign(clip_.channelCount, 0.0);
  restClip.frameCount = 1;
  if (config_.restFrame >= 0)
    std::ranges::copy(scaled_.frame(static_cast<std::size_t>(config_.restFrame)),
                      restClip.frames.begin());
  const std::vector<Pose> poses = restClip.poses(0);
  const auto hips = static_cast<std::size_t>(joint_[roleIndex("hip_l")]);
  const Vec3 toHips = poses[hips].position - figurePoint(roleIndex("hip_l"));
  rest_.head<3>() += toHips;
  setTargets(poses);
  // Trunk and head stand upright in a rest pose; hands and feet follow from their points.
  std::vector<OrientationTarget> upright;
  for (const char* role : {"pelvis", "chest", "head"}) {
    OrientationTarget t{.link = link_[roleIndex(role)]};
    t.rotation =
        facing_.transpose() * model_.links[static_cast<std::size_t>(t.link)].X_WL_rest.rotation;
    upright.push_back(t);
  }
  fit_.solve(points_, upright, rest_, 200);
  for (std::size_t r = 0; r < roles.size(); ++r)
    if (joint_[r] >= 0)
      orientationOffset_[r] = poses[static_cast<std::size_t>(joint_[r])].rotation.transpose() *
                              fit_.kinematics().X_WL[static_cast<std::size_t>(link_[r])].rotation;
}

RetargetedMotion Retargeter::run() {
  RetargetedMotion motion;
  motion.scale = legScale_;
  const double rate = 1 / clip_.frameTime;
  const double stride =
      config_.framesPerSecond > 0 ? std::max(1.0, rate / config_.framesPerSecond) : 1.0;
  std::vector<double> sum(points_.size(), 0.0), largest(points_.size(), 0.0),
      uniform(points_.size(), 0.0);
  std::vector<int> limited(static_cast<std::size_t>(model_.dofCount()), 0);
  VecX q = rest_;
  const double end =
      std::min(static_cast<double>(clip_.frameCount),
               config_.firstFrame + config_.seconds / clip_.frameTime + 1e-6 * stride + 1e-9);
  for (double at = config_.firstFrame; at < end; at += stride) {
    const auto frame = static_cast<std::size_t>(at);
    const std::vector<Pose> poses = scaled_.poses(frame);
    setTargets(poses);
    fit_.solve(points_, orientations_, q, motion.q.empty() ? 200 : 20);
    motion.times.push_back((at - config_.firstFrame) * clip_.frameTime);
    motion.q.push_back(q);

    // The clip scaled by one number is compared where both skeletons overlap best.
    const std::vector<Pose> plain = clip_.poses(frame, legScale_);
    Vec3 shift = Vec3::Zero();
    std::vector<Vec3> reached;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PointTarget& t = points_[i];
      reached.push_back(fit_.kinematics().X_WL[static_cast<std::size_t>(t.link)] * t.local);
      shift += (reached[i] - plain[static_cast<std::size_t>(joint_[pointRole_[i]])].position) /
               static_cast<double>(points_.size());
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double d = (reached[i] - points_[i].position).norm();
      sum[i] += d;
      largest[i] = std::max(largest[i], d);
      uniform[i] +=
          (reached[i] - plain[static_cast<std::size_t>(joint_[pointRole_[i]])].position - shift)
              .norm();
    }
    for (int j = 0; j < model_.dofCount(); ++j)
      limited[static_cast<std::size_t>(j)] += fit_.atLimit(q, j);
  }
  const auto frames = static_cast<double>(motion.q.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t r = pointRole_[i];
    motion.roles.push_back({clipRoles()[r].name,
                            clip_.joints[static_cast<std::size_t>(joint_[r])].name,
                            clipRoles()[r].link, sum[i] / frames, largest[i], uniform[i] / frames});
    motion.meanResidual += sum[i] / frames / static_cast<double>(points_.size());
    motion.meanResidualUniform += uniform[i] / frames / static_cast<double>(points_.size());
    motion.largestResidual = std::max(motion.largestResidual, largest[i]);
  }
  for (const anatomy::CompiledLink& link : body_.links) {
    const Link& l = model_.links[static_cast<std::size_t>(model_.linkIndex(link.name))];
    for (std::size_t d = 0; d < link.dofs.size() && l.joint != JointKind::Free; ++d)
      if (const int n = limited[static_cast<std::size_t>(l.firstDof) + d]; n > 0)
        motion.limits.push_back({link.dofs[d].alias, n / frames});
  }
  std::ranges::stable_sort(motion.limits, std::greater{}, &LimitUse::part);
  return motion;
}

}  // namespace pneuma::skeleton
