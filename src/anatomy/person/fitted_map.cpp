#include "pneuma/anatomy/fitted_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "anatomy/person/carried_table.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"

namespace pneuma::anatomy {
namespace {

/// The line between trunk and arm falls from the shoulder joint at this part of the arm's slope,
/// and hands reach below the wrist by this part of the arm's length (as in PersonMap).
constexpr double kFittedArmLine = 0.65, kFittedHand = 0.4;
constexpr double kLeastRise = 0.1;  // slope of the heights below which a trunk counts as folded
constexpr double kInverseEnd = 1e-13, kFarAway = 10;  // [m]

bool isOneOf(const std::string& bone, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* n) { return bone.starts_with(n); });
}

/// A cubic from 0 at `low` to 1 at `high` with level ends, and its slope.
struct Step {
  double value = 0, slope = 0;
  Step(double low, double high, double y) {
    const double u = std::clamp((y - low) / (high - low), 0.0, 1.0);
    value = u * u * (3 - 2 * u);
    slope = 6 * u * (1 - u) / (high - low);
  }
};

Vec3 mirroredAcross(const Vec3& p) {
  return {-p.x(), p.y(), p.z()};
}

LimbJoints jointsOfPerson(const PointTable& points) {
  const auto point = [&](const char* name) { return points.find(name).valueOrThrow().position; };
  return {point("humerus_l:head_center"), point("humerus_l:elbow_joint"),
          point("hand_l:wrist_center"),   point("femur_l:head_center"),
          point("femur_l:knee_joint"),    point("talus_l:ankle_joint")};
}

}  // namespace

FittedPart fittedPartOf(const std::string& bone) {
  if (isOneOf(bone, {"clavicle", "scapula"})) return FittedPart::Girdle;
  if (bone.starts_with("humerus")) return FittedPart::UpperArm;
  if (isOneOf(bone, {"ulna", "radius"})) return FittedPart::Forearm;
  if (bone.starts_with("hand")) return FittedPart::Hand;
  if (bone.starts_with("femur")) return FittedPart::Thigh;
  if (isOneOf(bone, {"patella", "tibia", "fibula"})) return FittedPart::Shank;
  if (isOneOf(bone, {"talus", "hindfoot", "midfoot", "toes"})) return FittedPart::Foot;
  return FittedPart::Trunk;
}

FittedMap::FittedMap(const Body& person, const FittedShapes& shapes)
    : pelvis_(shapes.pelvis), cage_(shapes.cage), head_(shapes.head) {
  std::vector<Diagnostic> findings;
  const PointTable points(person, findings);
  const auto height = [&](const char* name) {
    return points.find(name).valueOrThrow().position.y();
  };
  loinsLow_ = height("sacrum:promontory");
  loinsHigh_ = height("vertebra_t12:body_center");
  neckLow_ = height("vertebra_c7:joint_below");
  neckHigh_ = height("vertebra_c1:joint_below");
  requireRising();
  setTapers(person, shapes);
  joints_ = jointsOfPerson(points);
  sternal_ = points.find("clavicle_l:sternal_end").valueOrThrow().position.x();
  girdle_ = shapes.joints.shoulder - trunkAt(joints_.shoulder);
  // From joint to joint by the shortest turn; what hangs on a last joint by its own size.
  const LimbJoints &a = joints_, &b = shapes.joints;
  const auto through = [&](FittedPart part, const Vec3& from, const Vec3& to, const Vec3& there,
                           const Vec3& toThere, double girth) {
    const Vec3 d = to - from, e = toThere - there, n = d.normalized();
    const double along = e.norm() / d.norm();
    const Mat3 stretch = girth * Mat3::Identity() + (along - girth) * n * n.transpose();
    Limb& limb = limbs_[static_cast<std::size_t>(part)];
    limb.linear = Quat::FromTwoVectors(d, e).toRotationMatrix() * stretch;
    limb.offset = there - limb.linear * from;
  };
  const auto sized = [&](FittedPart part, const Vec3& from, const Vec3& there, double size) {
    Limb& limb = limbs_[static_cast<std::size_t>(part)];
    limb.linear = size * Mat3::Identity();
    limb.offset = there - size * from;
  };
  through(FittedPart::UpperArm, a.shoulder, a.elbow, b.shoulder, b.elbow, shapes.arm);
  through(FittedPart::Forearm, a.elbow, a.wrist, b.elbow, b.wrist, shapes.arm);
  through(FittedPart::Thigh, a.hip, a.knee, b.hip, b.knee, shapes.leg);
  through(FittedPart::Shank, a.knee, a.ankle, b.knee, b.ankle, shapes.leg);
  sized(FittedPart::Hand, a.wrist, b.wrist, shapes.hand);
  sized(FittedPart::Foot, a.ankle, b.ankle, shapes.foot);
}

void FittedMap::setTapers(const Body& person, const FittedShapes& shapes) {
  tapers_ = partTapers(person);
  for (std::size_t k = 0; k < kFittedParts; ++k) {
    auto& stations = tapers_[k].stations();
    const auto& given = shapes.tapers[k];
    if (given.empty()) {
      stations.clear();
    } else if (given.size() != stations.size()) {
      throw InputError(Diagnostic{.subject = "body",
                                  .field = std::string("fit.tapers.") + kFittedPartNames[k],
                                  .message = fmt::format("has {} sections", given.size()),
                                  .expected = fmt::format("{}", stations.size())});
    } else {
      stations = given;
    }
  }
}

FittedMap::Level FittedMap::levelAt(double y) const {
  const Step loins(loinsLow_, loinsHigh_, y), neck(neckLow_, neckHigh_, y);
  const std::array<const TrunkRow*, 3> rows{&pelvis_, &cage_, &head_};
  const std::array<double, 3> share{1 - loins.value, loins.value - neck.value, neck.value};
  const std::array<double, 3> slope{-loins.slope, loins.slope - neck.slope, neck.slope};
  Level l{};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const TrunkRow& r = *rows[k];
    const double rise = r.height * y + r.rise, shift = r.lean * y + r.forward;
    l.width += share[k] * r.width, l.widthSlope += slope[k] * r.width;
    l.rise += share[k] * rise, l.riseSlope += slope[k] * rise + share[k] * r.height;
    l.depth += share[k] * r.depth, l.depthSlope += slope[k] * r.depth;
    l.shift += share[k] * shift, l.shiftSlope += slope[k] * shift + share[k] * r.lean;
  }
  return l;
}

void FittedMap::requireRising() const {
  constexpr int kSteps = 200;
  for (int i = 0; i <= kSteps; ++i) {
    const double y = loinsLow_ + (neckHigh_ - loinsLow_) * i / kSteps;
    const Level l = levelAt(y);
    if (l.riseSlope >= kLeastRise && l.width > 0 && l.depth > 0) continue;
    throw InputError(
        Diagnostic{.subject = "body",
                   .field = "fit",
                   .message = fmt::format("its trunk folds at a height of {:.2f} m", y),
                   .expected = "pelvis, cage and head in this order, each of a size above 0"});
  }
}

Vec3 FittedMap::trunkAt(const Vec3& p) const {
  const Level l = levelAt(p.y());
  return {l.width * p.x(), l.rise, l.depth * p.z() + l.shift};
}

Mat3 FittedMap::trunkSlope(const Vec3& p) const {
  const Level l = levelAt(p.y());
  Mat3 j = Mat3::Zero();
  j(0, 0) = l.width, j(0, 1) = l.widthSlope * p.x();
  j(1, 1) = l.riseSlope;
  j(2, 1) = l.depthSlope * p.z() + l.shiftSlope, j(2, 2) = l.depth;
  return j;
}

double FittedMap::girdleShare(double x) const {
  return Step(sternal_, joints_.shoulder.x(), std::abs(x)).value;
}

Vec3 FittedMap::operator()(FittedPart part, const Vec3& p) const {
  const Taper& taper = tapers_[static_cast<std::size_t>(part)];
  if (part == FittedPart::Trunk) return trunkAt(taper(p));
  const bool right = p.x() < 0;
  const Vec3 left = taper(right ? mirroredAcross(p) : p);
  Vec3 there;
  if (part == FittedPart::Girdle) {
    there = trunkAt(left) + girdleShare(left.x()) * girdle_;
  } else {
    const Limb& limb = limbs_[static_cast<std::size_t>(part)];
    there = limb.linear * left + limb.offset;
  }
  return right ? mirroredAcross(there) : there;
}

Mat3 FittedMap::jacobian(FittedPart part, const Vec3& p) const {
  const Taper& taper = tapers_[static_cast<std::size_t>(part)];
  if (part == FittedPart::Trunk) return trunkSlope(taper(p)) * taper.jacobian(p);
  const bool right = p.x() < 0;
  const Vec3 before = right ? mirroredAcross(p) : p, left = taper(before);
  Mat3 j;
  if (part == FittedPart::Girdle) {
    j = trunkSlope(left);
    j.col(0) += Step(sternal_, joints_.shoulder.x(), left.x()).slope * girdle_;
  } else {
    j = limbs_[static_cast<std::size_t>(part)].linear;
  }
  j = j * taper.jacobian(before);
  if (!right) return j;
  const Vec3 across(-1, 1, 1);
  return across.asDiagonal() * j * across.asDiagonal();
}

Vec3 FittedMap::toPerson(const Vec3& p) const {
  // Heights rise throughout: Newton, held between ends that close in.
  const auto rise = [&](double y) { return levelAt(y).rise - p.y(); };
  double low = -kFarAway, high = kFarAway;
  double y = (p.y() - cage_.rise) / cage_.height;
  for (int i = 0; i < 60; ++i) {
    const double off = rise(y);
    (off < 0 ? low : high) = y;
    if (std::abs(off) < kInverseEnd) break;
    double next = y - off / levelAt(y).riseSlope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == y) break;
    y = next;
  }
  const Level l = levelAt(y);
  return {p.x() / l.width, y, (p.z() - l.shift) / l.depth};
}

FittedPart FittedMap::partAt(const Vec3& p) const {
  const LimbJoints& j = joints_;
  const double arm = j.shoulder.y() - j.wrist.y();
  const double line = j.shoulder.x() + kFittedArmLine * (j.wrist.x() - j.shoulder.x()) *
                                           (j.shoulder.y() - p.y()) / arm;
  if (std::abs(p.x()) > line && p.y() > j.wrist.y() - kFittedHand * arm)
    return p.y() > j.elbow.y()   ? FittedPart::UpperArm
           : p.y() > j.wrist.y() ? FittedPart::Forearm
                                 : FittedPart::Hand;
  if (p.y() > j.hip.y()) return FittedPart::Trunk;
  return p.y() > j.knee.y()    ? FittedPart::Thigh
         : p.y() > j.ankle.y() ? FittedPart::Shank
                               : FittedPart::Foot;
}

RadialTable FittedMap::operator()(const RadialTable& person) const {
  return internal::carriedTable(
      person, [&](const Vec3& p) { return trunkAt(p); }, [&](const Vec3& p) { return toPerson(p); },
      [&](double y) { return levelAt(y).rise; });
}

double FittedMap::cageSize() const {
  return std::cbrt(cage_.width * cage_.height * cage_.depth);
}

std::optional<FittedMap> fittedMapOf(const Body& measured, const Person& person) {
  const std::optional<FittedShapes> shapes = fittedShapes(measured);
  if (!shapes) return std::nullopt;
  requireFittedPerson(*shapes, person);
  return FittedMap(fitToPerson(withoutFit(measured), person), *shapes);
}

}  // namespace pneuma::anatomy
