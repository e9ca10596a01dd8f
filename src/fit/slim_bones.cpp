#include "pneuma/fit/slim_bones.h"

#include <algorithm>
#include <cmath>

#include "fit/mirror.h"
#include "fit/part_slimmer.h"
#include "fit/place_head.h"
#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::fit {
namespace {

using anatomy::FittedPart;
using anatomy::Taper;
using internal::kAcross;
using internal::kMargin;
using internal::mirroredAtX;
using internal::Watched;

constexpr double kLostCage = 1.01;  // below this a cage that was drawn in stays as it is
constexpr int kHeadRounds = 3;
constexpr double kSettled = 0.01;  // a head that changes its size by less has found its place
constexpr double kWidest = 1.1;    // of a cage that is drawn in elsewhere, against what it would be

/// Where limbs meet, shifts would part them, but nothing follows a foot; the trunk is alike on both
/// sides. Between two walls that are too near, as in a toe, none should give way to the other's
/// margin; the long way round a trunk would swing with such weights.
internal::SlimRule ruleOf(FittedPart part) {
  const bool trunk = part == FittedPart::Trunk;
  return {.heldAtStart = !trunk,
          .heldAtEnd = !trunk && part != FittedPart::Foot,
          .sideways = !trunk,
          .outsideCountsMore = !trunk && part != FittedPart::Girdle};
}

/// Vertices of all bones of a part, carried without tapers.
std::vector<Watched> verticesOf(FittedPart part, const FigureTemplate& figure,
                                const CarriedAnatomy& inside, const anatomy::GeometryCache& cache) {
  std::vector<Watched> points;
  for (const anatomy::Shape& s : figure.body->shapes) {
    const AffineMap* map = inside.find(s.bone);
    if (!map || !internal::isHeldInside(s.bone) || anatomy::fittedPartOf(s.bone) != part) continue;
    const bool right = s.bone.ends_with("_r");
    Mat3 linear = map->linear;
    if (right) linear.col(0) = -linear.col(0);
    for (const Vec3& p : cache.boneMesh(s.shape, anatomy::kLightBone).positions)
      points.push_back({right ? mirroredAtX(p) : p, linear, map->offset});
  }
  return points;
}

/// Feet may be too long for a character's: all bones of both by one size about the ankles, such
/// that toes and heels end within.
void shortenFeet(const FigureTemplate& figure, CarriedAnatomy& inside,
                 const internal::SkinDepth& skin, const anatomy::GeometryCache& cache) {
  double most = 0;
  const auto each = [&](auto&& act) {
    for (CarriedBone& bone : inside.bones)
      if (anatomy::fittedPartOf(bone.name) == FittedPart::Foot)
        act(bone, inside.joints.ankle[bone.name.ends_with("_r") ? 1 : 0]);
  };
  each([&](const CarriedBone& bone, const Vec3& ankle) {
    for (const anatomy::Shape& s : figure.body->shapes) {
      if (s.bone != bone.name) continue;
      for (const Vec3& p : cache.boneMesh(s.shape, anatomy::kLightBone).positions) {
        const Vec3 there = bone.map(p), way = there - ankle;
        const auto [depth, inward] = skin.at(there);
        // Across the foot sections are drawn in instead.
        if (depth < kLeastDepth && -inward.dot(way) > kAcross * way.norm())
          most = std::max(most, (kMargin - depth) / -inward.dot(way));
      }
    }
  });
  const double size = 1 - std::min(most, 0.3);
  each([&](CarriedBone& bone, const Vec3& ankle) {
    bone.map.linear *= size;
    bone.map.offset = ankle + size * (bone.map.offset - ankle);
    bone.length *= size;
  });
}

}  // namespace

void slimBones(const FigureTemplate& figure, CarriedAnatomy& inside, const TriangleMesh& surface,
               const TriangleMesh& registered, const anatomy::GeometryCache& cache) {
  const internal::SkinDepth skin(surface, registered);
  shortenFeet(figure, inside, skin, cache);
  inside.tapers = anatomy::partTapers(*figure.body);
  for (std::size_t k = 0; k < inside.tapers.size(); ++k) {
    const auto part = static_cast<FittedPart>(k);
    if (inside.tapers[k].stations().empty()) continue;
    internal::slimPart(ruleOf(part), skin, verticesOf(part, figure, inside, cache),
                       inside.tapers[k]);
  }
}

double cageVolume(const FigureTemplate& figure, const CarriedAnatomy& inside,
                  const anatomy::GeometryCache& cache) {
  // By area: a rib whose mesh happens to be finer counts no more than the others.
  double area = 0;
  Vec3 sum = Vec3::Zero();
  Mat3 products = Mat3::Zero();
  for (const anatomy::Shape& s : figure.body->shapes) {
    if (!s.bone.starts_with("rib_")) continue;
    const TriangleMesh mesh = carriedMesh(inside, s, cache);
    for (const Triangle& t : mesh.triangles) {
      const Vec3 &a = mesh.positions[at(t[0])], &b = mesh.positions[at(t[1])],
                 &c = mesh.positions[at(t[2])], m = (a + b + c) / 3;
      const double its = 0.5 * (b - a).cross(c - a).norm();
      area += its, sum += its * m, products += its * m * m.transpose();
    }
  }
  const Vec3 middle = sum / area;
  const Mat3 spread = products / area - middle * middle.transpose();
  return 4.0 / 3 * kPi * std::sqrt(27 * spread.determinant());
}

CarriedAnatomy fitBones(const FigureTemplate& figure, const FittedFigure& fitted,
                        const TriangleMesh& surface, const anatomy::GeometryCache& cache) {
  const CarriedAnatomy carried = carryBones(figure, fitted);
  const double whole = cageVolume(figure, carried, cache);
  CarriedAnatomy inside = carried;
  slimBones(figure, inside, surface, fitted.skin.mesh, cache);
  const double lost = whole / cageVolume(figure, inside, cache);
  const double wider = lost < kLostCage ? 1 : std::min(lost, kWidest);
  // A neck that is drawn in takes its head along, and a head that moves its neck.
  HeadChange head = internal::headWithin(figure, inside, surface, cache), more;
  for (int round = 0; round < kHeadRounds; ++round) {
    inside = carryBones(figure, fitted, wider, head);
    slimBones(figure, inside, surface, fitted.skin.mesh, cache);
    more = internal::headWithin(figure, inside, surface, cache);
    head = {more.size * head.size, more.size * head.shift + more.shift};
    if (std::abs(more.size - 1) < kSettled) break;
  }
  changeHead(more, inside);
  turnHands(figure, fitted, inside, surface);
  fitHands(figure, fitted, inside, surface, cache);
  return inside;
}

std::vector<SlimmedBone> slimmedBones(const FigureTemplate& figure, const CarriedAnatomy& inside,
                                      const anatomy::GeometryCache& cache) {
  constexpr double kSeen = 1e-4;  // [m]
  std::vector<SlimmedBone> slimmed;
  for (const anatomy::Shape& s : figure.body->shapes) {
    const AffineMap* map = inside.find(s.bone);
    if (!map || !internal::isHeldInside(s.bone)) continue;
    const Taper& taper = inside.taperOf(s.bone);
    if (!taper.any()) continue;
    const bool right = s.bone.ends_with("_r");
    SlimmedBone bone{.bone = s.bone};
    for (const Vec3& p : cache.boneMesh(s.shape, anatomy::kLightBone).positions) {
      const Vec3 left = right ? mirroredAtX(p) : p, moved = taper(left);
      const Vec3 way = right ? mirroredAtX(moved - left) : Vec3(moved - left);
      bone.moved = std::max(bone.moved, (map->linear * way).norm());
      const Mat3 j = taper.jacobian(left);
      bone.thinnest = std::min({bone.thinnest, taper.side().dot(j * taper.side()),
                                taper.front().dot(j * taper.front())});
    }
    if (bone.moved > kSeen) slimmed.push_back(bone);
  }
  std::ranges::stable_sort(slimmed, {}, &SlimmedBone::thinnest);
  return slimmed;
}

}  // namespace pneuma::fit
