#include "pneuma/skeleton/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "skeleton/motion/clip_scaling.h"

namespace pneuma::skeleton {
namespace {

using internal::roleIndex;

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
  std::vector<Vec3> figure;
  for (std::size_t r = 0; r < link_.size(); ++r) figure.push_back(figurePoint(r));
  internal::ScaledClip scaled = internal::scaleClip(clip, config.restFrame, joint_, figure);
  scaled_ = std::move(scaled.clip);
  legScale_ = scaled.legScale;
  facing_ = scaled.facing;
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
  const double end =
      std::min(static_cast<double>(clip_.frameCount),
               config_.firstFrame + config_.seconds / clip_.frameTime + 1e-6 * stride + 1e-9);
  Residuals residuals(points_.size(), model_.dofCount());
  std::vector<Vec3> reached(points_.size()), plain(points_.size());
  VecX q = rest_;
  for (double at = config_.firstFrame; at < end; at += stride) {
    const auto frame = static_cast<std::size_t>(at);
    setTargets(scaled_.poses(frame));
    fit_.solve(points_, orientations_, q, motion.q.empty() ? 200 : 20);
    motion.times.push_back((at - config_.firstFrame) * clip_.frameTime);
    motion.q.push_back(q);

    const std::vector<Pose> clip = clip_.poses(frame, legScale_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PointTarget& t = points_[i];
      reached[i] = fit_.kinematics().X_WL[static_cast<std::size_t>(t.link)] * t.local;
      plain[i] = clip[static_cast<std::size_t>(joint_[pointRole_[i]])].position;
    }
    residuals.addPoints(reached, points_, plain);
    residuals.addLimits(fit_, q);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t r = pointRole_[i];
    const std::string& clipJoint = clip_.joints[static_cast<std::size_t>(joint_[r])].name;
    residuals.finishPoint(i, {clipRoles()[r].name, clipJoint, clipRoles()[r].link}, motion);
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
  return motion;
}

}  // namespace pneuma::skeleton
