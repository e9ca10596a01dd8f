#include "pneuma/skeleton/posture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pneuma/anatomy/points.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/pose_maker.h"

namespace pneuma::skeleton {

namespace {

constexpr const char* kArmOut = "shoulder.abduction";

/// From the shoulder to the wrist [m].
double armLength(const Model& model) {
  const auto rest = [&](const char* link) -> const Vec3& {
    return model.links[static_cast<std::size_t>(model.linkIndex(link))].X_WL_rest.position;
  };
  return (rest("humerus_l") - rest("hand_l")).norm();
}

/// Where each bone of the body is carried: index of the model's link, -1: not at all.
std::vector<int> carriers(const anatomy::CompiledBody& compiled, const Model& model) {
  const std::vector<int> links = linkIndices(compiled, model);
  std::vector<int> result;
  for (const int l : compiled.boneLink)
    result.push_back(l < 0 ? -1 : links[static_cast<std::size_t>(l)]);
  return result;
}

LinkPoint fixedTo(const Model& model, int link, const Vec3& atRest) {
  return {link, model.links[static_cast<std::size_t>(link)].X_WL_rest.inverse() * atRest};
}

/// How far a hanging hand is inside of where the thigh leaves room for it, of the left side [m]; 0
/// without hands or legs.
///
/// A thigh is taken for a cylinder of its link's mass around the hip: x = x_hip + sqrt(m / (rho pi
/// L)). Calibrated on the measured man, whose hands hang beside his thighs, not in them, with
/// wrists at kBeside of that.
double handInThigh(const Model& model, const VecX& q) {
  constexpr double kTissue = 1050, kBeside = 1.43;  // [kg/m^3], [-]
  const int hip = model.findLink("femur_l"), knee = model.findLink("tibia_l"),
            hand = model.findLink("hand_l");
  if (hip < 0 || knee < 0 || hand < 0) return 0;
  const auto rest = [&](int link) -> const Vec3& {
    return model.links[static_cast<std::size_t>(link)].X_WL_rest.position;
  };
  const double length = (rest(hip) - rest(knee)).norm();
  const double mass = model.links[static_cast<std::size_t>(hip)].inertia.mass;
  const double side = rest(hip).x() + std::sqrt(mass / (kTissue * kPi * length));
  Kinematics k(model);
  computePoses(model, q, k);
  return kBeside * side - k.X_WL[static_cast<std::size_t>(hand)].position.x();
}

Quat rotationOf(const Vec3& vector) {
  const double angle = vector.norm();
  return angle > 0 ? Quat(Eigen::AngleAxisd(angle, vector / angle)) : Quat::Identity();
}

}  // namespace

bool hangsArms(const anatomy::Posture& posture) {
  constexpr double kStraight = 0.35;  // [rad]
  const auto angle = [&](const char* joint) {
    const auto it = posture.joints.find(joint);
    return it == posture.joints.end() ? 0.0 : std::abs(it->second);
  };
  return posture.joints.contains(kArmOut) && angle("hip.flexion") < kStraight &&
         angle("shoulder.flexion") < kStraight && angle("elbow.flexion") < kStraight;
}

const anatomy::Posture& findPosture(const anatomy::Body& body, const std::string& name) {
  std::vector<std::string> names;
  for (const anatomy::Posture& p : body.postures) {
    if (p.name == name || std::ranges::find(p.aliases, name) != p.aliases.end()) return p;
    names.push_back(p.name);
    names.insert(names.end(), p.aliases.begin(), p.aliases.end());
  }
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  throw InputError(Diagnostic{.subject = "posture",
                              .message = "unknown posture '" + name + "'",
                              .expected = all.empty() ? "a body with postures" : "one of " + all,
                              .nearest = nearestName(name, names)});
}

VecX postureJoints(const anatomy::CompiledBody& compiled, const Model& model,
                   const anatomy::Posture& posture) {
  std::vector<JointSetting> settings;
  for (const auto& [name, angle] : posture.joints) settings.push_back({name, angle});
  const PoseMaker maker(compiled, model);
  const auto make = [&] {
    return maker.make(settings, {.skipUnknown = true, .subject = "posture '" + posture.name + "'"});
  };
  VecX q = make();
  if (!hangsArms(posture)) return q;
  // Hips wider than the measured man's, against the shoulders, hold the arms out.
  constexpr int kRounds = 4;
  constexpr double kTouching = 1e-3;  // [m]
  const auto out = std::ranges::find(settings, kArmOut, &JointSetting::name);
  for (int round = 0; round < kRounds; ++round) {
    const double inside = handInThigh(model, q);
    if (inside <= kTouching) break;
    out->value += inside / armLength(model);
    q = make();
  }
  return q;
}

VecX makePosture(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                 const Model& model, const std::string& name, std::span<const LinkPoint> surface,
                 double gap) {
  const anatomy::Posture& posture = findPosture(body, name);
  VecX q = postureJoints(compiled, model, posture);
  if (model.links.front().joint != JointKind::Free) return q;
  const Quat turn = rotationOf(posture.turned);
  q.segment<4>(3) << turn.w(), turn.x(), turn.y(), turn.z();
  if (!surface.empty()) q[1] += gap - lowestPoint(model, q, surface);
  return q;
}

VecX makePosture(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                 const Model& model, const std::string& name) {
  const std::vector<LinkPoint> points = bonePoints(body, compiled, model);
  return makePosture(body, compiled, model, name, points,
                     lowestPoint(model, model.neutral, points));
}

std::vector<LinkPoint> bonePoints(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                                  const Model& model, const anatomy::GeometryCache& cache,
                                  std::size_t every) {
  std::map<std::string, const anatomy::BoneShape*> shapes;
  for (const anatomy::Shape& s : body.shapes) shapes[s.bone] = &s.shape;
  const std::vector<int> link = carriers(compiled, model);
  std::vector<LinkPoint> points;
  for (std::size_t b = 0; b < body.bones.size(); ++b) {
    const auto shape = shapes.find(body.bones[b].name);
    if (link[b] < 0 || shape == shapes.end()) continue;
    const TriangleMesh mesh = cache.boneMesh(*shape->second);
    for (std::size_t i = 0; i < mesh.positions.size(); i += every)
      points.push_back(fixedTo(model, link[b], mesh.positions[i]));
  }
  return points;
}

std::vector<LinkPoint> bonePoints(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                                  const Model& model) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable table(body, findings);
  const std::vector<int> link = carriers(compiled, model);
  std::vector<LinkPoint> points;
  for (const anatomy::Landmarks& marks : body.landmarks)
    for (const auto& [name, ref] : marks.points)
      if (const auto p = table.find(marks.bone + ":" + name);
          p && link[static_cast<std::size_t>(p->bone)] >= 0)
        points.push_back(fixedTo(model, link[static_cast<std::size_t>(p->bone)], p->position));
  return points;
}

double lowestPoint(const Model& model, const VecX& q, std::span<const LinkPoint> points) {
  Kinematics kinematics(model);
  computePoses(model, q, kinematics);
  double lowest = std::numeric_limits<double>::infinity();
  for (const LinkPoint& p : points)
    lowest = std::min(lowest, (kinematics.X_WL[static_cast<std::size_t>(p.link)] * p.local).y());
  return lowest;
}

}  // namespace pneuma::skeleton
