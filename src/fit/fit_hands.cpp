#include <algorithm>
#include <cmath>
#include <optional>

#include "fit/hand_fingers.h"
#include "fit/mirror.h"
#include "fit/part_slimmer.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/index.h"
#include "pneuma/fit/slim_bones.h"

namespace pneuma::fit {
namespace {

using internal::Finger;
using internal::Fingers;
using internal::mirroredAtX;
using internal::SkinDepth;

constexpr double kThumbRoot = 0.3;  // of the way from the wrist to the thumb's mcp
constexpr double kMetacarpal =
    0.35;  // of the way from the wrist to a finger's mcp, where it begins
constexpr double kThinnestRay = 0.75;  // girth of a finger's bones against the hand's size
constexpr std::size_t kPalmStations = 8, kRayStations = 12;

double lineLength(const std::vector<Vec3>& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.size(); ++i) sum += (line[i] - line[i - 1]).norm();
  return sum;
}

/// Place at a way along a line.
Vec3 placeOnLine(const std::vector<Vec3>& line, double way) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double step = (line[i] - line[i - 1]).norm();
    if (way <= step || i + 1 == line.size())
      return line[i - 1] + std::min(way / step, 1.0) * (line[i] - line[i - 1]);
    way -= step;
  }
  return line.back();
}

/// Way along a line to where it comes nearest to a place.
double wayNear(const std::vector<Vec3>& line, const Vec3& p) {
  double best = 0, least = 1e300, before = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Vec3 d = line[i] - line[i - 1];
    const double t = std::clamp((p - line[i - 1]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const double off = (line[i - 1] + t * d - p).norm();
    if (off < least) least = off, best = before + t * d.norm();
    before += d.norm();
  }
  return best;
}

/// Joints of our person's left hand: of thumb and fingers, from where the metacarpal begins.
struct HandJoints {
  Vec3 wrist = Vec3::Zero();
  std::array<std::vector<Vec3>, 5> rays;
};

std::optional<HandJoints> handJointsOf(const anatomy::Body& body) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  const auto point = [&](const std::string& name) -> std::optional<Vec3> {
    const Result<anatomy::BodyPoint> found = points.find("hand_l:" + name);
    return found ? std::optional(found->position) : std::nullopt;
  };
  constexpr std::array kNames{"thumb", "index_finger", "middle_finger", "ring_finger",
                              "little_finger"};
  const auto wrist = point("wrist_center");
  if (!wrist) return {};
  HandJoints hand{.wrist = *wrist};
  for (std::size_t r = 0; r < 5; ++r) {
    std::vector<Vec3>& ray = hand.rays[r];
    for (const char* joint : {"mcp_", "pip_", "dip_", "ip_"})
      if (const auto p = point(std::string(joint) + kNames[r])) ray.push_back(*p);
    if (ray.size() != (r == 0 ? 2u : 3u)) return {};
    ray.insert(ray.begin(), *wrist + (r == 0 ? kThumbRoot : kMetacarpal) * (ray[0] - *wrist));
  }
  return hand;
}

/// Fits the bones of one hand; all of it a left one.
class HandFitter {
 public:
  HandFitter(const HandJoints& ours, const Fingers& fingers, const Fingers& there,
             const Vec3& wristThere)
      : ours_(ours), fingers_(fingers), there_(there) {
    // Where fingers part, and the wrist: how large the palm is and where it looks.
    std::vector<Vec3> from{ours.wrist}, to{wristThere};
    for (std::size_t r = 1; r < 5; ++r)
      from.push_back(fingers[r].line.back()), to.push_back(there[r].line.back());
    hand_.palm = bestSimilarity(from, to);
    size_ = std::cbrt(hand_.palm.linear.determinant());
    const Vec3 knuckle = ours.rays[2][1];
    hand_.palmTaper = anatomy::Taper(ours.wrist, knuckle, -0.3, 1.3, kPalmStations);
    for (std::size_t r = 0; r < 5; ++r) placeRay(r, hand_.palm(rootOf(r)) + aside(r));
  }

  CarriedHand run(const SkinDepth& skin, const std::vector<Vec3>& bone) {
    slim(hand_, skin, bone, {CarriedHand::kPalm});
    // Fingers begin where the palm that was drawn in has their knuckles.
    for (std::size_t r = 1; r < 5; ++r) placeRay(r, hand_(rootOf(r)));
    slim(hand_, skin, bone, {0, 1, 2, 3, 4});
    return std::move(hand_);
  }

  /// Draws in the sections of palm or fingers.
  static void slim(CarriedHand& hand, const SkinDepth& skin, const std::vector<Vec3>& bone,
                   std::initializer_list<std::size_t> which) {
    std::array<std::vector<internal::Watched>, CarriedHand::kPalm + 1> points;
    for (const Vec3& p : bone) {
      const CarriedHand::Part part = hand.partOf(p);
      points[part.taper].push_back({p, part.map.linear, part.map.offset});
    }
    for (const std::size_t k : which)
      internal::slimPart({.heldAtEnd = false}, skin, std::move(points[k]),
                         k == CarriedHand::kPalm ? hand.palmTaper : hand.rays[k].taper);
  }

 private:
  /// A joint that the palm carries: the knuckle of a finger, the root of the thumb.
  const Vec3& rootOf(std::size_t r) const { return ours_.rays[r][r == 0 ? 0 : 1]; }

  /// How far a finger's own line lies beside where the palm would have it.
  Vec3 aside(std::size_t r) const {
    if (r == 0) return Vec3::Zero();
    const Vec3 off = there_[r].line.back() - hand_.palm(fingers_[r].line.back());
    const Vec3 along = (hand_.palm(rootOf(r)) - hand_.palm(ours_.wrist)).normalized();
    return off - along.dot(off) * along;
  }

  /// Joints of a ray lie on the character's finger as ours do on our own: at the same shares of the
  /// way from the tip to the root, and as far beside its middle.
  void placeRay(std::size_t r, const Vec3& rootThere) {
    CarriedHand::Ray& ray = hand_.rays[r];
    std::vector<Vec3> line = fingers_[r].line, lineThere = there_[r].line;
    line.push_back(rootOf(r)), lineThere.push_back(rootThere);
    const double longer = lineLength(lineThere) / lineLength(line);
    const double girth =
        size_ * std::clamp(there_[r].radius / (size_ * fingers_[r].radius), kThinnestRay, 1.0);
    ray.joints = ours_.rays[r];
    ray.joints.push_back(line.front());
    ray.free = r == 0 ? 0 : 1;
    std::vector<Vec3> there;
    for (std::size_t k = 0; k < ray.joints.size(); ++k) {
      const Vec3& joint = ray.joints[k];
      if (k < ray.free) {
        there.push_back(hand_.palm(joint));
      } else if (k == ray.free) {
        there.push_back(rootThere);
      } else {
        const double way = wayNear(line, joint);
        const Vec3 beside = hand_.palm.linear * (joint - placeOnLine(line, way)) * (girth / size_);
        there.push_back(placeOnLine(lineThere, longer * way) + beside);
      }
    }
    ray.maps.clear();
    // Each piece turns from where the one before it has brought it, by the shortest way.
    Mat3 turn = hand_.palm.linear / size_;
    for (std::size_t k = 0; k + 1 < ray.joints.size(); ++k) {
      const Vec3 d = ray.joints[k + 1] - ray.joints[k], dThere = there[k + 1] - there[k];
      turn = Quat::FromTwoVectors(turn * d, dThere).toRotationMatrix() * turn;
      const Vec3 n = d.normalized();
      const double across = k < ray.free ? size_ : girth;
      const Mat3 stretch =
          across * Mat3::Identity() + (dThere.norm() / d.norm() - across) * n * n.transpose();
      const Mat3 linear = turn * stretch;
      ray.maps.push_back({linear, there[k] - linear * ray.joints[k]});
    }
    ray.taper = anatomy::Taper(ray.joints[ray.free], ray.joints.back(), 0, 1.1, kRayStations);
  }

  const HandJoints& ours_;
  const Fingers &fingers_, &there_;
  double size_ = 1;
  CarriedHand hand_;
};

TriangleMesh mirroredSurface(TriangleMesh mesh) {
  for (Vec3& p : mesh.positions) p = mirroredAtX(p);
  flipOrientation(mesh);
  return mesh;
}

}  // namespace

// Of a character that is its own mirror image one hand is fitted. The other is its image, drawn in
// where the skin is not quite one.
void fitHands(const FigureTemplate& figure, const FittedFigure& fitted, CarriedAnatomy& inside,
              const TriangleMesh& surface, const anatomy::GeometryCache& cache) {
  const std::optional<HandJoints> ours = handJointsOf(*figure.body);
  const auto bone = std::ranges::find(figure.body->shapes, "hand_l", &anatomy::Shape::bone);
  if (!ours || bone == figure.body->shapes.end()) return;
  const auto fingers =
      internal::findFingers(figure.skin.mesh, figure.joints.wrist[0], figure.joints.hand[0]);
  if (!fingers) return;
  const std::vector<Vec3> vertices = cache.boneMesh(bone->shape, anatomy::kLightBone).positions;
  for (std::size_t s = 0; s < 2; ++s) {
    const TriangleMesh its = s == 0 ? surface : mirroredSurface(surface);
    const SkinDepth skin(its);
    if (s == 1 && fitted.report.symmetric) {
      inside.hands[1] = inside.hands[0];
      if (inside.hands[1])
        HandFitter::slim(*inside.hands[1], skin, vertices, {0, 1, 2, 3, 4, CarriedHand::kPalm});
      return;
    }
    const auto left = [&](const Vec3& p) { return s == 0 ? p : mirroredAtX(p); };
    const Vec3 wrist = left(inside.joints.wrist[s]);
    const auto there = internal::findFingers(its, wrist, left(fitted.pose.joints.hand[s]));
    inside.hands[s].reset();
    if (there) inside.hands[s] = HandFitter(*ours, *fingers, *there, wrist).run(skin, vertices);
  }
}

}  // namespace pneuma::fit
