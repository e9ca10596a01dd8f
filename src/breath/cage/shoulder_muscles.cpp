#include "breath/cage/shoulder_muscles.h"

#include <algorithm>
#include <cmath>

#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"

namespace pneuma::breath::internal {
namespace {

constexpr std::string_view kSet = "shoulder";  ///< the muscles of this set, a line each

}  // namespace

std::vector<ShoulderElement> makeShoulderElements(const anatomy::Body& body) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  std::vector<ShoulderElement> list;
  const auto end = [&](const anatomy::PointRef& ref, int& carrier) {
    const anatomy::BodyPoint p = points.resolve(ref).valueOrThrow();
    carrier = torsoBodyOf(points.boneNames()[static_cast<std::size_t>(p.bone)]);
    return p.position;
  };
  for (const char* side : {"_l", "_r"})
    for (const anatomy::Muscle& m : body.muscles) {
      if (m.set != kSet || !m.name.ends_with(side)) continue;
      ShoulderElement e{.name = m.name};
      e.onTrunk = end(m.points.front(), e.trunkBody);
      e.onArm = end(m.points.back(), e.armBody);
      if (e.trunkBody < 0 || e.trunkBody >= kBodyCount || e.armBody < kBodyCount)
        throw InputError(
            {.where = m.where.position(),
             .subject = "muscle '" + m.name + "'",
             .field = "points",
             .message = "does not run from the trunk to the arm",
             .expected = "the first point on trunk or head, the last on girdle or arm"});
      list.push_back(std::move(e));
    }
  return list;
}

ShoulderMuscles::ShoulderMuscles(const skeleton::Model& model,
                                 const std::vector<ShoulderElement>& elements,
                                 const std::vector<int>& links, const ShoulderLayerConfig& c) {
  for (const ShoulderElement& e : elements) {
    const int link = links[static_cast<std::size_t>(e.armBody - kBodyCount)];
    const auto end = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const LinkEnd& l) { return l.path.linkB == link; });
    Spring s{.end = static_cast<std::size_t>(end - ends_.begin()),
             .element = {.passiveStiffness = c.stiffness,
                         .damping = c.damping,
                         .restLength = (e.onArm - e.onTrunk).norm() / (1 + c.prestrain)},
             .local = model.links[static_cast<std::size_t>(link)].X_WL_rest.inverse() * e.onArm,
             .target = e.onTrunk,
             .armEnd = e.onArm};
    if (end == ends_.end()) ends_.push_back({.path = skeleton::RelativePath(model, -1, link)});
    springs_.push_back(std::move(s));
  }
  tensions_.assign(springs_.size(), 0.0);
}

void ShoulderMuscles::LinkEnd::clear() {
  force.setZero();
  torque.setZero();
  along.setZero();
  viscous.setZero();
  across = 0;
  acrossArm.setZero();
  acrossArms.setZero();
  armForce.setZero();
}

/// A small twist (w, v) of the link moves a point by J (w, v) = v + w x a, so that J^T = (a x, 1)
/// and, for a pull along n, J^T n = q:
///
///   dw/dx = -J^T ((k - F/l) n n^T + F/l) J - (F x J, 0),   F x a x = a F^T - (F . a) 1
skeleton::LinkWrench ShoulderMuscles::LinkEnd::wrench() const {
  const Mat3 one = Mat3::Identity(), arm = skew(acrossArm);
  skeleton::LinkWrench w;
  w.wrench = spatial(torque, force);
  w.velocity = -viscous;
  w.position = -along;
  w.position.topLeftCorner<3, 3>() +=
      (acrossArms - acrossArms.trace() * one) + (armForce - armForce.trace() * one);
  w.position.topRightCorner<3, 3>() -= arm + skew(force);
  w.position.bottomLeftCorner<3, 3>() += arm;
  w.position.bottomRightCorner<3, 3>() -= across * one;
  return w;
}

void ShoulderMuscles::addLoads(const skeleton::Model& model, const skeleton::State&,
                               const skeleton::Kinematics& k, skeleton::Loads& loads) {
  for (LinkEnd& end : ends_) end.clear();
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    Spring& s = springs_[i];
    LinkEnd& end = ends_[s.end];
    const int link = end.path.linkB;
    const Vec3 p = k.X_WL[static_cast<std::size_t>(link)] * s.local;
    s.armEnd = p;
    const Vec3 d = p - s.target, arm = p - k.origin;
    const double length = std::max(d.norm(), 1e-9);
    const Vec3 n = d / length;
    const double rate = n.dot(skeleton::pointVelocity(k, link, p) - s.targetVelocity);
    const muscle::ForceSample f = muscle::evaluateForce(s.element, length, rate, 0);
    tensions_[i] = f.force;
    const double across = f.force / length;
    const Vec3 force = -f.force * n;
    const Vec6 q = spatial(arm.cross(n), n);
    const Mat6 qq = q * q.transpose();
    end.force += force;
    end.torque += arm.cross(force);
    end.along += (f.dLength - across) * qq;
    end.viscous += f.dVelocity * qq;
    end.across += across;
    end.acrossArm += across * arm;
    end.acrossArms += across * arm * arm.transpose();
    end.armForce += arm * force.transpose();
  }
  for (const LinkEnd& end : ends_) skeleton::addLinkWrench(model, k, end.path, end.wrench(), loads);
}

}  // namespace pneuma::breath::internal
