#include "pneuma/fit/slim_bones.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "fit/skin_depth.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::fit {
namespace {

using anatomy::FittedPart;
using anatomy::Taper;

constexpr double kMargin = 1.2e-3;     // m: depth that is aimed at [m]
constexpr double kWatched = 12e-3;     // vertices that lie deeper do not get near the skin [m]
constexpr double kSectionSize = 0.02;  // a change of size counts as a shift by this part of it [m]
constexpr double kBend = 4;            // weight of differences between neighbouring stations
constexpr double kAtJoint = 1e4;       // weight of shifts where two bones meet
constexpr double kAcross = 0.5;        // a way inwards with a smaller part across does not count
constexpr int kRounds = 40;            // in which all that lies too high counts alike
constexpr int kLastRounds = 40;        // of limbs, in which what is outside counts more
constexpr double kOutside = 20;        // weight of it, then
constexpr double kWidest = 1.1;  // of a cage that is drawn in elsewhere, against what it would be

Vec3 mirrored(const Vec3& p) {
  return {-p.x(), p.y(), p.z()};
}

/// A vertex of a bone, on the left side of our person, and how its place moves with it.
struct Watched {
  Vec3 place = Vec3::Zero();
  Mat3 linear = Mat3::Identity();
  Vec3 offset = Vec3::Zero();

  Vec3 there(const Taper& taper) const { return linear * taper(place) + offset; }
};

/// The stations of one part, brought to where its bones lie within the skin.
class PartSlimmer {
 public:
  PartSlimmer(FittedPart part, Taper& taper, std::vector<Watched> points)
      : part_(part),
        taper_(taper),
        points_(std::move(points)),
        size_(4 * idx(taper.stations().size())) {
    weights_ = VecX::Ones(size_);
    for (Eigen::Index k = 0; k < size_ / 4; ++k) {
      weights_.segment<2>(4 * k).setConstant(kSectionSize * kSectionSize);
      const bool limb = part != FittedPart::Trunk;
      const double t = taper.stationShare(static_cast<std::size_t>(k));
      // Where limbs meet, shifts would part them, but nothing follows a foot; the trunk is alike on
      // both sides.
      const bool follows = part != FittedPart::Foot && std::abs(t - 1) < 0.15;
      if (limb && (std::abs(t) < 0.15 || follows))
        weights_.segment<2>(4 * k + 2).setConstant(kAtJoint);
      if (!limb) weights_[4 * k + 2] = 1e6 * kAtJoint;
    }
  }

  void run(const internal::SkinDepth& skin) {
    watch(skin);
    // Between two walls that are too near, as in a toe, none should give way to the other's margin.
    // The long way round a trunk would swing with such weights.
    const bool limb = part_ != FittedPart::Trunk && part_ != FittedPart::Girdle;
    for (int round = 0; round < kRounds + (limb ? kLastRounds : 0); ++round)
      if (!step(skin, round < kRounds ? 1 : kOutside)) return;
  }

 private:
  static Eigen::Index idx(std::size_t n) { return static_cast<Eigen::Index>(n); }

  std::vector<internal::SkinDepth::Depth> depths(const internal::SkinDepth& skin) const {
    std::vector<internal::SkinDepth::Depth> found(points_.size());
    parallelFor(points_.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) found[i] = skin.at(points_[i].there(taper_));
    });
    return found;
  }

  void watch(const internal::SkinDepth& skin) {
    const auto depth = depths(skin);
    std::vector<Watched> high;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (depth[i].depth < kWatched) high.push_back(points_[i]);
    points_ = std::move(high);
  }

  /// False when nothing lies too high. `outside` weighs what misses more than the margin.
  bool step(const internal::SkinDepth& skin, double outside) {
    const auto depth = depths(skin);
    const auto high = [](const auto& d) { return d.depth < kLeastDepth; };
    if (std::ranges::none_of(depth, high)) return false;
    MatX normal = MatX::Zero(size_, size_);
    VecX right = VecX::Zero(size_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double missing = kMargin - depth[i].depth;
      if (missing <= 0) continue;
      const Taper::Place p = taper_.at(points_[i].place);
      const Vec3 pull = points_[i].linear.transpose() * depth[i].inward;
      const double side = pull.dot(taper_.side()), front = pull.dot(taper_.front());
      if (side * side + front * front < kAcross * kAcross * pull.squaredNorm()) continue;
      Eigen::Matrix<double, 16, 1> row;
      for (Eigen::Index k = 0; k < 4; ++k)
        row.segment<4>(4 * k) =
            p.weights[k] * Eigen::Vector4d(side * p.x, front * p.z, side, front);
      const double weight = high(depth[i]) ? outside : 1;
      normal.block<16, 16>(4 * idx(p.first), 4 * idx(p.first)) += weight * row * row.transpose();
      right.segment<16>(4 * idx(p.first)) += weight * missing * row;
    }
    for (Eigen::Index k = 0; k < size_; ++k) {
      normal(k, k) += weights_[k];
      if (k < 4) continue;
      const double bend = kBend * std::min({weights_[k], weights_[k - 4], 1.0});
      normal(k, k) += bend, normal(k - 4, k - 4) += bend;
      normal(k, k - 4) -= bend, normal(k - 4, k) -= bend;
    }
    apply(normal.ldlt().solve(right));
    return true;
  }

  void apply(const VecX& change) {
    for (std::size_t k = 0; k < taper_.stations().size(); ++k) {
      Taper::Station& s = taper_.stations()[k];
      const Eigen::Index i = 4 * idx(k);
      s.side = std::clamp(s.side + change[i], kThinnest, 1.0);
      s.front = std::clamp(s.front + change[i + 1], kThinnest, 1.0);
      if (part_ != FittedPart::Trunk) s.sideways += change[i + 2];
      s.forward += change[i + 3];
    }
  }

  FittedPart part_;
  Taper& taper_;
  std::vector<Watched> points_;
  Eigen::Index size_;
  VecX weights_;
};

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
      points.push_back({right ? mirrored(p) : p, linear, map->offset});
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

/// How much smaller a head's bones must be for the vault of the skull to lie within the
/// character's own skin: shrunk about its middle, no more than a tenth. Below it pockets reach in.
double headWithin(const FigureTemplate& figure, const CarriedAnatomy& inside,
                  const TriangleMesh& surface, const anatomy::GeometryCache& cache) {
  constexpr double kSmallest = 0.9, kVault = 0.3;
  const SurfaceQuery skin(surface);
  double most = 0;
  for (const anatomy::Shape& s : figure.body->shapes) {
    if (s.bone != "skull") continue;
    const std::vector<Vec3> points = carriedMesh(inside, s, cache).positions;
    const Vec3 middle = boundingBox(points).center();
    for (const Vec3& p : points) {
      const Vec3 way = p - middle;
      if (way.y() < kVault * way.norm() || skin.inside(p)) continue;
      most = std::max(most, (skin.closest(p).distance + kMargin) / way.norm());
    }
  }
  return std::max(1 - most, kSmallest);
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
    PartSlimmer(part, inside.tapers[k], verticesOf(part, figure, inside, cache)).run(skin);
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
  const auto slimmed = [&](CarriedAnatomy inside) {
    turnHands(figure, fitted, inside, surface);
    slimBones(figure, inside, surface, fitted.skin.mesh, cache);
    return inside;
  };
  const CarriedAnatomy carried = carryBones(figure, fitted);
  CarriedAnatomy inside = slimmed(carried);
  // Drawn in with the neck, a skull may come out that lay within.
  const double head = headWithin(figure, inside, surface, cache);
  const double lost = cageVolume(figure, carried, cache) / cageVolume(figure, inside, cache);
  if (lost < 1.01 && head == 1) return inside;
  return slimmed(carryBones(figure, fitted, lost < 1.01 ? 1 : std::min(lost, kWidest), head));
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
      const Vec3 left = right ? mirrored(p) : p, moved = taper(left);
      const Vec3 way = right ? mirrored(moved - left) : Vec3(moved - left);
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
