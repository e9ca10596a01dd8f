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

/// How a finger is held [degrees]: bend of its joints against the palm and the part before, and its
/// slant towards the thumb.
struct FingerBend {
  double mcp, pip, dip, slant;
};
constexpr std::array kFingers{"index_finger", "middle_finger", "ring_finger", "little_finger"};
/// Of a hanging hand. Chosen: the fingers all but touch, and bend more from the index to the little
/// finger, as resting hands do.
constexpr std::array<FingerBend, kFingers.size()> kResting{
    {{13, 24, 6, 2.5}, {16, 26, 7, 0}, {18, 28, 8, -2}, {20, 28, 8, -5}}};
// The bar in a gripping hand lies so far behind the middle finger's knuckle and below it [m], along
// the knuckles; fingers point a little to one another [degrees].
constexpr double kBarBehind = 0.010, kBarBelow = 0.030;
constexpr std::array<double, kFingers.size()> kGrippingSlant{1, 0, -1, -3};
constexpr double kFingerHalf = 0.008;  // half width of a finger [m]
constexpr double kTip = 1.05;          // of the middle bone: from the last joint to the tip
constexpr double kThumbRoot = 0.38;    // of the way from the wrist to the thumb's mcp
constexpr double kThumbTip = 0.9;      // of the bone before: from the last joint to the tip
constexpr double kThumbFromPalm = 27;  // of the thumb's metacarpal against the palm [degrees]
/// Where the bones of a gripping thumb point, in distal, radial and palmar shares: over the bar and
/// onto the index finger.
constexpr std::array<std::array<double, 3>, 3> kGrippingThumb{
    {{31, 17, 31}, {22, -6, 17}, {22, -14, -3}}};
// Bones bend at their joints alone: so much of the band of skin.
constexpr double kBoneBand = 0.3;

constexpr double kNearest = 1e-4;  // distance to a line that counts [m]

Vec3 rotated(const Vec3& p, const Vec3& center, const Vec3& axis, double angle) {
  return center + Eigen::AngleAxisd(angle, axis) * (p - center);
}

/// The palm's axes: to the fingers, to the thumb, out of the palm.
struct PalmFrame {
  Vec3 distal, radial, palmar;
  Vec3 at(const std::array<double, 3>& shares) const {
    return (shares[0] * distal + shares[1] * radial + shares[2] * palmar).normalized();
  }
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

struct RelaxedHands::Landmarks {
  Vec3 wrist, thumb, thumbTip;
  std::array<std::array<Vec3, 3>, kFingers.size()> fingers;  // mcp, pip, dip
  PalmFrame palm;

  /// Of the left hand; nothing when one is missing.
  static std::optional<Landmarks> of(const Body& body) {
    std::vector<Diagnostic> findings;
    const PointTable points(body, findings);
    Landmarks hand;
    const auto found = [&](const std::string& name, Vec3& place) {
      const Result<BodyPoint> point = points.find("hand_l:" + name);
      if (point) place = point->position;
      return static_cast<bool>(point);
    };
    if (!found("wrist_center", hand.wrist) || !found("mcp_thumb", hand.thumb) ||
        !found("ip_thumb", hand.thumbTip))
      return {};
    for (std::size_t f = 0; f < kFingers.size(); ++f)
      for (std::size_t k = 0; k < 3; ++k)
        if (!found(std::string(std::array{"mcp_", "pip_", "dip_"}[k]) + kFingers[f],
                   hand.fingers[f][k]))
          return {};
    PalmFrame& palm = hand.palm;
    palm.distal = (hand.fingers[1][0] - hand.wrist).normalized();
    const Vec3 across = hand.fingers[0][0] - hand.fingers[3][0];
    palm.radial = (across - across.dot(palm.distal) * palm.distal).normalized();
    palm.palmar = palm.distal.cross(palm.radial);
    return hand;
  }

  HandGrip bar() const {
    return {fingers[1][0] - kBarBehind * palm.distal + kBarBelow * palm.palmar,
            (fingers[0][0] - fingers[3][0]).normalized()};
  }

  /// A finger around the bar: its bones touch the circle of radius r, the bar's and half a
  /// finger's, one after the other. The first one's angle follows from where the bar is seen from
  /// the knuckle; a joint that lies t beyond where its bone touches bends by 2 atan(t / r).
  FingerBend around(std::size_t number) const {
    const auto& [mcp, pip, dip] = fingers[number];
    const HandGrip grip = bar();
    const double across = (mcp - grip.center).dot(palm.radial) / grip.axis.dot(palm.radial);
    const Vec3 to = grip.center + across * grip.axis - mcp;
    const double along = to.dot(palm.distal), below = to.dot(palm.palmar);
    const double r = kGripRadius + kFingerHalf, distance = std::hypot(along, below);
    const double first = std::atan2(below, along) - std::asin(std::min(1.0, r / distance));
    const double touch = along * std::cos(first) + below * std::sin(first);
    const double beyond = std::max(0.0, (pip - mcp).norm() - touch);
    const double then = std::max(0.0, (dip - pip).norm() - beyond);
    return {first / kDegree, 2 * std::atan(beyond / r) / kDegree, 2 * std::atan(then / r) / kDegree,
            kGrippingSlant[number]};
  }
};

RelaxedHands::RelaxedHands(const Body& body, HandPosture left, HandPosture right)
    : posture_{left, right} {
  const std::optional<Landmarks> hand = Landmarks::of(body);
  if (!hand) return;
  for (const auto& joints : hand->fingers) palm_.push_back({hand->wrist, joints[0]});
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t f = 0; f < kFingers.size(); ++f)
      chains_[side].push_back(finger(*hand, f, posture_[side]));
    chains_[side].push_back(thumb(*hand, posture_[side]));
  }
  grip_ = hand->bar();
}

RelaxedHands::Chain RelaxedHands::finger(const Landmarks& hand, std::size_t number,
                                         HandPosture posture) {
  const PalmFrame& palm = hand.palm;
  const FingerBend bend = posture == HandPosture::Gripping ? hand.around(number) : kResting[number];
  const auto& [mcp, pip, dip] = hand.fingers[number];
  const Vec3 first = pip - mcp, second = dip - pip;
  const double firstBend = bendOf(first, palm), secondBend = bendOf(second, palm);
  const Vec3 along = first.normalized();
  const Vec3 hinge = -(palm.radial - palm.radial.dot(along) * along).normalized();
  const double slant = std::atan2(first.dot(palm.radial), first.dot(palm.distal));
  Chain chain;
  chain.line = {mcp, pip, dip, dip + kTip * second};
  // Set straight within the palm's plane, then bent as a whole.
  chain.joints.push_back({mcp, along, -palm.radial, kDegree * bend.mcp - firstBend, kKnuckle});
  chain.joints.push_back({mcp, along, palm.palmar, kDegree * bend.slant - slant, kKnuckle});
  chain.joints.push_back(
      {pip, along, hinge, kDegree * bend.pip - (secondBend - firstBend), kKnuckle});
  chain.joints.push_back({dip, second.normalized(), hinge, kDegree * bend.dip, kKnuckle});
  return chain;
}

RelaxedHands::Chain RelaxedHands::thumb(const Landmarks& hand, HandPosture posture) {
  const PalmFrame& palm = hand.palm;
  const Vec3 root = hand.wrist + kThumbRoot * (hand.thumb - hand.wrist);
  const Vec3 tip = hand.thumbTip + kThumbTip * (hand.thumbTip - hand.thumb);
  Chain chain;
  chain.line = {root, hand.thumb, hand.thumbTip, tip};
  if (posture == HandPosture::Relaxed) {
    const Vec3 bone = hand.thumb - root;
    const double open = std::acos(std::clamp(bone.normalized().dot(palm.distal), -1.0, 1.0));
    chain.joints.push_back({root, bone.normalized(), bone.cross(palm.distal).normalized(),
                            std::max(0.0, open - kDegree * kThumbFromPalm), kThumbBall});
    return chain;
  }
  // Each joint turns its bone from where those before it have brought it to where it shall point.
  Mat3 before = Mat3::Identity();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 along = (chain.line[k + 1] - chain.line[k]).normalized();
    const Eigen::AngleAxisd turn(
        Quat::FromTwoVectors(along, before.transpose() * palm.at(kGrippingThumb[k])));
    chain.joints.push_back(
        {chain.line[k], along, turn.axis(), turn.angle(), k == 0 ? kThumbBall : kKnuckle});
    before = before * turn.toRotationMatrix();
  }
  return chain;
}

std::optional<HandGrip> RelaxedHands::grip(bool right) const {
  if (palm_.empty() || posture_[right] != HandPosture::Gripping) return {};
  HandGrip grip = grip_;
  if (right) grip.center.x() = -grip.center.x(), grip.axis.x() = -grip.axis.x();
  return grip;
}

Vec3 RelaxedHands::turned(const Chain& chain, Vec3 p, double bands) {
  const Vec3 start = p;
  for (auto joint = chain.joints.rbegin(); joint != chain.joints.rend(); ++joint) {
    const double beyond = (start - joint->center).dot(joint->along), band = bands * joint->band;
    const double share = smoothStep(-band, band, beyond);
    if (share > 0) p = rotated(p, joint->center, joint->axis, share * joint->angle);
  }
  return p;
}

Vec3 RelaxedHands::moved(const Vec3& place, double bands) const {
  if (palm_.empty()) return place;
  const bool right = place.x() < 0;
  const Vec3 p = right ? Vec3(-place.x(), place.y(), place.z()) : place;
  const auto weight = [](double d) { return std::pow(std::max(d, kNearest), -6); };
  double nearestPalm = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : palm_) nearestPalm = std::min(nearestPalm, distanceToSegment(p, a, b));
  double total = weight(nearestPalm);
  Vec3 shift = Vec3::Zero();
  for (const Chain& chain : chains_[right]) {
    const double w = weight(distanceToLine(p, chain.line));
    shift += w * (turned(chain, p, bands) - p);
    total += w;
  }
  shift /= total;
  if (right) shift.x() = -shift.x();
  return place + shift;
}

Vec3 RelaxedHands::operator()(const Vec3& place) const {
  return moved(place, 1);
}

TriangleMesh RelaxedHands::bone(std::string_view name, TriangleMesh mesh) const {
  const bool right = name == "hand_r";
  if (!right && name != "hand_l") return mesh;
  const double bands = posture_[right] == HandPosture::Gripping ? kBoneBand : 1;
  for (Vec3& p : mesh.positions) p = moved(p, bands);
  return mesh;
}

SkinSurface makeShownSkin(const Body& measured, const Person& person, int triangles,
                          const GeometryCache& cache) {
  return makeShownSkin(measured, person, triangles, cache,
                       RelaxedHands(fitToPerson(measured, person)));
}

SkinSurface makeShownSkin(const Body& measured, const Person& person, int triangles,
                          const GeometryCache& cache, const RelaxedHands& hands) {
  SkinSurface skin =
      makeSkinSurface(skinModelOf(measured), measured, person, {.triangles = triangles}, cache);
  parallelFor(skin.parts.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (skin.parts[v] == SkinPart::Hand || skin.parts[v] == SkinPart::Forearm)
        skin.mesh.positions[v] = hands(skin.mesh.positions[v]);
  });
  return skin;
}

}  // namespace pneuma::anatomy
