#include "pneuma/skin/primitive.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/points.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::skin {
namespace {

/// Where a ray runs within scaled distance `limit` of an ellipsoid: an interval of distances.
std::optional<std::array<double, 2>> within(const Ellipsoid& e, const Vec3& origin,
                                            const Vec3& direction, double limit) {
  const Vec3 o = (e.rotation.transpose() * (origin - e.center)).cwiseQuotient(e.radii);
  const Vec3 d = (e.rotation.transpose() * direction).cwiseQuotient(e.radii);
  const double a = d.squaredNorm(), b = o.dot(d), c = o.squaredNorm() - limit * limit;
  const double discriminant = b * b - a * c;
  if (discriminant <= 0) return std::nullopt;
  const double root = std::sqrt(discriminant);
  return std::array{(-b - root) / a, (-b + root) / a};
}

/// Whether some articulation of the body has that freedom, "joint.name".
bool knownFreedom(const anatomy::Body& body, const std::string& freedom) {
  for (const anatomy::Articulation& a : body.articulations)
    for (const anatomy::Link& l : a.links)
      for (const anatomy::Dof& d : l.joint.dofs)
        if ((l.joint.name.empty() ? l.name : l.joint.name) + "." + d.name == freedom) return true;
  return false;
}

double totalDensity(std::span<const Ellipsoid> all, const Vec3& p) {
  double sum = 0;
  for (const Ellipsoid& e : all) sum += blendDensity(e.scaledDistance(p));
  return sum;
}

}  // namespace

double blendDensity(double s) {
  const auto bump = [](double x) {
    const double u = 1 - x * x / (kBlendReach * kBlendReach);
    return u > 0 ? u * u : 0.0;
  };
  static const double scale = 1 / bump(1);
  return scale * bump(s);
}

std::optional<double> castUnblended(const Ellipsoid& ellipsoid, const Vec3& origin,
                                    const Vec3& direction, double reach) {
  const auto inside = within(ellipsoid, origin, direction, 1);
  if (!inside || (*inside)[1] < 0) return std::nullopt;
  if ((*inside)[1] <= reach) return (*inside)[1];
  return std::nullopt;
}

std::optional<double> castBlended(std::span<const Ellipsoid> ellipsoids, const Vec3& origin,
                                  const Vec3& direction, double reach) {
  double from = reach, to = 0;
  for (const Ellipsoid& e : ellipsoids)
    if (const auto near = within(e, origin, direction, kBlendReach)) {
      from = std::min(from, (*near)[0]);
      to = std::max(to, (*near)[1]);
    }
  from = std::max(from, 0.0);
  to = std::min(to, reach);
  if (from >= to) return std::nullopt;
  // From outside inwards in steps far smaller than any primitive, then by halving.
  constexpr int kSteps = 48;
  double outside = to;
  for (int i = 1; i <= kSteps; ++i) {
    const double t = to + (from - to) * i / kSteps;
    if (totalDensity(ellipsoids, origin + t * direction) < 1) {
      outside = t;
      continue;
    }
    double inside = t;
    for (int k = 0; k < 40 && outside - inside > 1e-7; ++k) {
      const double middle = 0.5 * (inside + outside);
      (totalDensity(ellipsoids, origin + middle * direction) < 1 ? outside : inside) = middle;
    }
    return inside;
  }
  return std::nullopt;
}

PrimitiveSet::PrimitiveSet(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                           const skeleton::Model& model) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  for (const anatomy::SkinPrimitive& p : body.skinPrimitives) {
    if (p.female && body.person.sex != anatomy::Sex::Female) continue;
    const anatomy::BodyPoint center = points.resolve(p.center).valueOrThrow();
    const int link = compiled.boneLink[static_cast<std::size_t>(center.bone)];
    if (link < 0) continue;
    Part part;
    part.name = p.name;
    part.blend = p.blend;
    for (const std::string& g : p.groups)
      part.groups.push_back(
          static_cast<int>(std::ranges::find(body.skinGroups, g, &anatomy::SkinGroup::name) -
                           body.skinGroups.begin()));
    part.link = links[static_cast<std::size_t>(link)];
    part.offset = compiled.links[static_cast<std::size_t>(link)].center;
    const double angle = p.rotation.norm();
    part.rest = {center.position,
                 angle > 0 ? Eigen::AngleAxisd(angle, p.rotation / angle).toRotationMatrix()
                           : Mat3(Mat3::Identity()),
                 p.radii};
    part.lowest = p.lowest;
    part.highest = p.highest;
    if (!p.joint.empty()) {
      std::vector<std::string> names;
      for (const anatomy::CompiledLink& l : compiled.links)
        for (std::size_t d = 0; d < l.dofs.size(); ++d) {
          names.push_back(l.dofs[d].name);
          if (l.dofs[d].name != p.joint) continue;
          part.position =
              model.links[static_cast<std::size_t>(model.linkIndex(l.name))].firstPosition +
              static_cast<int>(d);
          part.child = model.linkIndex(l.name);
          part.parent = model.links[static_cast<std::size_t>(part.child)].parent;
          part.axis = l.dofs[d].axis;
          part.lower = l.dofs[d].lower;
          part.upper = l.dofs[d].upper;
        }
      if (part.position < 0 && !knownFreedom(body, p.joint))
        throw InputError(Diagnostic{.where = p.where.position(),
                                    .subject = "skin_primitive '" + p.name + "'",
                                    .field = "joint",
                                    .message = "unknown freedom '" + p.joint + "'",
                                    .nearest = nearestName(p.joint, names)});
    }
    parts_.push_back(std::move(part));
    now_.push_back(parts_.back().rest);
  }
}

void PrimitiveSet::readAngles(const skeleton::Kinematics& kinematics, VecX& q) const {
  for (const Part& p : parts_) {
    if (p.position < 0 || p.parent < 0) continue;
    const Quat turn(kinematics.X_WL[static_cast<std::size_t>(p.parent)].rotation.transpose() *
                    kinematics.X_WL[static_cast<std::size_t>(p.child)].rotation);
    double angle = 2 * std::atan2(turn.vec().dot(p.axis), turn.w());
    if (angle > kPi) angle -= 2 * kPi;
    if (angle < -kPi) angle += 2 * kPi;
    q[p.position] = angle;
  }
}

void PrimitiveSet::follow(const VecX& q, const skeleton::Kinematics& kinematics) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    Ellipsoid e = p.rest;
    if (p.position >= 0) {
      const double angle = q[p.position];
      const anatomy::SkinPrimitiveState& state = angle < 0 ? p.lowest : p.highest;
      const double limit = angle < 0 ? p.lower : p.upper;
      const double t = limit != 0 ? std::clamp(angle / limit, 0.0, 1.0) : 0.0;
      e.center += t * state.shift;
      e.radii = e.radii.cwiseProduct(Vec3::Ones() + t * (state.scale - Vec3::Ones()));
    }
    const Pose& X = kinematics.X_WL[static_cast<std::size_t>(p.link)];
    now_[i] = {X * (e.center - p.offset), X.rotation * e.rotation, e.radii};
  }
}

}  // namespace pneuma::skin
