#include "pneuma/anatomy/relaxed_hands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pneuma/anatomy/points.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

constexpr double kDegree = kPi / 180;
// So far to either side a joint bends the skin [m]: a finger's, and the broad root of the thumb.
constexpr double kKnuckle = 0.009, kThumbBall = 0.022;

/// How a finger of a hanging hand is held [degrees]: bend of its joints against the palm and the
/// part before, and its slant towards the thumb. Chosen: the fingers all but touch, and bend more
/// from the index to the little finger, as resting hands do.
struct FingerRest {
  const char* name;
  double mcp, pip, dip, slant;
};
constexpr std::array kFingers{
    FingerRest{"index_finger", 13, 24, 6, 2.5}, FingerRest{"middle_finger", 16, 26, 7, 0},
    FingerRest{"ring_finger", 18, 28, 8, -2}, FingerRest{"little_finger", 20, 28, 8, -5}};
constexpr double kTip = 1.05;          // of the middle bone: from the last joint to the tip
constexpr double kThumbRoot = 0.38;    // of the way from the wrist to the thumb's mcp
constexpr double kThumbFromPalm = 27;  // of the thumb's metacarpal against the palm [degrees]

constexpr double kNearest = 1e-4;  // distance to a line that counts [m]

Vec3 rotated(const Vec3& p, const Vec3& center, const Vec3& axis, double angle) {
  return center + Eigen::AngleAxisd(angle, axis) * (p - center);
}

/// The palm's axes: to the fingers, to the thumb, out of the palm.
struct PalmFrame {
  Vec3 distal, radial, palmar;
};

double distanceToSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 d = b - a;
  const double t = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (p - a - t * d).norm();
}

double distanceToLine(const Vec3& p, const std::vector<Vec3>& line) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k + 1 < line.size(); ++k)
    least = std::min(least, distanceToSegment(p, line[k], line[k + 1]));
  return least;
}

/// Bend of a direction out of the palm's plane [rad].
double bendOf(const Vec3& d, const PalmFrame& palm) {
  return std::atan2(d.dot(palm.palmar), d.dot(palm.distal));
}

}  // namespace

TriangleMesh RelaxedHands::bone(std::string_view name, TriangleMesh mesh) const {
  if (name == "hand_l" || name == "hand_r")
    for (Vec3& p : mesh.positions) p = (*this)(p);
  return mesh;
}

RelaxedHands::RelaxedHands(const Body& body) {
  std::vector<Diagnostic> findings;
  const PointTable points(body, findings);
  const auto at = [&](const std::string& name) -> std::optional<Vec3> {
    const Result<BodyPoint> found = points.find("hand_l:" + name);
    return found ? std::optional(found->position) : std::nullopt;
  };
  const auto wrist = at("wrist_center"), thumb = at("mcp_thumb"), thumbTip = at("ip_thumb");
  std::array<std::array<Vec3, 3>, kFingers.size()> finger;
  for (std::size_t f = 0; f < kFingers.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto p = at(std::string(std::array{"mcp_", "pip_", "dip_"}[k]) + kFingers[f].name);
      if (!p) return;
      finger[f][k] = *p;
    }
  if (!wrist || !thumb || !thumbTip) return;

  PalmFrame palm;
  palm.distal = (finger[1][0] - *wrist).normalized();
  const Vec3 across = finger[0][0] - finger[3][0];
  palm.radial = (across - across.dot(palm.distal) * palm.distal).normalized();
  palm.palmar = palm.distal.cross(palm.radial);

  for (std::size_t f = 0; f < kFingers.size(); ++f) {
    const FingerRest& rest = kFingers[f];
    const auto& [mcp, pip, dip] = finger[f];
    const Vec3 first = pip - mcp, second = dip - pip;
    const double firstBend = bendOf(first, palm), secondBend = bendOf(second, palm);
    const Vec3 along = first.normalized();
    const Vec3 hinge = -(palm.radial - palm.radial.dot(along) * along).normalized();
    const double slant = std::atan2(first.dot(palm.radial), first.dot(palm.distal));
    Chain chain;
    chain.line = {mcp, pip, dip, dip + kTip * second};
    // Set straight within the palm's plane, then bent as a whole.
    chain.joints.push_back({mcp, along, -palm.radial, kDegree * rest.mcp - firstBend, kKnuckle});
    chain.joints.push_back({mcp, along, palm.palmar, kDegree * rest.slant - slant, kKnuckle});
    chain.joints.push_back(
        {pip, along, hinge, kDegree * rest.pip - (secondBend - firstBend), kKnuckle});
    chain.joints.push_back({dip, second.normalized(), hinge, kDegree * rest.dip, kKnuckle});
    chains_.push_back(std::move(chain));
    palm_.push_back({*wrist, mcp});
  }
  const Vec3 root = *wrist + kThumbRoot * (*thumb - *wrist), bone = *thumb - root;
  const double open = std::acos(std::clamp(bone.normalized().dot(palm.distal), -1.0, 1.0));
  Chain chain;
  chain.line = {root, *thumb, *thumbTip, *thumbTip + 0.9 * (*thumbTip - *thumb)};
  chain.joints.push_back({root, bone.normalized(), bone.cross(palm.distal).normalized(),
                          std::max(0.0, open - kDegree * kThumbFromPalm), kThumbBall});
  chains_.push_back(std::move(chain));
}

Vec3 RelaxedHands::turned(const Chain& chain, Vec3 p) {
  const Vec3 start = p;
  for (auto joint = chain.joints.rbegin(); joint != chain.joints.rend(); ++joint) {
    const double beyond = (start - joint->center).dot(joint->along);
    const double share = smoothStep(-joint->band, joint->band, beyond);
    if (share > 0) p = rotated(p, joint->center, joint->axis, share * joint->angle);
  }
  return p;
}

Vec3 RelaxedHands::operator()(const Vec3& place) const {
  if (chains_.empty()) return place;
  const bool right = place.x() < 0;
  const Vec3 p = right ? Vec3(-place.x(), place.y(), place.z()) : place;
  const auto weight = [](double d) { return std::pow(std::max(d, kNearest), -6); };
  double nearestPalm = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : palm_) nearestPalm = std::min(nearestPalm, distanceToSegment(p, a, b));
  double total = weight(nearestPalm);
  Vec3 shift = Vec3::Zero();
  for (const Chain& chain : chains_) {
    const double w = weight(distanceToLine(p, chain.line));
    shift += w * (turned(chain, p) - p);
    total += w;
  }
  shift /= total;
  if (right) shift.x() = -shift.x();
  return place + shift;
}

SkinSurface makeShownSkin(const Body& measured, const Person& person, int triangles,
                          const GeometryCache& cache) {
  SkinSurface skin =
      makeSkinSurface(skinModelOf(measured), measured, person, {.triangles = triangles}, cache);
  const RelaxedHands relaxed(fitToPerson(measured, person));
  parallelFor(skin.parts.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (skin.parts[v] == SkinPart::Hand || skin.parts[v] == SkinPart::Forearm)
        skin.mesh.positions[v] = relaxed(skin.mesh.positions[v]);
  });
  return skin;
}

}  // namespace pneuma::anatomy
