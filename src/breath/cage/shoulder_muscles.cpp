#include "breath/cage/shoulder_muscles.h"

#include <cmath>

#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"

namespace pneuma::breath::internal {
namespace {

constexpr std::string_view kSet = "shoulder";  ///< the muscles of this set, a line each

}  // namespace

int mirroredBody(int body) {
  if (body == kSpine || body == kSternum) return body;
  if (body < kBodyCount) return body % 2 == 1 ? body + 1 : body - 1;
  return body < kBodyCount + kArmBodyCount / 2 ? body + kArmBodyCount / 2
                                               : body - kArmBodyCount / 2;
}

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
    Spring s{.path = skeleton::RelativePath(model, -1, link),
             .element = {.passiveStiffness = c.stiffness,
                         .damping = c.damping,
                         .restLength = (e.onArm - e.onTrunk).norm() / (1 + c.prestrain)},
             .local = model.links[static_cast<std::size_t>(link)].X_WL_rest.inverse() * e.onArm,
             .target = e.onTrunk,
             .armEnd = e.onArm};
    springs_.push_back(std::move(s));
  }
  tensions_.assign(springs_.size(), 0.0);
}

void ShoulderMuscles::addLoads(const skeleton::Model& model, const skeleton::State&,
                               const skeleton::Kinematics& k, skeleton::Loads& loads) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    Spring& s = springs_[i];
    const int link = s.path.linkB;
    const Vec3 p = k.X_WL[static_cast<std::size_t>(link)] * s.local;
    s.armEnd = p;
    const Vec3 d = p - s.target;
    const double length = std::max(d.norm(), 1e-9);
    const Vec3 n = d / length;
    const double rate = n.dot(skeleton::pointVelocity(k, link, p) - s.targetVelocity);
    const muscle::ForceSample f = muscle::evaluateForce(s.element, length, rate, 0);
    tensions_[i] = f.force;
    const Vec3 force = -f.force * n;
    const Mat3 along = n * n.transpose();
    const Mat3 perPosition = -f.dLength * along - f.force / length * (Mat3::Identity() - along);
    // A small twist (w, v) of the link moves the point by v + w x arm.
    const Vec3 arm = p - k.origin;
    Eigen::Matrix<double, 3, 6> moved;
    moved << -skew(arm), Mat3::Identity();
    skeleton::LinkWrench w;
    w.wrench = skeleton::wrenchAt(k, p, force);
    w.position.topRows<3>() = (skew(arm) * perPosition - skew(force)) * moved;
    w.position.bottomRows<3>() = perPosition * moved;
    w.velocity = -f.dVelocity * moved.transpose() * along * moved;
    skeleton::addLinkWrench(model, k, s.path, w, loads);
  }
}

}  // namespace pneuma::breath::internal
