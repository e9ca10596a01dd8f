#include "anatomy/skin/skin_person.h"

#include <algorithm>
#include <cmath>

#include "anatomy/person/fit_shape.h"
#include "anatomy/shape/smooth_step.h"
#include "pneuma/anatomy/growth.h"

namespace pneuma::anatomy::internal {
namespace {

double bump(double v, double center, double width) {
  const double u = (v - center) / width;
  return std::exp(-u * u);
}

/// A soft mound, turned about the vertical (subject's frame).
ShapePart mound(const Vec3& center, const Vec3& radii, double tilt) {
  ShapePart p;
  p.kind = ShapeKind::Ellipsoid;
  p.center = center;
  p.radii = radii;
  p.rotation = Eigen::AngleAxisd(tilt, Vec3::UnitY()).toRotationMatrix();
  p.blend = 0.03;
  return p;
}

double trunkFat(const Vec3& p, bool female, double heavy) {
  // Belly and flanks of men, hips of women; of heavy women all around the waist too.
  const double front = smoothStep(0.04, 0.15, p.z()), y = p.y();
  const double belly = bump(y, 1.03, 0.1) * front, hips = bump(y, 0.88, 0.1);
  const double flank = bump(y, 1.01, 0.08) * (1 - front);
  const double chest = bump(y, 1.25, 0.07) * front;
  // Above the xiphoid less is laid on than over the belly.
  const double high = 0.2 * smoothStep(1.15, 1.24, y) +
                      (female ? 0.2 * heavy * front * smoothStep(1.24, 1.31, y) : 0.0);
  const double waist = heavy * (bump(y, 1.10, 0.1) + 0.6 * belly - 0.4 * hips);
  return (female ? 0.65 + 0.6 * belly + 0.8 * hips + 0.2 * flank + 0.2 * chest + 0.5 * waist
                 : 0.7 + 1.4 * belly + 0.35 * hips + 0.5 * flank + 0.2 * chest) -
         high;
}

double legFat(double y, bool female) {
  const double thigh = smoothStep(0.4, 0.62, y), ankle = smoothStep(0.06, 0.2, y);
  return (female ? 0.4 + 0.85 * thigh : 0.3 + 0.5 * thigh) * ankle + 0.12 * (1 - ankle);
}

double armFat(double y, bool female) {
  const double upper = smoothStep(0.98, 1.15, y), wrist = smoothStep(0.8, 0.9, y);
  // Over the shoulder and beside the armpit lies less than on the arm below.
  const double shoulder = smoothStep(1.14, 1.24, y);
  return (female ? 0.3 + 0.45 * upper : 0.25 + 0.35 * upper) * (1 - 0.45 * shoulder) * wrist +
         0.1 * (1 - wrist);
}

}  // namespace

SkinBranch branchOf(const std::string& piece) {
  if (piece.starts_with("skin_leg") || piece.starts_with("skin_foot")) return SkinBranch::Leg;
  return isArmPiece(piece) ? SkinBranch::Upper : SkinBranch::Trunk;
}

bool isArmPiece(const std::string& piece) {
  return skinBranch(piece) == MapBranch::Arm;
}

bool isArmPlace(const Vec3& p) {
  // A line in the gap between the flank (145 mm off the mid-plane at the waist, hips 168) and the
  // inner side of the hanging arm (160 mm below the armpit, 170 at the elbow, 200 below it).
  return p.y() > 0.6 && std::abs(p.x()) > 0.165 + 0.04 * (1.3 - p.y());
}

Vec3 SkinMap::scaleAt(SkinBranch branch, double y) const {
  const Mat3 j = map_.jacobian(on(branch), Vec3(0, y, 0));
  return on(branch) == MapBranch::Arm ? Vec3(j.colwise().norm()) : Vec3(j.diagonal());
}

ShapePart SkinMap::movedPart(const ShapePart& part) const {
  return fitPart(part, map_, isArmPlace(part.center) ? MapBranch::Arm : MapBranch::Trunk);
}

Vec3 femaleToMale(const Vec3& p) {
  const double y = p.y();
  const double neck = smoothStep(1.36, 1.4, y) * (1 - smoothStep(1.44, 1.5, y));
  const double wider = -0.075 * bump(y, 1.09, 0.075) + 0.05 * bump(y, 0.84, 0.1) - 0.11 * neck -
                       0.05 * bump(y, 1.3, 0.07);
  // About the line through the middle of the trunk.
  const double middle = 0.09;
  const bool back = p.z() < middle;
  const double deeper = -0.09 * neck - 0.05 * bump(y, 1.31, 0.08) - 0.03 * bump(y, 1.1, 0.07) +
                        (back ? 0.05 * bump(y, 0.85, 0.07) : 0.0);
  return {p.x() / (1 + wider), y, middle + (p.z() - middle) / (1 + deeper)};
}

double femaleArm(double y) {
  const double elbow = bump(y, 1.075, 0.06);  // bone lies under the skin there
  return 0.0045 * smoothStep(0.84, 1.0, y) * (1 - 0.6 * smoothStep(1.25, 1.33, y)) *
         (1 - 0.8 * elbow);
}

double leanWeight(const Vec3& p, bool arm, double thin) {
  const double y = p.y();
  if (arm) {
    const double wrist = smoothStep(0.8, 0.9, y);
    // Over elbow and acromion there is next to nothing that could be lacking.
    const double bony = (1 - 0.75 * bump(y, 1.075, 0.05)) * (1 - 0.7 * smoothStep(1.27, 1.35, y));
    // The layer of the thin is thinner by a fifth, for what they keep on the trunk (below).
    return (1 - 0.2 * thin) *
           ((0.35 + 0.3 * smoothStep(0.98, 1.15, y)) * bony * wrist + 0.08 * (1 - wrist));
  }
  const double ankle = smoothStep(0.06, 0.2, y), thigh = smoothStep(0.4, 0.62, y);
  const double leg = (0.45 + 0.45 * thigh) * ankle + 0.1 * (1 - ankle);
  // Over the ribs the subject himself has little; chest and shoulder blades carry muscle.
  const double ribs = smoothStep(1.0, 1.1, y), shoulder = smoothStep(1.2, 1.28, y);
  const double girdle = smoothStep(0.1, 0.14, std::abs(p.x())) * smoothStep(1.27, 1.35, y);
  // Of the thin, what still lies over hip bone, rib ends and collar bones rounds them.
  const double front = smoothStep(0.06, 0.12, p.z());
  const double crest = bump(y, 0.935, 0.055) * smoothStep(0.06, 0.1, std::abs(p.x()));
  const double rim = bump(y, 1.055, 0.05) * smoothStep(0.04, 0.08, std::abs(p.x()));
  const double collar = bump(y, 1.355, 0.035);
  const double trunk = (0.85 - 0.6 * ribs + 0.25 * shoulder) * (1 - 0.6 * girdle) *
                       (1 - thin * front * (0.75 * crest + 0.5 * rim + 0.5 * collar));
  const double neck = smoothStep(1.34, 1.4, y), head = smoothStep(1.42, 1.5, y);
  const double groin =
      (1 - smoothStep(0.02, 0.06, std::abs(p.x()))) * (1 - smoothStep(0.74, 0.84, y));
  const double low = leg + smoothStep(0.78, 0.92, y) * (trunk - leg);
  return (1 - 0.9 * groin) * (low + neck * (0.35 - low) - 0.29 * head);
}

double heaviness(const Person& person) {
  return smoothStep(25, 34, person.mass / (person.height * person.height));
}

double thinness(const Person& person) {
  return 1 - smoothStep(18.5, 20.5, person.mass / (person.height * person.height));
}

double fatWeight(const Vec3& p, Sex sex, bool arm, double heavy) {
  const bool female = sex == Sex::Female;
  const double y = p.y();
  if (arm) return armFat(y, female);
  const double neck = 0.5 - 0.3 * heavy, head = neck - (neck - 0.12) * smoothStep(1.42, 1.5, y);
  const double toLeg = 1 - smoothStep(0.78, 0.92, y), toHead = smoothStep(1.34, 1.43, y);
  // Towards the shoulder the trunk has no more fat than the arm it joins.
  const double shoulder = smoothStep(0.11, 0.16, std::abs(p.x())) * smoothStep(1.2, 1.3, y);
  const double trunk = trunkFat(p, female, heavy);
  const double upper = trunk + shoulder * (armFat(y, female) - trunk);
  // Arms and hands hang beside the trunk and thighs: there is less room at the sides, and none
  // between the thighs.
  const double side = smoothStep(0.1, 0.18, std::abs(p.x())) * (1 - smoothStep(1.2, 1.3, y)) *
                      smoothStep(0.45, 0.65, y);
  const double groin =
      (1 - smoothStep(0.02, 0.06, std::abs(p.x()))) * (1 - smoothStep(0.74, 0.84, y));
  // Heavy breasts do not touch: the skin between them could not be told from theirs.
  const double cleft = female ? heavy * bump(y, 1.2, 0.05) * smoothStep(0.09, 0.13, p.z()) *
                                    (1 - smoothStep(0.008, 0.07, std::abs(p.x())))
                              : 0.0;
  const double least = female ? 0.5 - 0.3 * heavy * bump(y, 1.12, 0.09) : 0.5;
  return (1 - 0.9 * groin) * (1 - least * side) * (1 - 0.75 * cleft) *
         ((1 - toLeg) * ((1 - toHead) * upper + toHead * head) + toLeg * legFat(y, female));
}

// The mounds were set by eye on an adult of 57 kg. Their volume grows by 6 % per unit of the body
// mass index, the lower one sinks by 0.4 mm a year from 25 on and with its size: choices, in the
// sense that studies agree on, as is how much lower those of heavy people hang. They grow with the
// rest of puberty (growth.h).
Breasts breastsOf(const Person& person) {
  if (person.sex != Sex::Female) return {};
  const double index = person.mass / (person.height * person.height);
  const double maturity = growthOf(person.sex, person.age).maturity;
  const double size = std::cbrt(std::clamp(1 + 0.06 * (index - 21), 0.55, 2.2));
  const double sinks = std::clamp(0.0004 * (person.age - 25), 0.0, 0.02) +
                       0.04 * std::max(0.0, size - 1) + 0.009 * heaviness(person);
  constexpr double kTurn = 0.3;  // away from the mid-plane [rad]
  Breasts b;
  b.mounds.symmetric = true;
  b.forwards = Vec3(std::sin(kTurn), -4 * sinks, std::cos(kTurn)).normalized();
  const Vec3 root(0.08, 1.225, 0.16), upper(0.078, 1.228 - 0.4 * sinks, 0.178),
      lower(0.083, 1.212 - sinks, 0.206);
  const auto grown = [&](const Vec3& c, double by) -> Vec3 { return root + by * (c - root); };
  // Below a tenth of their volume they are lost in the chest.
  constexpr double kSeen = 0.1;
  if (const double now = std::cbrt(maturity) * size; maturity > kSeen)
    b.mounds.parts = {mound(grown(upper, now), now * Vec3(0.058, 0.062, 0.05), kTurn),
                      mound(grown(lower, now), now * Vec3(0.046, 0.045, 0.037), kTurn)};
  b.nipple = grown(lower, size) + size * 0.037 * b.forwards;
  return b;
}

double overBreast(const Vec3& p) {
  const double r = std::hypot(std::abs(p.x()) - 0.083, p.y() - 1.215) / 0.075;
  return (1 - smoothStep(0.8, 1.25, r)) * smoothStep(0.09, 0.13, p.z());
}

}  // namespace pneuma::anatomy::internal

namespace pneuma::anatomy {

double skinVolume(const Person& person) {
  return person.mass / tissueDensity(person) + lungVolumes(person).functionalResidual;
}

SkinModel skinModelOf(const Body& body) {
  SkinModel model;
  const auto copyLeft = [](const std::vector<Shape>& from, std::vector<Shape>& to) {
    for (const Shape& s : from)
      if (!s.bone.ends_with("_r")) to.push_back(s);
  };
  copyLeft(body.skinEnvelope, model.envelope);
  copyLeft(body.muscleSolids, model.muscles);
  if (model.envelope.empty())
    throw InputError(Diagnostic{.where = body.where.position(),
                                .subject = "body",
                                .field = "skin_envelope",
                                .message = "this body has no measured skin",
                                .expected = "pieces of skin, as in body/measured/skin.toml"});
  return model;
}

}  // namespace pneuma::anatomy
