#include "pneuma/anatomy/person_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/person/carried_table.h"
#include "pneuma/anatomy/growth.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

/// Female relative to male at equal height [ANSUR II, see proportionsOf].
constexpr double kHighLateral = 0.948, kLowLateral = 1.070, kFrontal = 0.966;
/// A child of six against the measured man at equal height: biacromial and bicristal breadth
/// (recalled: 0.226 and 0.161 of the stature against 0.237 and 0.157).
constexpr double kChildHigh = 0.953, kChildLow = 1.03, kChildFrontal = 1;
/// Bounds of q: beyond them something else than lungs is wrong.
constexpr double kLeastThorax = 0.6, kMostThorax = 1.6;
/// Where a body names no such points: parts of the subject's height, as on the measured man.
constexpr double kPromontory = 0.562, kTwelfthThoracic = 0.671, kRibs = 0.63, kThirdRib = 0.776,
                 kAcromion = 0.826, kShoulder = 0.808, kShoulderWidth = 0.098, kWrist = 0.5,
                 kWristWidth = 0.154;
/// The head in parts of the subject's height: from the neck to the chin, and from nose to brow.
constexpr double kNeck = 0.842, kChin = 0.872, kNose = 0.905, kBrow = 0.955;
/// The line between trunk and arm falls from the shoulder joint at this part of the arm's own
/// slope.
constexpr double kArmLine = 0.65;
constexpr double kHand = 0.4;  ///< how far the hand reaches below the wrist, in lengths of the arm

/// Arms of heavy people hang further out by this for each unit of the body mass index above 25: 9
/// degrees at 38, which makes room for the fat of arm and side. A choice, not a measurement.
constexpr double kHang = 0.0115, kHangIndex = 25;  // [rad], [kg/m^2]

double hangOf(const Person& p) {
  return kHang * std::max(0.0, p.mass / (p.height * p.height) - kHangIndex);
}

/// Named points of a body with a fallback.
class Marks {
 public:
  explicit Marks(const Body& body) : points_(body, findings_) {}
  Vec3 point(const std::string& name, const Vec3& otherwise) const {
    const Result<BodyPoint> p = points_.find(name);
    return p ? p->position : otherwise;
  }
  double height(const std::string& name, double otherwise) const {
    return point(name, Vec3(0, otherwise, 0)).y();
  }

 private:
  std::vector<Diagnostic> findings_;
  PointTable points_;
};

}  // namespace

Proportions proportionsOf(const Person& person, const Person& subject) {
  const auto bySex = [&](double female) {
    if (person.sex == subject.sex) return 1.0;
    return person.sex == Sex::Female ? female : 1 / female;
  };
  const Growth growth = growthOf(person.sex, person.age);
  const auto byAge = [&](double child, double adult) {
    return growth.maturity == 1 ? adult : child + growth.maturity * (adult - child);
  };
  Proportions p;
  p.global = person.height / subject.height;
  p.spineRatio = person.spineRatio.value_or(growth.legs);
  p.highLateral = person.highLateralScale.value_or(byAge(kChildHigh, bySex(kHighLateral)));
  p.lowLateral = person.lowLateralScale.value_or(byAge(kChildLow, bySex(kLowLateral)));
  p.frontal = person.frontalScale.value_or(byAge(kChildFrontal, bySex(kFrontal)));
  p.arms = growth.arms;
  p.cranium = growth.cranium, p.faceHeight = growth.faceHeight, p.faceBreadth = growth.faceBreadth;
  p.grown = p.arms == 1 && p.cranium == 1 && p.faceHeight == 1 && p.faceBreadth == 1;
  return p;
}

MapBranch branchOf(const Bone& bone) {
  const bool girdle = bone.name.starts_with("clavicle") || bone.name.starts_with("scapula");
  return bone.region == BodyRegion::Arm && !girdle ? MapBranch::Arm : MapBranch::Trunk;
}

MapBranch skinBranch(const std::string& piece) {
  const bool arm = piece.starts_with("skin_arm") || piece.starts_with("skin_hand");
  return arm ? MapBranch::Arm : MapBranch::Trunk;
}

// --- profiles over the height ------------------------------------------------------------------

double PersonMap::Ramp::value(double y) const {
  const double u = std::clamp((y - low) / (high - low), 0.0, 1.0);
  return u * u * (3 - 2 * u);
}

double PersonMap::Ramp::slope(double y) const {
  const double u = std::clamp((y - low) / (high - low), 0.0, 1.0);
  return 6 * u * (1 - u) / (high - low);
}

double PersonMap::Ramp::integral(double y) const {
  const double u = (y - low) / (high - low);
  if (u <= 0) return 0;
  if (u >= 1) return y - 0.5 * (low + high);
  return (high - low) * u * u * u * (1 - 0.5 * u);
}

double PersonMap::weightSlope(double y) const {
  return ribs_.slope(y) * (1 - neck_.value(y)) - ribs_.value(y) * neck_.slope(y);
}

double PersonMap::widthAt(double y) const {
  const Proportions& p = proportions_;
  const double body = p.global * (p.lowLateral + (p.highLateral - p.lowLateral) * loins_.value(y)) *
                      (1 + (thorax_ - 1) * weight(y));
  return p.grown ? body : body * headAt(y, faceWide_, craniumWide_);
}

double PersonMap::widthSlope(double y) const {
  const Proportions& p = proportions_;
  const double change = p.highLateral - p.lowLateral;
  const double slope =
      p.global * (change * loins_.slope(y) * (1 + (thorax_ - 1) * weight(y)) +
                  (p.lowLateral + change * loins_.value(y)) * (thorax_ - 1) * weightSlope(y));
  if (p.grown) return slope;
  const double head = headAt(y, faceWide_, craniumWide_);
  return slope * head + widthAt(y) / head * headSlope(y, faceWide_, craniumWide_);
}

double PersonMap::depthAt(double y) const {
  const double body = proportions_.global * proportions_.frontal * (1 + (thorax_ - 1) * weight(y));
  return proportions_.grown ? body : body * headAt(y, faceDeep_, craniumDeep_);
}

double PersonMap::depthSlope(double y) const {
  const double slope = proportions_.global * proportions_.frontal * (thorax_ - 1) * weightSlope(y);
  if (proportions_.grown) return slope;
  const double head = headAt(y, faceDeep_, craniumDeep_);
  return slope * head + depthAt(y) / head * headSlope(y, faceDeep_, craniumDeep_);
}

double PersonMap::heightOf(double y) const {
  const double body = lowRise_ * y + (highRise_ - lowRise_) * loins_.integral(y);
  if (proportions_.grown) return body;
  return body + (faceRise_ - highRise_) * chin_.integral(y) +
         (craniumRise_ - faceRise_) * brow_.integral(y);
}

double PersonMap::heightSlope(double y) const {
  const double body = lowRise_ + (highRise_ - lowRise_) * loins_.value(y);
  if (proportions_.grown) return body;
  return body + (faceRise_ - highRise_) * chin_.value(y) +
         (craniumRise_ - faceRise_) * brow_.value(y);
}

double PersonMap::subjectHeight(double y) const {
  if (!proportions_.grown) {
    // Newton on a rising function whose slope changes by less than a half: no step is too long.
    double s = y / proportions_.global;
    for (int i = 0; i < 40; ++i) {
      const double step = (heightOf(s) - y) / heightSlope(s);
      s -= step;
      if (std::abs(step) < 1e-16) break;
    }
    return s;
  }
  if (highRise_ == lowRise_ || y <= lowRise_ * loins_.low) return y / lowRise_;
  const double top = heightOf(loins_.high);
  if (y >= top) return loins_.high + (y - top) / highRise_;
  // Newton on a rising function between two straight lines; 1e-15 after a few steps.
  double s = loins_.low + (y - heightOf(loins_.low)) / (0.5 * (lowRise_ + highRise_));
  for (int i = 0; i < 12; ++i) s -= (heightOf(s) - y) / heightSlope(s);
  return s;
}

// --- the map -------------------------------------------------------------------------------------

PersonMap::PersonMap(const Body& body, const Person& person)
    : proportions_(proportionsOf(person, body.subject)) {
  readLandmarks(body);
  const Proportions& p = proportions_;
  const double height = body.subject.height;
  lowRise_ = p.spineRatio * p.global;
  // What is left of the height above the promontory; with the subject's own ratio exactly g.
  highRise_ = p.spineRatio == 1
                  ? p.global
                  : lowRise_ + height * (p.global - lowRise_) / loins_.integral(height);
  faceRise_ = craniumRise_ = armRise_ = highRise_;
  if (!p.grown) growHead(body.subject, person);
  hang_ = hangOf(person) - hangOf(body.subject);
  fitLungs(body, person);
  shoulderPerson_ = (*this)(MapBranch::Trunk, shoulder_);
}

void PersonMap::growHead(const Person& subject, const Person& person) {
  const Proportions& p = proportions_;
  Person adult = person;
  adult.age = subject.age;
  const Proportions grown = proportionsOf(adult, subject);
  // The head has the breadth of an adult of that sex, not of the child's shoulders.
  const double wide = grown.highLateral / p.highLateral, deep = grown.frontal / p.frontal;
  faceWide_ = p.faceBreadth * wide, craniumWide_ = p.cranium * wide;
  faceDeep_ = p.faceBreadth * deep, craniumDeep_ = p.cranium * deep;
  faceRise_ = p.global * p.faceHeight, craniumRise_ = p.global * p.cranium;
  armRise_ = p.global * p.arms;
  // What is left of the height between loins and chin.
  const double h = subject.height, loins = loins_.integral(h), chin = chin_.integral(h),
               brow = brow_.integral(h);
  highRise_ =
      (p.global * h - lowRise_ * (h - loins) - faceRise_ * (chin - brow) - craniumRise_ * brow) /
      (loins - chin);
}

void PersonMap::readLandmarks(const Body& body) {
  const Marks marks(body);
  const double h = body.subject.height;
  const Vec3 origin = marks.point("sacrum:promontory", Vec3(0, kPromontory * h, 0));
  loins_ = {origin.y(), marks.height("vertebra_t12:body_center", kTwelfthThoracic * h)};
  ribs_ = {origin.y(), marks.height("rib_10_l:centreline@1", kRibs * h)};
  neck_ = {marks.height("costal_cartilage_03_l:sternal", kThirdRib * h),
           marks.height("clavicle_l:acromial_end", kAcromion * h)};
  shoulder_ = marks.point("humerus_l:head_center", Vec3(kShoulderWidth * h, kShoulder * h, 0));
  wrist_ = marks.point("hand_l:wrist_center", Vec3(kWristWidth * h, kWrist * h, 0));
  chin_ = {kNeck * h, kChin * h};
  brow_ = {kNose * h, kBrow * h};
  axis_ = body.trunk.wall.empty() ? 0 : body.trunk.wall.center.z();
}

void PersonMap::fitLungs(const Body& body, const Person& person) {
  if (body.trunk.empty()) return;
  const TrunkAnatomy subject = trunkAnatomy(body);
  const LungTargets targets = lungTargets(person, body.subject);
  // The cavity is nearly quadratic in the width: each correction leaves a tenth of the error.
  for (int pass = 0; pass < 16; ++pass) {
    const double ratio = targets.cage / thoracicCavity((*this)(subject));
    thorax_ *= std::sqrt(ratio);
    if (!(thorax_ >= kLeastThorax && thorax_ <= kMostThorax))
      throw InputError(Diagnostic{
          .where = body.where.position(),
          .subject = "person",
          .message =
              fmt::format("lungs of {:.2f} l at rest do not fit this cage", 1e3 * targets.cage),
          .expected = "height, ratios and resting_lung of one person"});
    if (std::abs(ratio - 1) < 1e-13) break;
  }
  // The dome rises where the cavity is to be smaller: secant steps.
  TrunkAnatomy fitted = (*this)(subject);
  const std::vector<double> radii = fitted.dome.radii;
  const auto excess = [&](double scale) {
    for (std::size_t i = 0; i < radii.size(); ++i) fitted.dome.radii[i] = scale * radii[i];
    return thoracicCavity(fitted) / targets.rest - 1;
  };
  double s0 = 1, e0 = excess(s0), s1 = 1 + 0.3 * e0, e1 = excess(s1);
  for (int pass = 0; pass < 30 && std::abs(e1) > 1e-12 && e1 != e0; ++pass) {
    const double next = std::clamp(s1 - e1 * (s1 - s0) / (e1 - e0), 0.5, 1.8);
    s0 = s1, e0 = e1;
    s1 = next, e1 = excess(s1);
  }
  dome_ = s1;
}

Vec3 PersonMap::operator()(MapBranch branch, const Vec3& p) const {
  const Proportions& q = proportions_;
  if (branch == MapBranch::Arm) {
    const double out = q.global * q.highLateral * (std::abs(p.x()) - shoulder_.x());
    const double up = armRise_ * (p.y() - shoulder_.y());
    const double c = std::cos(hang_), s = std::sin(hang_);
    return {std::copysign(1.0, p.x()) * (shoulderPerson_.x() + c * out - s * up),
            shoulderPerson_.y() + s * out + c * up,
            shoulderPerson_.z() + q.global * q.frontal * (p.z() - shoulder_.z())};
  }
  return {widthAt(p.y()) * p.x(), heightOf(p.y()),
          q.global * q.frontal * axis_ + depthAt(p.y()) * (p.z() - axis_)};
}

Vec3 PersonMap::toSubject(MapBranch branch, const Vec3& p) const {
  const Proportions& q = proportions_;
  if (branch == MapBranch::Arm) {
    const double x = std::abs(p.x()) - shoulderPerson_.x(), y = p.y() - shoulderPerson_.y();
    const double c = std::cos(hang_), s = std::sin(hang_);
    const double out = (c * x + s * y) / (q.global * q.highLateral);
    return {std::copysign(1.0, p.x()) * (shoulder_.x() + out),
            shoulder_.y() + (c * y - s * x) / armRise_,
            shoulder_.z() + (p.z() - shoulderPerson_.z()) / (q.global * q.frontal)};
  }
  const double y = subjectHeight(p.y());
  return {p.x() / widthAt(y), y, axis_ + (p.z() - q.global * q.frontal * axis_) / depthAt(y)};
}

MapBranch PersonMap::branchAt(const Vec3& p) const {
  const double arm = shoulder_.y() - wrist_.y();
  const double line =
      shoulder_.x() + kArmLine * (wrist_.x() - shoulder_.x()) * (shoulder_.y() - p.y()) / arm;
  const bool reached = p.y() > wrist_.y() - kHand * arm;
  return reached && std::abs(p.x()) > line ? MapBranch::Arm : MapBranch::Trunk;
}

Mat3 PersonMap::jacobian(MapBranch branch, const Vec3& p) const {
  const Proportions& q = proportions_;
  Mat3 j = Mat3::Zero();
  if (branch == MapBranch::Arm) {
    const double side = std::copysign(1.0, p.x()), c = std::cos(hang_), n = std::sin(hang_);
    j.diagonal() << c * q.global * q.highLateral, c * armRise_, q.global * q.frontal;
    j(0, 1) = -side * n * armRise_;
    j(1, 0) = side * n * q.global * q.highLateral;
    return j;
  }
  j(0, 0) = widthAt(p.y());
  j(0, 1) = widthSlope(p.y()) * p.x();
  j(1, 1) = heightSlope(p.y());
  j(2, 1) = depthSlope(p.y()) * (p.z() - axis_);
  j(2, 2) = depthAt(p.y());
  return j;
}

Box PersonMap::toSubject(MapBranch branch, const Box& person) const {
  const int levels = proportions_.grown ? 4 : 16;  // widths change smoothly with the height
  Box box;
  for (int level = 0; level <= levels; ++level)
    for (int corner = 0; corner < 4; ++corner) {
      const double t = static_cast<double>(level) / levels;
      box.add(toSubject(branch, Vec3(corner & 1 ? person.max.x() : person.min.x(),
                                     (1 - t) * person.min.y() + t * person.max.y(),
                                     corner & 2 ? person.max.z() : person.min.z())));
    }
  return box;
}

RadialTable PersonMap::operator()(const RadialTable& subject) const {
  return internal::carriedTable(
      subject, [&](const Vec3& p) { return (*this)(MapBranch::Trunk, p); },
      [&](const Vec3& p) { return toSubject(MapBranch::Trunk, p); },
      [&](double y) { return heightOf(y); });
}

TrunkAnatomy PersonMap::operator()(const TrunkAnatomy& subject) const {
  TrunkAnatomy a = subject;
  const auto move = [&](Vec3& p) { p = (*this)(MapBranch::Trunk, p); };
  const auto rib = [&](RibAnatomy& r) {
    r.neckAxis = (jacobian(MapBranch::Trunk, r.head) * r.neckAxis).normalized();
    for (Vec3* p : {&r.head, &r.cartilageOnRib, &r.cartilageOnSternum}) move(*p);
    for (Vec3& p : r.centerline) move(p);
    r.radius *= proportions_.global;
  };
  for (RibAnatomy& r : a.ribs) rib(r);
  for (RibAnatomy& r : a.floatingRibs) rib(r);
  for (Vec3& p : a.vertebrae) move(p);
  for (Vec3* p : {&a.jugularNotch, &a.manubriosternal, &a.xiphisternal, &a.xiphoidTip,
                  &a.marginJoin, &a.pubicCrest, &a.iliacSpine, &a.iliacTubercle, &a.iliacCrest,
                  &a.promontory, &a.sternoclavicular, &a.acromioclavicular})
    move(*p);
  for (Vec3* p : {&a.shoulder, &a.elbow, &a.wrist}) *p = (*this)(MapBranch::Arm, *p);
  a.dome = (*this)(subject.dome);
  for (double& r : a.dome.radii) r *= dome_;
  a.wall = (*this)(subject.wall);
  a.trunk = (*this)(subject.trunk);
  a.height *= proportions_.global;
  return a;
}

}  // namespace pneuma::anatomy
