#include "pneuma/control/dragged_pose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::control {
namespace {

constexpr double kLimbResting = 0.02, kTrunkResting = 0.12;  // r of PoseFit [m/rad]
constexpr double kFarthest = 10;                             // [m]
constexpr double kFarthestLean = 0.15;                       // of head and vertebrae [m]

void requirePlace(const std::string& link, const Vec3& place) {
  if (place.allFinite() && place.norm() <= kFarthest) return;
  throw InputError(
      Diagnostic{.subject = "drag",
                 .field = link,
                 .message = fmt::format("to {:g}, {:g}, {:g} m", place.x(), place.y(), place.z()),
                 .expected = fmt::format("numbers within {:g} m of the body", kFarthest)});
}

}  // namespace

DraggedPose::DraggedPose(const anatomy::CompiledBody& body, const skeleton::Model& model,
                         const VecX& rest)
    : body_(body),
      model_(model),
      parts_(body, model),
      rest_(rest),
      pose_(rest),
      kinematics_(model) {}

void DraggedPose::drag(const Grasp& grasp) {
  const std::string& name = model_.links.at(at(grasp.link)).name;
  requirePlace(name, grasp.position);
  requirePlace(name, grasp.local);
  const auto held = std::ranges::find(grasps_, grasp.link, &Grasp::link);
  if (held == grasps_.end())
    grasps_.push_back(grasp);
  else
    *held = grasp;
  solve();
}

void DraggedPose::release(int link) {
  if (std::erase_if(grasps_, [&](const Grasp& g) { return g.link == link; }) > 0) solve();
}

void DraggedPose::releaseAll() {
  grasps_.clear();
  solve();
}

bool DraggedPose::isLimb(int dof) const {
  const BodyPart part = parts_.ofDof[at(dof)];
  return part == BodyPart::ArmLeft || part == BodyPart::ArmRight;
}

void DraggedPose::solve() {
  pose_ = rest_;
  meet(false);
  meet(true);
}

void DraggedPose::meet(bool limbs) {
  std::vector<int> links;
  std::vector<skeleton::PointTarget> points;
  for (const Grasp& g : grasps_) {
    const skeleton::Link& link = model_.links[at(g.link)];
    if (isLimb(link.firstDof) != limbs) continue;
    links.push_back(g.link);
    points.push_back({.link = g.link, .local = g.local, .position = g.position});
    if (limbs) continue;
    // The trunk leans so far and no farther: beyond it muscles lose their hold.
    skeleton::computePoses(model_, rest_, kinematics_);
    const Vec3 rest = kinematics_.X_WL[at(g.link)] * g.local, way = g.position - rest;
    if (way.norm() > kFarthestLean)
      points.back().position = rest + kFarthestLean * way.normalized();
  }
  if (links.empty()) return;
  std::vector<skeleton::PoseCoordinate> coordinates =
      skeleton::poseCoordinates(body_, model_, links);
  std::erase_if(coordinates, [&](const skeleton::PoseCoordinate& c) {
    const int dof = c.dofs.front().first;
    return model_.links[at(model_.dofLink[at(dof)])].parent < 0 || isLimb(dof) != limbs ||
           model_.dofRole[at(dof)] == skeleton::DofRole::Passive;
  });
  skeleton::PoseFit fit(model_, kLimbResting, std::move(coordinates));
  fit.preferred = rest_;
  for (std::size_t j = 0; j < parts_.ofDof.size(); ++j)
    if (parts_.ofDof[j] == BodyPart::Torso)
      fit.resting[static_cast<Eigen::Index>(j)] = kTrunkResting;
  fit.solve(points, {}, pose_);
}

void DraggedPose::save(io::StateWriter& out) const {
  out.put(pose_);
  out.put(static_cast<std::uint64_t>(grasps_.size()));
  for (const Grasp& g : grasps_) out.put(g.link), out.put(g.local), out.put(g.position);
}

void DraggedPose::load(io::StateReader& in) {
  in.get(pose_);
  grasps_.clear();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    Grasp g;
    in.get(g.link), in.get(g.local), in.get(g.position);
    grasps_.push_back(g);
  }
}

}  // namespace pneuma::control
