#include "stage/gait_torques.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/growth.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::stage {
namespace {

constexpr double kEnds = 0.1;          // [s]
constexpr double kWalkingSpeed = 0.5;  // slower is no gait [m/s]
constexpr double kRunningSpeed = 2.2;  // people run above about 2 m/s

/// Peak torques of people over body mass [N m/kg]. Walk at 1.2 to 1.5 m/s, run at 3 to 4 m/s,
/// sagittal plane. Seen: hip flexion and knee extension of a walk, for which laboratories disagree
/// by a factor of three to five (0.4 to 1.35 and 0.16 to 0.85; Kirtley, Biomch-L, 29 April 1996,
/// quoting Winter and his own); the others are recalled (Winter 1991 for the walk, Schache et al.
/// 2011 for the run).
struct PeopleBand {
  const char *joint, *action, *dof;
  double sign;  // of the freedom's torque
  double walkLow, walkHigh;
  bool walkSeen;
  double runLow, runHigh;
};
constexpr PeopleBand kBands[] = {
    {"hip", "extension", "hip_flexion", -1, 0.5, 1.2, false, 1.5, 3.0},
    {"hip", "flexion", "hip_flexion", 1, 0.4, 1.35, true, 1.0, 2.0},
    {"knee", "extension", "knee_flexion", -1, 0.16, 0.85, true, 2.2, 3.6},
    {"knee", "flexion", "knee_flexion", 1, 0.2, 0.6, false, 0.4, 1.2},
    {"ankle", "plantar flexion", "ankle_flexion", -1, 1.2, 1.8, false, 2.2, 3.5},
    {"ankle", "dorsiflexion", "ankle_flexion", 1, 0.05, 0.35, false, 0.05, 0.6}};

double cross(const Vec3& a, const Vec3& b) {
  return a.z() * b.x() - a.x() * b.z();
}

/// Corners of the hull of points, seen from above.
std::vector<Vec3> hullFromAbove(std::vector<Vec3> points) {
  for (Vec3& p : points) p.y() = 0;
  std::ranges::sort(points, [](const Vec3& a, const Vec3& b) {
    return std::pair(a.x(), a.z()) < std::pair(b.x(), b.z());
  });
  std::vector<Vec3> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec3& p : points) {
      while (hull.size() >= start + 2 &&
             cross(hull.back() - hull[hull.size() - 2], p - hull.back()) >= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::ranges::reverse(points);
  }
  return hull;
}

/// How far a place lies outside of a hull, from above; 0 inside.
double outside(const std::vector<Vec3>& hull, Vec3 p) {
  p.y() = 0;
  double farthest = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec3 edge = hull[(i + 1) % hull.size()] - hull[i];
    if (edge.norm() > 0) farthest = std::max(farthest, cross(edge, p - hull[i]) / edge.norm());
  }
  return farthest;
}

/// Farthest that a centre of pressure lies out of its sole.
double farthestOutside(const PlayedMotion& motion, const skeleton::MotionDynamics& d,
                       const std::vector<skeleton::FloorPoint>& soles) {
  double farthest = 0;
  const std::vector<VecX> q =
      skeleton::smoothedMotion(motion.model, motion.q, motion.times[1] - motion.times[0],
                               skeleton::MotionDynamicsConfig{}.smoothing);
  skeleton::Kinematics k(motion.model);
  for (std::size_t i = 0; i < q.size(); ++i) {
    skeleton::computePoses(motion.model, q[i], k);
    for (std::size_t foot = 0; foot < d.footForce[i].size(); ++foot) {
      if (!(d.footForce[i][foot].y() > 0)) continue;
      std::vector<Vec3> corners;
      for (const skeleton::FloorPoint& p : soles)
        if (at(p.foot) == foot) corners.push_back(k.X_WL[at(p.link)] * p.local);
      farthest = std::max(farthest, outside(hullFromAbove(corners), d.pressure[i][foot]));
    }
  }
  return farthest;
}

Gait gaitOf(const skeleton::MotionDynamics& d, double speed) {
  const bool flies = std::ranges::count(d.flight, true) > 0;
  if (speed < kWalkingSpeed) return Gait::None;
  return flies || speed > kRunningSpeed ? Gait::Run : Gait::Walk;
}

}  // namespace

GaitTorques measureGait(const PlayedMotion& motion, const skeleton::MotionDynamics& d,
                        const std::vector<skeleton::FloorPoint>& soles) {
  GaitTorques result;
  const std::size_t count = d.torque.size();
  for (const VecX& v : d.velocity)
    result.speed += std::hypot(v[0], v[2]) / static_cast<double>(count);
  result.gait = gaitOf(d, result.speed);
  result.outsideSole = farthestOutside(motion, d, soles);
  const double mass = motion.model.totalMass();
  const bool grown = !anatomy::isChild(motion.body.person);  // bands are those of adults
  const std::vector<std::string> names = dofNames(motion);
  std::vector<VecX> torques;
  for (const VecX& tau : d.torque)
    torques.push_back(namedValues(motion.compiled, motion.model, tau));
  for (const PeopleBand& band : kBands) {
    TorquePeak peak{.joint = band.joint, .action = band.action};
    for (const char* side : {"l_", "r_"}) {
      const auto dof = std::ranges::find(names, side + std::string(band.dof));
      if (dof == names.end()) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const double t = motion.times[i];
        if (t < kEnds || t > motion.times.back() - kEnds) continue;
        const double value = band.sign * torques[i][dof - names.begin()] / mass;
        if (value <= peak.value) continue;
        peak.value = value;
        peak.time = t;
        peak.left = d.residualForce[i].norm() / (mass * kGravity);
      }
    }
    if (grown && result.gait == Gait::Walk) peak.low = band.walkLow, peak.high = band.walkHigh;
    if (grown && result.gait == Gait::Run) peak.low = band.runLow, peak.high = band.runHigh;
    peak.seen = result.gait == Gait::Walk && band.walkSeen;
    result.peaks.push_back(std::move(peak));
  }
  return result;
}

}  // namespace pneuma::stage
