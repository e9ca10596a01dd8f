#include "pneuma/fit/inside.h"

#include <algorithm>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"

namespace pneuma::fit {
namespace {

using anatomy::SkinPart;

constexpr std::size_t kCentres = 1200;  // of the map of space
constexpr double kRidge = 1e-3;         // [m]

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
  Carrier(const FigureTemplate& figure, const FittedFigure& fitted)
      : figure_(figure), fitted_(fitted), space_(mapOfSpace()) {}

  CarriedAnatomy run() {
    CarriedAnatomy result;
    result.joints = carriedJoints();
    for (const anatomy::Shape& s : figure_.body->shapes) addPoints(s.shape, points_[s.bone]);
    fitGroup(isCageBone, cage_);
    fitGroup(isPelvisBone, pelvis_);
    for (const anatomy::Bone& bone : figure_.body->bones)
      result.bones.push_back(carried(bone.name, result.joints));
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
    return j;
  }

  void fitGroup(bool (*member)(const std::string&), AffineMap& map) const {
    std::vector<Vec3> from, to;
    for (const auto& [bone, points] : points_)
      if (member(bone))
        for (const Vec3& p : points) from.push_back(p), to.push_back(place(FigurePart::Trunk, p));
    if (!from.empty()) map = bestAffine(from, to);
  }

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
    } else if (bone.starts_with("humerus")) {
      c.map = throughEnds(f.shoulder[s], f.elbow[s], there.shoulder[s], there.elbow[s]);
    } else if (startsWithAny(bone, {"ulna", "radius"})) {
      c.map = throughEnds(f.elbow[s], f.wrist[s], there.elbow[s], there.wrist[s]);
    } else if (bone.starts_with("femur")) {
      c.map = throughEnds(f.hip[s], f.knee[s], there.hip[s], there.knee[s]);
    } else if (startsWithAny(bone, {"tibia", "fibula", "patella"})) {
      c.map = throughEnds(f.knee[s], f.ankle[s], there.knee[s], there.ankle[s]);
    } else if (!from.empty()) {
      c.map = bestSimilarity(from, to);
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
  VolumeMap space_;
  std::map<std::string, std::vector<Vec3>> points_;  // of each bone, at rest
  AffineMap cage_, pelvis_;
};

}  // namespace

const AffineMap* CarriedAnatomy::find(const std::string& bone) const {
  const auto found = std::ranges::find(bones, bone, &CarriedBone::name);
  return found == bones.end() ? nullptr : &found->map;
}

CarriedAnatomy carryBones(const FigureTemplate& figure, const FittedFigure& fitted) {
  PNEUMA_CHECK(fitted.start.size() == figure.skin.mesh.vertexCount(), "{} vertices",
               fitted.start.size());
  return Carrier(figure, fitted).run();
}

}  // namespace pneuma::fit
