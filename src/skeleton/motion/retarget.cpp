#include "pneuma/skeleton/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pneuma/skeleton/pose_maker.h"
#include "skeleton/motion/clip_scaling.h"

namespace pneuma::skeleton {
namespace {

using internal::kFirstSteps;
using internal::kNextSteps;
using internal::roleIndex;

/// A clip's shoulders hardly rise with its arms: where blade and clip disagree the clip counts
/// more.
constexpr double kGlideWeight = 0.1;

/// Distances of the figure from the clip, and joints at their limits, gathered frame by frame.
class Residuals {
 public:
  Residuals(std::size_t points, int dofs)
      : sum_(points, 0.0),
        largest_(points, 0.0),
        uniform_(points, 0.0),
        limited_(static_cast<std::size_t>(dofs), 0) {}

  /// Points of the figure, where they should be, and where the clip scaled by one number has them:
  /// the latter is compared where both skeletons overlap best.
  void addPoints(std::span<const Vec3> reached, std::span<const PointTarget> targets,
                 std::span<const Vec3> plain) {
    Vec3 shift = Vec3::Zero();
    for (std::size_t i = 0; i < reached.size(); ++i)
      shift += (reached[i] - plain[i]) / static_cast<double>(reached.size());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const double d = (reached[i] - targets[i].position).norm();
      sum_[i] += d;
      largest_[i] = std::max(largest_[i], d);
      uniform_[i] += (reached[i] - plain[i] - shift).norm();
    }
    ++frames_;
  }
  void addLimits(const PoseFit& fit, const VecX& q) {
    for (std::size_t j = 0; j < limited_.size(); ++j)
      limited_[j] += fit.atLimit(q, static_cast<int>(j));
  }

  /// Fills the numbers of point i, of role and names as given.
  void finishPoint(std::size_t i, RoleResidual role, RetargetedMotion& motion) const {
    const double frames = frames_, points = static_cast<double>(sum_.size());
    role.mean = sum_[i] / frames;
    role.largest = largest_[i];
    role.meanUniform = uniform_[i] / frames;
    motion.meanResidual += role.mean / points;
    motion.meanResidualUniform += role.meanUniform / points;
    motion.largestResidual = std::max(motion.largestResidual, role.largest);
    motion.roles.push_back(std::move(role));
  }
  /// Part of the frames in which a degree of freedom stood at a limit.
  double limitedPart(std::size_t dof) const { return limited_[dof] / static_cast<double>(frames_); }

 private:
  std::vector<double> sum_, largest_, uniform_;  // by point
  std::vector<int> limited_;                     // frames, by degree of freedom
  int frames_ = 0;
};

/// The links whose places or orientations a clip gives, by role.
std::vector<int> linksOfRoles(const Model& model) {
  std::vector<int> links;
  for (const ClipRole& role : clipRoles()) {
    const auto has = [&](const std::string& link) { return model.findLink(link) >= 0; };
    const auto it = std::ranges::find_if(role.links, has);
    links.push_back(model.linkIndex(it == role.links.end() ? role.links.front() : *it));
  }
  return links;
}

}  // namespace

Retargeter::Retargeter(const anatomy::CompiledBody& body, const Model& model, const io::Bvh& clip,
                       const ClipJointMap& map, const RetargetConfig& config)
    : body_(body),
      model_(model),
      clip_(clip),
      config_(config),
      link_(linksOfRoles(model)),
      glides_(makeGlides(body, model)),
      fit_(model, config.resting, poseCoordinates(body, model, link_)) {
  if (config.restFrame >= static_cast<int>(clip.frameCount) ||
      config.firstFrame >= static_cast<int>(clip.frameCount) || config.firstFrame < 0)
    throw InputError(
        Diagnostic{.subject = "clip",
                   .message = fmt::format("has {} frames, rest pose asked at {}, first frame at {}",
                                          clip.frameCount, config.restFrame, config.firstFrame)});
  joint_ = map.resolve(clip);
  std::vector<Vec3> figure;
  for (std::size_t r = 0; r < link_.size(); ++r) figure.push_back(figurePoint(r));
  internal::ScaledClip scaled = internal::scaleClip(clip, config.restFrame, joint_, figure);
  scaled_ = std::move(scaled.clip);
  legScale_ = scaled.legScale;
  facing_ = scaled.facing;
  levelFloor();
  fitRest();
  // Only now: arms of a rest pose are held out by convention, shoulders as they hang.
  for (const Glide& glide : glides_) fit_.glides.push_back(&glide);
  fit_.glideWeight = kGlideWeight;
  if (config.lockFeet) flattenFeet();
  if (config.levelGaze) levelGaze();
  if (config.turnPalms) turnPalms();
}

/// A role's point at rest (A-pose) in the link's frame.
Vec3 Retargeter::localPoint(std::size_t role) const {
  const Link& link = model_.links[static_cast<std::size_t>(link_[role])];
  return clipRoles()[role].tip ? link.inertia.center : Vec3::Zero();
}

Vec3 Retargeter::figurePoint(std::size_t role) const {
  return model_.links[static_cast<std::size_t>(link_[role])].X_WL_rest * localPoint(role);
}

/// The scaled clip on a level floor, its gaze steady.
std::vector<Pose> Retargeter::clipPoses(std::size_t frame) const {
  std::vector<Pose> poses = scaled_.poses(frame);
  for (Pose& p : poses) p = floor_ * p;
  if (!nod_.empty()) {
    const std::size_t head = roleIndex("head");
    const Mat3& R_JL = orientationOffset_[head];
    poses[static_cast<std::size_t>(joint_[head])].rotation *=
        R_JL * Eigen::AngleAxisd(nod_[frame], Vec3::UnitX()).toRotationMatrix() * R_JL.transpose();
  }
  return poses;
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
  std::vector<JointSetting> arms{{"forearm.pronation", degreesToRadians(80)}};
  const PoseMaker maker(body_, model_);
  fit_.preferred = maker.make(arms);
  arms.push_back({"shoulder.abduction", degreesToRadians(60)});
  rest_ = maker.make(arms, {.rhythm = false});
  const std::vector<Pose> poses = internal::restPoses(scaled_, config_.restFrame);
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
  // Which point of a hand a clip's finger stands for follows from its straight wrist.
  std::vector<PointTarget> joints = points_;
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (roles[pointRole_[i]].tip) joints[i].weight = 0;
  // Straight arms leave open how upper arm and forearm share a turn: the preferred pose says it.
  constexpr double kFirmly = 4;
  fit_.resting *= kFirmly;
  fit_.solve(joints, upright, rest_, kFirstSteps);
  fit_.resting /= kFirmly;
  for (PointTarget& t : points_)
    if (t.local != Vec3::Zero())
      t.local = fit_.kinematics().X_WL[static_cast<std::size_t>(t.link)].inverse() * t.position;
  for (std::size_t r = 0; r < roles.size(); ++r)
    if (joint_[r] >= 0)
      orientationOffset_[r] = poses[static_cast<std::size_t>(joint_[r])].rotation.transpose() *
                              fit_.kinematics().X_WL[static_cast<std::size_t>(link_[r])].rotation;
}

/// The pose of a frame that nothing came before. A fit is local, so it is begun from the rest pose
/// and from hanging arms, the pelvis already in its place, and the better one is taken.
VecX Retargeter::fitAnew(std::size_t frame) {
  const std::vector<Pose> clip = clipPoses(frame);
  setTargets(clip);
  const std::size_t pelvis = roleIndex("pelvis"), hipL = roleIndex("hip_l"),
                    hipR = roleIndex("hip_r");
  const auto at = [&](std::size_t role) -> const Pose& {
    return clip[static_cast<std::size_t>(joint_[role])];
  };
  const Mat3 facing = at(pelvis).rotation * orientationOffset_[pelvis];
  const Vec3 hips = 0.5 * (at(hipL).position + at(hipR).position);
  const Vec3 fromRoot =
      0.5 * (figurePoint(hipL) + figurePoint(hipR)) - model_.links.front().X_WL_rest.position;
  const Quat turn(facing);
  VecX best;
  double least = std::numeric_limits<double>::infinity();
  for (const VecX* start : {&rest_, &fit_.preferred}) {
    VecX q = *start;
    q.head<3>() = hips - facing * fromRoot - model_.links.front().X_WL_rest.position;
    q.segment<4>(3) << turn.w(), turn.x(), turn.y(), turn.z();
    fit_.solve(points_, orientations_, q, kFirstSteps);
    if (fit_.remaining() < least) least = fit_.remaining(), best = q;
  }
  return best;
}

void Retargeter::fitFrames(RetargetedMotion& motion) {
  const double rate = 1 / clip_.frameTime;
  const double stride =
      config_.framesPerSecond > 0 ? std::max(1.0, rate / config_.framesPerSecond) : 1.0;
  const double end =
      std::min(static_cast<double>(clip_.frameCount),
               config_.firstFrame + config_.seconds / clip_.frameTime + 1e-6 * stride + 1e-9);
  VecX q = fitAnew(static_cast<std::size_t>(config_.firstFrame));
  frameOf_.clear();
  for (double at = config_.firstFrame; at < end; at += stride) {
    frameOf_.push_back(static_cast<std::size_t>(at));
    setTargets(clipPoses(frameOf_.back()));
    fit_.solve(points_, orientations_, q, kNextSteps);
    motion.times.push_back((at - config_.firstFrame) * clip_.frameTime);
    motion.q.push_back(q);
  }
}

// Two errors are kept apart: against the targets that were asked of the fit (is it a good fit?) and
// against the clip as recorded (is it still that clip?). Calibration of floor, gaze and palms moves
// the first only.
void Retargeter::measure(RetargetedMotion& motion) {
  Residuals residuals(points_.size(), model_.dofCount());
  std::vector<Vec3> reached(points_.size()), plain(points_.size());
  Kinematics k(model_);
  for (std::size_t f = 0; f < motion.q.size(); ++f) {
    setTargets(clipPoses(frameOf_[f]));
    computePoses(model_, motion.q[f], k);
    const std::vector<Pose> clip = clip_.poses(frameOf_[f], legScale_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PointTarget& t = points_[i];
      reached[i] = k.X_WL[static_cast<std::size_t>(t.link)] * t.local;
      plain[i] = floor_ * clip[static_cast<std::size_t>(joint_[pointRole_[i]])].position;
    }
    residuals.addPoints(reached, points_, plain);
    residuals.addLimits(fit_, motion.q[f]);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t r = pointRole_[i];
    const std::string& clipJoint = clip_.joints[static_cast<std::size_t>(joint_[r])].name;
    const std::string& link = model_.links[static_cast<std::size_t>(link_[r])].name;
    residuals.finishPoint(i, {clipRoles()[r].name, clipJoint, link}, motion);
  }
  for (const anatomy::CompiledLink& link : body_.links) {
    const Link& l = model_.links[static_cast<std::size_t>(model_.linkIndex(link.name))];
    if (l.joint == JointKind::Free) continue;
    for (std::size_t d = 0; d < link.dofs.size(); ++d)
      if (const double part = residuals.limitedPart(static_cast<std::size_t>(l.firstDof) + d);
          part > 0)
        motion.limits.push_back({link.dofs[d].alias, part});
  }
  std::ranges::stable_sort(motion.limits, std::greater{}, &LimitUse::part);
}

RetargetedMotion Retargeter::run() {
  RetargetedMotion motion;
  motion.scale = legScale_;
  motion.gazeTurn = gazeTurn_;
  motion.palmTurn = palmTurn_;
  motion.floorSlope = std::acos(std::clamp(floor_.rotation(1, 1), -1.0, 1.0));
  fitFrames(motion);
  if (config_.lockFeet && motion.q.size() > 2) lockFeet(motion);
  measure(motion);
  return motion;
}

}  // namespace pneuma::skeleton
