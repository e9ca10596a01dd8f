#include "pneuma/fit/inside.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/anatomy/fitted_map.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::fit {
namespace {

using anatomy::SkinPart;

constexpr std::size_t kCentres = 1200;    // of the map of space
constexpr double kRidge = 1e-3;           // [m]
constexpr double kSlimmest = 0.75;        // girth of a bone against our person's
constexpr double kThigh = 0.245 / 0.491;  // of thigh and shank (Drillis, Contini 1966)
// Of a shoulder's depth under the skin, against ours: armatures turn arms about a lower place than
// bones do (MakeHuman's by 11 mm), and more muscle lies over the shoulder of a level arm.
// Calibrated.
constexpr double kDeeper = 0.1, kBunched = 0.05;
// Of the height, towards the middle, when an arm is raised from half to level: three quarters as
// far as our own shoulders go, for armatures leave them where they are. Calibrated.
constexpr double kDrawnIn = 0.008, kHalfRaised = -0.7;
constexpr double kOfHips = 2.0 / 3;  // how far landmarks count for their height
constexpr std::size_t kHips = 3;     // in kNamedPairs
// How far the skin's measures count for the cage's (sizedCage); calibrated: one character at three
// fat levels and in three poses has one cage.
constexpr double kWidthCounts = 0.5, kDepthCounts = 0.15;

bool startsWithAny(const std::string& bone, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* n) { return bone.starts_with(n); });
}

bool isCageBone(const std::string& bone) {
  return startsWithAny(
      bone, {"rib_", "costal_cartilage", "manubrium", "body_of_sternum", "xiphoid", "vertebra_t"});
}
bool isPelvisBone(const std::string& bone) {
  return startsWithAny(bone, {"hip_bone", "sacrum"});
}

bool isHeadBone(const std::string& bone) {
  return startsWithAny(bone, {"skull", "mandible"});
}

struct PointPairs {
  std::vector<Vec3> from, to;
};

Vec3 meanPoint(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return points.empty() ? sum : Vec3(sum / static_cast<double>(points.size()));
}

/// Least squares, axis by axis: x' on x, y' on y, z' on z and y. What differs between left and
/// right drops out of the first.
anatomy::TrunkRow levelRow(const PointPairs& pairs) {
  if (pairs.from.size() < 4) return {};
  const Vec3 mean = meanPoint(pairs.from), meanThere = meanPoint(pairs.to);
  double xx = 0, xX = 0, yy = 0, yY = 0, yz = 0, zz = 0, yZ = 0, zZ = 0;
  for (std::size_t i = 0; i < pairs.from.size(); ++i) {
    const Vec3 a = pairs.from[i] - mean, b = pairs.to[i] - meanThere;
    xx += pairs.from[i].x() * pairs.from[i].x(), xX += pairs.from[i].x() * pairs.to[i].x();
    yy += a.y() * a.y(), yY += a.y() * b.y(), yZ += a.y() * b.z();
    yz += a.y() * a.z(), zz += a.z() * a.z(), zZ += a.z() * b.z();
  }
  anatomy::TrunkRow row;
  const double det = yy * zz - yz * yz;
  row.width = xX / xx;
  row.height = yY / yy;
  row.depth = (zZ * yy - yZ * yz) / det;
  row.lean = (yZ * zz - zZ * yz) / det;
  row.rise = meanThere.y() - row.height * mean.y();
  row.forward = meanThere.z() - row.depth * mean.z() - row.lean * mean.y();
  return row;
}

/// The same size in all directions.
anatomy::TrunkRow alikeRow(const PointPairs& pairs) {
  if (pairs.from.size() < 2) return {};
  const Vec3 mean = meanPoint(pairs.from), meanThere = meanPoint(pairs.to);
  double own = 0, cross = 0;
  for (std::size_t i = 0; i < pairs.from.size(); ++i) {
    own += (pairs.from[i] - mean).squaredNorm();
    cross += (pairs.from[i] - mean).dot(pairs.to[i] - meanThere);
  }
  const double size = cross / own;
  return {.width = size,
          .height = size,
          .rise = meanThere.y() - size * mean.y(),
          .depth = size,
          .forward = meanThere.z() - size * mean.z()};
}

/// The same row made smaller or larger about where a point of our person lies.
anatomy::TrunkRow sized(anatomy::TrunkRow row, double size, const Vec3& about) {
  row.rise += (1 - size) * row.height * about.y();
  row.forward += (1 - size) * (row.depth * about.z() + row.lean * about.y());
  row.width *= size, row.height *= size, row.depth *= size, row.lean *= size;
  return row;
}

/// A cage as large as bones are, where the skin says that it lies. Skin shows how long a trunk is,
/// much less how wide the ribs below it are, and least how deep: breasts, back muscles and fat lie
/// before and behind. What it leaves open is told by stature and trunk, half each:
///
///   p = sqrt(h)     w = p^(1 - a) w'^a     d = p^(1 - b) d'^b
///
///   h, w', d'  height, width and depth of `carried`, against a person of that sex and stature
///   a, b       kWidthCounts, kDepthCounts
///
/// The middle of the cage stays.
anatomy::TrunkRow sizedCage(const anatomy::TrunkRow& carried, const Vec3& middle) {
  anatomy::TrunkRow cage = carried;
  const double usual = std::sqrt(carried.height);
  cage.width = usual * std::pow(carried.width / usual, kWidthCounts);
  cage.depth = usual * std::pow(carried.depth / usual, kDepthCounts);
  cage.forward += (carried.depth - cage.depth) * middle.z();
  return cage;
}

AffineMap affineOf(const anatomy::TrunkRow& row) {
  AffineMap map;
  map.linear << row.width, 0, 0, 0, row.height, 0, 0, row.lean, row.depth;
  map.offset = Vec3(0, row.rise, row.forward);
  return map;
}

/// The part of the figure that a bone lies in.
FigurePart partOfBone(const std::string& bone) {
  const bool right = bone.ends_with("_r");
  const auto pair = [&](FigurePart left) {
    return static_cast<FigurePart>(static_cast<int>(left) + (right ? 1 : 0));
  };
  if (startsWithAny(bone, {"skull", "mandible", "hyoid"})) return FigurePart::Head;
  if (bone.starts_with("humerus")) return pair(FigurePart::UpperArmL);
  if (startsWithAny(bone, {"ulna", "radius"})) return pair(FigurePart::ForearmL);
  if (bone.starts_with("hand")) return pair(FigurePart::HandL);
  if (bone.starts_with("femur")) return pair(FigurePart::ThighL);
  if (startsWithAny(bone, {"patella", "tibia", "fibula"})) return pair(FigurePart::ShankL);
  if (startsWithAny(bone, {"talus", "hindfoot", "midfoot", "toes"})) return pair(FigurePart::FootL);
  return FigurePart::Trunk;
}

/// Points all over a shape: centres of its numbers.
void addPoints(const anatomy::BoneShape& shape, std::vector<Vec3>& points) {
  const auto add = [&](const Vec3& p) {
    points.push_back(p);
    if (shape.symmetric && p.x() != 0) points.emplace_back(-p.x(), p.y(), p.z());
  };
  for (const anatomy::ShapePart& part : shape.parts) {
    if (part.kind == anatomy::ShapeKind::Ellipsoid)
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0})
          add(part.center + side * part.radii[axis] * part.rotation.col(axis));
    for (const anatomy::SweepSection& s : part.sections) add(s.center);
    for (const Vec3& p : part.grid) add(p);
    for (const anatomy::ProfileSection& c : part.contours) add(c.center);
  }
}

/// Carries all bones of one figure.
class Carrier {
 public:
  Carrier(const FigureTemplate& figure, const FittedFigure& fitted, double wider, double head)
      : figure_(figure), fitted_(fitted), wider_(wider), smallerHead_(head), space_(mapOfSpace()) {}

  CarriedAnatomy run() {
    CarriedAnatomy result;
    result.joints = carriedJoints();
    for (const anatomy::Shape& s : figure_.body->shapes) addPoints(s.shape, points_[s.bone]);
    const PointPairs cage = groupPoints(isCageBone, FigurePart::Trunk);
    result.cage = sizedCage(levelRow(cage), meanPoint(cage.from));
    result.cage.width *= wider_;
    result.pelvis = levelRow(groupPoints(isPelvisBone, FigurePart::Trunk));
    if (!fitted_.given[kHips]) {  // sockets as high as the joints that were found
      double off = 0;
      for (std::size_t s = 0; s < 2; ++s)
        off += 0.5 * (result.joints.hip[s] - result.pelvis(figure_.joints.hip[s])).y();
      result.pelvis.rise += off;
    }
    cage_ = affineOf(result.cage);
    pelvis_ = affineOf(result.pelvis);
    const PointPairs head = groupPoints(isHeadBone, FigurePart::Head);
    headMiddle_ = meanPoint(head.from);
    result.head = sized(alikeRow(head), smallerHead_, headMiddle_);
    result.arm = arm_ =
        girthOf(FigurePart::UpperArmL, figure_.joints.shoulder, figure_.joints.elbow);
    result.leg = leg_ = girthOf(FigurePart::ThighL, figure_.joints.hip, figure_.joints.knee);
    for (const anatomy::Bone& bone : figure_.body->bones)
      result.bones.push_back(carried(bone.name, result.joints));
    joinSpine(result);
    result.cageVolume = std::abs(cage_.linear.determinant());
    return result;
  }

 private:
  /// From the posed template's skin to the registered one, without hands.
  VolumeMap mapOfSpace() const {
    std::vector<bool> allowed;
    for (const SkinPart part : figure_.skin.parts) allowed.push_back(part != SkinPart::Hand);
    std::vector<Vec3> from, to;
    for (const std::int32_t v : evenPoints(fitted_.start, allowed, kCentres)) {
      from.push_back(fitted_.start[at(v)]);
      to.push_back(fitted_.skin.mesh.positions[at(v)]);
    }
    return {std::move(from), to, kRidge};
  }

  /// A place of our person at rest, carried with a part.
  Vec3 place(FigurePart part, const Vec3& p) const {
    const Vec3 posed = fitted_.posed[static_cast<std::size_t>(part)](p);
    const bool hand = part == FigurePart::HandL || part == FigurePart::HandR;
    return hand ? posed : space_(posed);
  }

  FigureJoints carriedJoints() const {
    FigureJoints j = fitted_.pose.joints;
    const FigureJoints& f = figure_.joints;
    j.neck = place(FigurePart::Trunk, f.neck);
    for (std::size_t s = 0; s < 2; ++s) {
      const auto sided = [&](FigurePart left) {
        return static_cast<FigurePart>(static_cast<std::size_t>(left) + s);
      };
      j.shoulder[s] = place(FigurePart::Trunk, f.shoulder[s]);
      j.elbow[s] = place(sided(FigurePart::UpperArmL), f.elbow[s]);
      j.wrist[s] = place(sided(FigurePart::ForearmL), f.wrist[s]);
      j.hip[s] = place(FigurePart::Trunk, f.hip[s]);
      j.knee[s] = place(sided(FigurePart::ThighL), f.knee[s]);
      j.ankle[s] = place(sided(FigurePart::ShankL), f.ankle[s]);
    }
    lowerShoulders(j);
    // Between where landmarks and where the skin around them says: elbows and knees halfway,
    // heights of hips by kOfHips. The one errs by a bend or a girth, the other by skin that slid
    // along.
    for (std::size_t s = 0; s < 2; ++s) {
      j.elbow[s] = 0.5 * (j.elbow[s] + fitted_.pose.joints.elbow[s]);
      j.hip[s].y() = std::lerp(j.hip[s].y(), fitted_.pose.joints.hip[s].y(), kOfHips);
      const Vec3 leg = (j.ankle[s] - j.hip[s]).normalized();
      j.knee[s] += 0.5 * leg.dot(fitted_.pose.joints.knee[s] - j.knee[s]) * leg;
      // Halfway to where people have them: girths of a stylised leg mislead both.
      const double thigh = (j.knee[s] - j.hip[s]).norm(), shank = (j.ankle[s] - j.knee[s]).norm();
      j.knee[s] += 0.5 * (kThigh * (thigh + shank) - thigh) * leg;
    }
    placeStraightElbows(f, fitted_.pose.arms, fitted_.report.height, j);
    if (fitted_.report.symmetric) evenSides(j);
    for (std::size_t k = 0; k < kNamedPairs.size(); ++k)
      if (fitted_.given[k]) j.*kNamedPairs[k].place = fitted_.pose.joints.*kNamedPairs[k].place;
    return j;
  }

  /// To where they lie at least as deep under the skin above them as our person's, and a little
  /// more; deeper and farther in under arms that are raised, over which the muscle bunches.
  void lowerShoulders(FigureJoints& j) const {
    const double far = 0.1 * fitted_.report.height;
    const auto raised = [](const FigureJoints& of, std::size_t s) {
      const Vec3 arm = (of.elbow[s] - of.shoulder[s]).normalized();
      return std::hypot(arm.x(), arm.z());
    };
    const SurfaceQuery ours(figure_.skin.mesh), there(fitted_.skin.mesh);
    for (std::size_t s = 0; s < 2; ++s) {
      const double more = std::max(raised(j, s) - raised(figure_.joints, s), 0.0);
      const double up = (j.elbow[s] - j.shoulder[s]).normalized().y();
      j.shoulder[s].x() -= std::copysign(
          kDrawnIn * fitted_.report.height * smoothStep(kHalfRaised, 0, up), j.shoulder[s].x());
      const auto depth = ours.firstHit(figure_.joints.shoulder[s], Vec3::UnitY(), far);
      const auto found = there.firstHit(j.shoulder[s], Vec3::UnitY(), far);
      if (!depth || !found) continue;
      const double least = (1 + kDeeper + kBunched * more) * depth->distance;
      j.shoulder[s].y() -= std::max(least - found->distance, 0.0);
    }
  }

  /// All points of some bones, before and after.
  PointPairs groupPoints(bool (*member)(const std::string&), FigurePart part) const {
    PointPairs pairs;
    for (const auto& [bone, points] : points_)
      if (member(bone))
        for (const Vec3& p : points) pairs.from.push_back(p), pairs.to.push_back(place(part, p));
    return pairs;
  }

  /// How thick the limbs of the posed template are across against our person's, within limits.
  double girthOf(FigurePart left, const std::array<Vec3, 2>& from,
                 const std::array<Vec3, 2>& to) const {
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const Mat3& stretch = fitted_.posed[static_cast<std::size_t>(left) + s].stretch;
      const Vec3 d = (to[s] - from[s]).normalized();
      sum += 0.5 * (stretch.trace() - d.dot(stretch * d));
    }
    return std::clamp(0.5 * sum, kSlimmest, 1.0);
  }

  /// Bones between pelvis, cage and head, and the shoulder girdle: as the fitted body has them.
  void joinSpine(CarriedAnatomy& result) const {
    const anatomy::FittedShapes shapes = fittedShapesOf(fitted_, result, "");
    const anatomy::FittedMap map(*figure_.body, shapes);
    const Vec3 shift(0, shapes.cage.rise - result.cage.rise,
                     shapes.cage.forward - result.cage.forward);
    for (CarriedBone& bone : result.bones) {
      const anatomy::FittedPart part = anatomy::fittedPartOf(bone.name);
      const bool between =
          part == anatomy::FittedPart::Trunk || part == anatomy::FittedPart::Girdle;
      const auto found = points_.find(bone.name);
      if (!between || isCageBone(bone.name) || isPelvisBone(bone.name) || isHeadBone(bone.name) ||
          found == points_.end())
        continue;
      const Vec3 middle = meanPoint(found->second);
      bone.map.linear = map.jacobian(part, middle);
      bone.map.offset = map(part, middle) - shift - bone.map.linear * middle;
      bone.length = std::cbrt(std::abs(bone.map.linear.determinant()));
    }
  }

  /// Two ends leave the turn about their line open: all bones of the part turn together as the map
  /// of space turns them, in the least squares of what lies across the line.
  AffineMap turned(AffineMap map, FigurePart part, const Vec3& begin, const Vec3& end) const {
    const Vec3 axis = (end - begin).normalized();
    double along = 0, across = 0;
    for (const auto& [bone, points] : points_) {
      if (partOfBone(bone) != part) continue;
      for (const Vec3& p : points) {
        const Vec3 u = map(p) - begin, v = place(part, p) - begin;
        along += u.dot(v) - axis.dot(u) * axis.dot(v);
        across += axis.dot(u.cross(v));
      }
    }
    const Mat3 turn = Eigen::AngleAxisd(std::atan2(across, along), axis).toRotationMatrix();
    map.linear = turn * map.linear;
    map.offset = begin + turn * (map.offset - begin);
    return map;
  }

  // Bones of the cage and pelvis share one map, or ribs would part from their vertebrae; a limb's
  // bone goes with the two joints at its ends.
  CarriedBone carried(const std::string& bone, const FigureJoints& there) const {
    const FigurePart part = partOfBone(bone);
    const auto found = points_.find(bone);
    std::vector<Vec3> from, to;
    if (found != points_.end()) from = found->second;
    for (const Vec3& p : from) to.push_back(place(part, p));
    CarriedBone c{.name = bone};
    const FigureJoints& f = figure_.joints;
    const std::size_t s = bone.ends_with("_r") ? 1 : 0;
    if (isCageBone(bone)) {
      c.map = cage_;
    } else if (isPelvisBone(bone)) {
      c.map = pelvis_;
    } else if (part == FigurePart::UpperArmL || part == FigurePart::UpperArmR) {
      c.map =
          turned(throughEnds(f.shoulder[s], f.elbow[s], there.shoulder[s], there.elbow[s], arm_),
                 part, there.shoulder[s], there.elbow[s]);
    } else if (part == FigurePart::ForearmL || part == FigurePart::ForearmR) {
      c.map = turned(throughEnds(f.elbow[s], f.wrist[s], there.elbow[s], there.wrist[s], arm_),
                     part, there.elbow[s], there.wrist[s]);
    } else if (part == FigurePart::ThighL || part == FigurePart::ThighR) {
      c.map = turned(throughEnds(f.hip[s], f.knee[s], there.hip[s], there.knee[s], leg_), part,
                     there.hip[s], there.knee[s]);
    } else if (part == FigurePart::ShankL || part == FigurePart::ShankR) {
      c.map = turned(throughEnds(f.knee[s], f.ankle[s], there.knee[s], there.ankle[s], leg_), part,
                     there.knee[s], there.ankle[s]);
    } else if (!from.empty()) {
      c.map = bestSimilarity(from, to);
      if (isHeadBone(bone)) {
        c.map.offset += (1 - smallerHead_) * c.map.linear * headMiddle_;
        c.map.linear *= smallerHead_;
      }
    } else {
      const PartMap& p = fitted_.posed[static_cast<std::size_t>(part)];
      c.map = {p.rotation * p.stretch, p(Vec3::Zero())};
    }
    c.length = std::cbrt(std::abs(c.map.linear.determinant()));
    if (!from.empty()) c.distortion = rmsApart(bestSimilarity(from, to), from, to);
    return c;
  }

  const FigureTemplate& figure_;
  const FittedFigure& fitted_;
  double wider_ = 1, smallerHead_ = 1;
  Vec3 headMiddle_ = Vec3::Zero();  ///< of skull and jaw, at rest
  VolumeMap space_;
  std::map<std::string, std::vector<Vec3>> points_;  // of each bone, at rest
  AffineMap cage_, pelvis_;
  double arm_ = 1, leg_ = 1;
};

double meanFootSize(const CarriedAnatomy& inside) {
  double sum = 0, count = 0;
  for (const CarriedBone& bone : inside.bones)
    if (anatomy::fittedPartOf(bone.name) == anatomy::FittedPart::Foot)
      sum += std::log(bone.length), count += 1;
  return count > 0 ? std::exp(sum / count) : 1;
}

}  // namespace

const AffineMap* CarriedAnatomy::find(const std::string& bone) const {
  const auto found = std::ranges::find(bones, bone, &CarriedBone::name);
  return found == bones.end() ? nullptr : &found->map;
}

const anatomy::Taper& CarriedAnatomy::taperOf(const std::string& bone) const {
  return tapers[static_cast<std::size_t>(anatomy::fittedPartOf(bone))];
}

TriangleMesh carriedMesh(const CarriedAnatomy& inside, const anatomy::Shape& bone,
                         const anatomy::GeometryCache& cache) {
  const AffineMap* map = inside.find(bone.bone);
  if (!map) return {};
  TriangleMesh mesh = cache.boneMesh(bone.shape, anatomy::kLightBone);
  const anatomy::Taper& taper = inside.taperOf(bone.bone);
  const double side = bone.bone.ends_with("_r") ? -1 : 1;
  const Vec3 toLeft(side, 1, 1);
  for (Vec3& p : mesh.positions) p = (*map)(toLeft.cwiseProduct(taper(toLeft.cwiseProduct(p))));
  return mesh;
}

// Bones and skin come to our rest pose by the same turns: what registration moved a joint by is
// turned back with its part, as it is for the skin around it.
anatomy::FittedShapes fittedShapesOf(const FittedFigure& fitted, const CarriedAnatomy& inside,
                                     std::string character) {
  const FigureJoints &f = fitted.figure->joints, &found = fitted.pose.joints, &c = inside.joints;
  anatomy::FittedShapes s{.character = std::move(character),
                          .sex = fitted.person.sex,
                          .height = fitted.person.height,
                          .mass = fitted.person.mass,
                          .pelvis = inside.pelvis,
                          .cage = inside.cage,
                          .head = inside.head};
  using Pair = std::array<Vec3, 2>;
  const auto length = [](const Pair& a, const Pair& b) {
    return 0.5 * ((a[0] - b[0]).norm() + (a[1] - b[1]).norm());
  };
  // The mean of a left joint and the image of the right one, at rest.
  const auto atRest = [&](Pair FigureJoints::*joint, FigurePart left) -> Vec3 {
    Pair place;
    for (std::size_t side = 0; side < 2; ++side) {
      const Mat3& turn =
          fitted.posed[static_cast<std::size_t>(left) + (left == FigurePart::Trunk ? 0 : side)]
              .rotation;
      place[side] = (fitted.restJoints.*joint)[side] +
                    turn.transpose() * ((c.*joint)[side] - (found.*joint)[side]);
    }
    return 0.5 * (place[0] + Vec3(-place[1].x(), place[1].y(), place[1].z()));
  };
  // Towards where a joint lies at rest, as far as it lies in the character's pose.
  const auto next = [&](const Vec3& from, Pair FigureJoints::*a, Pair FigureJoints::*b,
                        FigurePart left) -> Vec3 {
    return from + length(c.*a, c.*b) * (atRest(b, left) - from).normalized();
  };
  using J = FigureJoints;
  anatomy::LimbJoints& j = s.joints;
  j.shoulder = atRest(&J::shoulder, FigurePart::Trunk);
  j.elbow = next(j.shoulder, &J::shoulder, &J::elbow, FigurePart::UpperArmL);
  j.wrist = next(j.elbow, &J::elbow, &J::wrist, FigurePart::ForearmL);
  j.hip = s.pelvis(f.hip[0]);
  j.knee = next(j.hip, &J::hip, &J::knee, FigurePart::ThighL);
  j.ankle = next(j.knee, &J::knee, &J::ankle, FigurePart::ShankL);
  s.hand = length(found.wrist, found.hand) / length(f.wrist, f.hand);
  s.foot = meanFootSize(inside);
  s.arm = inside.arm, s.leg = inside.leg;
  for (std::size_t k = 0; k < inside.tapers.size(); ++k)
    if (inside.tapers[k].any()) s.tapers[k] = inside.tapers[k].stations();
  s.topology = fitted.skin.topology->id;
  s.skin = fitted.restSkin;
  // On the floor, and as far forward as our person.
  const Vec3 shift(0, -boundingBox(s.skin).min.y(), f.hip[0].z() - j.hip.z());
  for (Vec3& p : s.skin) p += shift;
  for (Vec3* p : {&j.shoulder, &j.elbow, &j.wrist, &j.hip, &j.knee, &j.ankle}) *p += shift;
  for (anatomy::TrunkRow* row : {&s.pelvis, &s.cage, &s.head})
    row->rise += shift.y(), row->forward += shift.z();
  return s;
}

CarriedAnatomy carryBones(const FigureTemplate& figure, const FittedFigure& fitted, double wider,
                          double head) {
  PNEUMA_CHECK(fitted.start.size() == figure.skin.mesh.vertexCount(), "{} vertices",
               fitted.start.size());
  return Carrier(figure, fitted, wider, head).run();
}

}  // namespace pneuma::fit
