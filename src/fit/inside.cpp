#include "pneuma/fit/inside.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fit/trunk_rows.h"
#include "pneuma/anatomy/fitted_map.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::fit {
namespace {

using anatomy::SkinPart;
using internal::PointPairs;

constexpr std::size_t kCentres = 1200;    // of the map of space
constexpr double kRidge = 1e-3;           // [m]
constexpr double kSlimmest = 0.75;        // girth of a bone against our person's
constexpr double kThigh = 0.245 / 0.491;  // of thigh and shank (Drillis, Contini 1966)
// Of a shoulder's depth under the skin, against ours: armatures turn arms about a lower place than
// bones do (MakeHuman's 1.2 to 1.4 times as deep), less so where the arm is raised (0.94 as deep
// level as hanging, ours 0.88). Calibrated between these and our people.
constexpr double kDeeper = 0.22, kFlatter = 0.09;
// Of the height, towards the middle, for each radian that an arm is raised above half-way between
// hanging and level, and away from it below: the skin takes shoulders along as arms are raised, by
// 8 mm to half-way and 17 to level, on our people and on MakeHuman's alike. No farther away below
// the least angle, where our people's shoulders lie right without. Calibrated between both.
constexpr double kDrawnIn = 0.0108, kHalfRaised = kPi / 4, kLeastRaised = 0.365;  // [rad]
constexpr double kOfHips = 2.0 / 3;  // how far landmarks count for their height
// How far the hollow behind a knee counts for the knee's height, and how far off it may lie, of the
// height. It serves legs of any proportions, but on MakeHuman's women lies 20 mm lower about the
// joint than on its men.
constexpr double kOfHollow = 0.25, kFarHollow = 0.06;
constexpr std::size_t kHips = 3;  // in kNamedPairs

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
  Carrier(const FigureTemplate& figure, const FittedFigure& fitted, double wider,
          const HeadChange& head)
      : figure_(figure), fitted_(fitted), wider_(wider), headChange_(head), space_(mapOfSpace()) {}

  CarriedAnatomy run() {
    CarriedAnatomy result;
    result.joints = carriedJoints();
    for (const anatomy::Shape& s : figure_.body->shapes) addPoints(s.shape, points_[s.bone]);
    const PointPairs cage = groupPoints(isCageBone, FigurePart::Trunk);
    result.cage = internal::sizedCage(internal::levelRow(cage), internal::meanPoint(cage.from));
    result.cage.width *= wider_;
    result.pelvis = internal::levelRow(groupPoints(isPelvisBone, FigurePart::Trunk));
    if (!fitted_.given[kHips]) {  // sockets as high as the joints that were found
      double off = 0;
      for (std::size_t s = 0; s < 2; ++s)
        off += 0.5 * (result.joints.hip[s] - result.pelvis(figure_.joints.hip[s])).y();
      result.pelvis.rise += off;
    }
    cage_ = internal::affineOf(result.cage);
    pelvis_ = internal::affineOf(result.pelvis);
    result.head = internal::changed(internal::alikeRow(groupPoints(isHeadBone, FigurePart::Head)),
                                    headChange_);
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
      const std::optional<double>& shown = fitted_.pose.kneeByHollow[s];
      if (shown && std::abs(*shown - j.knee[s].y()) < kFarHollow * fitted_.report.height)
        j.knee[s] += kOfHollow * (*shown - j.knee[s].y()) / leg.y() * leg;
    }
    placeStraightElbows(f, fitted_.pose.arms, fitted_.report.height, j);
    if (fitted_.report.symmetric) evenSides(j);
    for (std::size_t k = 0; k < kNamedPairs.size(); ++k)
      if (fitted_.given[k]) j.*kNamedPairs[k].place = fitted_.pose.joints.*kNamedPairs[k].place;
    return j;
  }

  /// To where they lie at least as deep under the skin above them as our person's, and a little
  /// more; farther in under arms that are raised.
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
      const double angle = std::acos(std::clamp(-up, -1.0, 1.0));  // from hanging
      const double above = std::clamp(angle, kLeastRaised, kPi / 2) - kHalfRaised;
      j.shoulder[s].x() -= (s == 0 ? 1 : -1) * kDrawnIn * above * fitted_.report.height;
      const auto depth = ours.firstHit(figure_.joints.shoulder[s], Vec3::UnitY(), far);
      const auto found = there.firstHit(j.shoulder[s], Vec3::UnitY(), far);
      if (!depth || !found) continue;
      const double least = (1 + kDeeper - kFlatter * more) * depth->distance;
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
      const Vec3 middle = internal::meanPoint(found->second);
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
        c.map = internal::changed(c.map, headChange_);
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
  double wider_ = 1;
  HeadChange headChange_;
  VolumeMap space_;
  std::map<std::string, std::vector<Vec3>> points_;  // of each bone, at rest
  AffineMap cage_, pelvis_;
  double arm_ = 1, leg_ = 1;
};

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
  const std::optional<CarriedHand>& hand = inside.hands[side > 0 ? 0 : 1];
  if (hand && anatomy::fittedPartOf(bone.bone) == anatomy::FittedPart::Hand) {
    for (Vec3& p : mesh.positions) p = toLeft.cwiseProduct((*hand)(toLeft.cwiseProduct(p)));
    return mesh;
  }
  for (Vec3& p : mesh.positions) p = (*map)(toLeft.cwiseProduct(taper(toLeft.cwiseProduct(p))));
  return mesh;
}

void changeHead(const HeadChange& head, CarriedAnatomy& inside) {
  inside.head = internal::changed(inside.head, head);
  for (CarriedBone& bone : inside.bones) {
    if (!isHeadBone(bone.name)) continue;
    bone.map = internal::changed(bone.map, head);
    bone.length *= head.size;
  }
}

CarriedAnatomy carryBones(const FigureTemplate& figure, const FittedFigure& fitted, double wider,
                          const HeadChange& head) {
  PNEUMA_CHECK(fitted.start.size() == figure.skin.mesh.vertexCount(), "{} vertices",
               fitted.start.size());
  return Carrier(figure, fitted, wider, head).run();
}

}  // namespace pneuma::fit
