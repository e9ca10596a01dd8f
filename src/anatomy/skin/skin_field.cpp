#include "anatomy/skin/skin_field.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr SkinBranch kOnBody = SkinBranch::Trunk, kOnArm = SkinBranch::Upper;

constexpr double kMostFat = 2.4;          ///< largest share of the layer
constexpr double kSkinOverBone = 0.0035;  ///< [m]
/// Over ribs, cartilages and sternum a little more: what chords of coarse triangles cut off there
/// must leave 2 mm on a body that breathes [m].
constexpr double kSkinOverCage = 0.005;
constexpr double kBoneBlend = 0.006;
constexpr double kShoulderBlend = 0.011;  ///< where the arm joins the trunk [m]
/// Surfaces of arm and trunk whose normals are this far apart (1 - cosine) are rounded in full.
constexpr double kAthwart = 0.5;
constexpr double kContactGap = 0.008;  ///< between surfaces that touch [m]
/// Up to this height of the subject arm and trunk stay apart; above, the trunk makes way for the
/// arm less and less and closes the hollow [m]. Over a longer way the two, which touch there in
/// places, would grow together in a ragged web.
constexpr double kArmpit = 1.24, kArmpitDome = 0.03;
constexpr double kArmpitGap = 0.008;  ///< more between them in the hollow [m]
constexpr double kGivesWay = 0.06;    ///< how deep the arm lies in the trunk where they are one [m]
constexpr double kContactBlend = 0.006;  ///< of the trunk's surface into where it makes way [m]
constexpr double kThighBlend = 0.016;    ///< of thighs into the plane they touch in [m]
constexpr double kSharpBlend = 0.001;    ///< where surfaces only touch [m]
constexpr double kArmSinks = 0.014;      ///< the arm's inner end, below the trunk's surface [m]
/// The hanging arm meets the side of the trunk in this depth of the subject, give or take half of
/// this; in front of that and behind, flaps of the arm's piece lie on chest and shoulder blade [m].
constexpr double kArmDepth = 0.067, kContactHalf = 0.04, kFlapRamp = 0.03;
/// Between these distances from the mid-plane the arm's piece changes over from the trunk's map to
/// the arm's, above this height [m].
constexpr double kFlapInner = 0.12, kFlapOuter = 0.185, kFlapLow = 1.2;
/// Fat on face, hands and feet nears this and no more, or fingers, toes and lips would grow
/// together [m].
constexpr double kMostDetailFat = 0.0025;
/// Deeper inside, or farther outside the layer, the smoothed distance says enough [m].
constexpr double kDeep = 0.03;
/// No relief is higher or deeper [m]; under fat of this thickness half of it is left.
constexpr double kMostRelief = 0.014, kReliefHalf = 0.03;
/// How softly a breast grows out of the chest above, and over the fold below [m].
constexpr double kBreastBlend = 0.038, kBreastFold = 0.012;
/// The nipple of the measured man, as in skin_marks.toml [m].
const Vec3 kMansNipple(0.106, 1.231, 0.206);
constexpr double kProbe = 0.0005;  ///< half width of the differences of a gradient [m]
constexpr int kDrawSteps = 6;
constexpr double kOnSurface = 2e-6;  ///< close enough to the level set [m]
constexpr double kLost = 2e-4;       ///< too far from it [m]

Vec3 gradientOf(const FieldFunction& f, const Vec3& q) {
  Vec3 g;
  for (int a = 0; a < 3; ++a) g[a] = f(q + kProbe * Vec3::Unit(a)) - f(q - kProbe * Vec3::Unit(a));
  return g / (2 * kProbe);
}

}  // namespace

SkinField::SkinField(const SkinTissues& tissues, const SkinMap& map, Sex sex,
                     const GeometryCache& cache)
    : map_(map),
      sex_(sex),
      head_(tissues.head),
      body_(tissues, sex, false, cache),
      arm_(tissues, sex, true, cache),
      bones_(tissues.bones),
      cage_(tissues.cage),
      breasts_(tissues.breasts),
      mounds_(tissues.breasts.mounds) {}

// --- places ----------------------------------------------------------------------------------

SkinField::Place SkinField::placeOn(SkinBranch branch, const Vec3& p) const {
  Vec3 q = map_.toSubject(branch, p);
  const double scale = std::cbrt(map_.scaleAt(branch, q.y()).prod());
  if (branch == kOnArm && !asMeshed_) {
    // The arm's piece reaches onto chest and shoulder blade, which follow the ribs, not the joint:
    // there it goes with the trunk, or it would stick out where a chest is narrow.
    const double flap = (1 - smoothStep(kFlapInner, kFlapOuter, std::abs(q.x()))) *
                        smoothStep(kFlapLow, kArmpit + kArmpitDome, q.y());
    if (flap > 0) q += flap * (map_.toSubject(kOnBody, p) - q);
  }
  return {q, scale};
}

Vec3 SkinField::carried(const Vec3& subject, double armShare) const {
  if (armShare <= 0) return map_.toPerson(kOnBody, subject);
  const Vec3 arm = map_.toPerson(kOnArm, subject);
  return armShare >= 1 ? arm : Vec3(arm + (1 - armShare) * (map_.toPerson(kOnBody, subject) - arm));
}

Vec3 SkinField::onBreast(const Vec3& p) const {
  constexpr double kReach = 0.06;  // [m]
  if (breasts_.mounds.parts.empty()) return p;
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  const double r = (left - kMansNipple).norm() / kReach;
  Vec3 q = left + std::exp(-r * r) * (breasts_.nipple - kMansNipple);
  if (p.x() < 0) q.x() = -q.x();
  return p.x() == 0 ? p : q;
}

Vec3 SkinField::hung(const Vec3& p) const {
  constexpr double kReach = 0.085, kBeside = 0.03;  // [m]
  const double r = (p - breasts_.templateNipple).norm() / kReach;
  return p + std::exp(-r * r) * smoothStep(0.0, kBeside, p.x()) * breasts_.hang;
}

Vec3 SkinField::onHead(const Vec2& place) const {
  const Vec3 measured = head_->point(sex_, place);
  const Vec3 subject = sex_ == Sex::Female ? maleToFemale(measured) : measured;
  const double detail = head_->detail(place);
  const double layer = layerOn(body_, {subject, 1}, body_.detail(subject)) / (detail * detail);
  return map_.toPerson(kOnBody, subject) + layer * head_->outward(sex_, place);
}

Box SkinField::bounds() const {
  Box box;
  for (const SkinBranch branch : {kOnBody, kOnArm}) {
    const Box& b = (branch == kOnBody ? body_ : arm_).bounds();
    for (int level = 0; level <= 8; ++level)
      for (const double z : {b.min.z(), b.max.z()})
        box.add(map_.toPerson(branch, {b.max.x(), b.min.y() + level / 8.0 * b.size().y(), z}));
  }
  box = grown(box, 0.012 + kMostRelief + layer());
  if (!breasts_.mounds.parts.empty())
    box.max.z() =
        std::max(box.max.z(), map_.toPerson(kOnBody, breasts_.nipple).z() + 0.03 + layer());
  box.min.x() = -box.max.x();
  return box;
}

// --- field -----------------------------------------------------------------------------------

double SkinField::layer() const {
  return std::max(kMostFat * fat_, 0.0);
}

double SkinField::lean(const SkinSolid& solid, const Vec3& q) const {
  const double d = solid.smoothed(q);
  if (&solid != &body_ || breasts_.mounds.parts.empty() || d > 0.1) return d;
  const double above = smoothStep(-0.03, 0.02, q.y() - breasts_.nipple.y());
  const double blend = kBreastFold + above * (kBreastBlend - kBreastFold);
  return smoothMinimum(d, mounds_.distance(q), blend).value;
}

double SkinField::relief(const SkinSolid& solid, const Vec3& q, double layer) const {
  return (solid.relief(q) + marks_ * solid.marks(q)) / (1 + std::max(layer, 0.0) / kReliefHalf);
}

double SkinField::layerOn(const SkinSolid& solid, const Place& at) const {
  return fat_ * solid.fat(at.subject, fat_ < 0);
}

double SkinField::layerOn(const SkinSolid& solid, const Place& at, double detail) const {
  const double layer = layerOn(solid, at);
  return detail > 0 && layer > 0 ? layer * (1 - detail + detail / (1 + layer / kMostDetailFat))
                                 : layer;
}

double SkinField::laidOn(const SkinSolid& solid, const FieldFunction& described,
                         const Place& at) const {
  const double s = described ? solid.detail(at.subject) : 0.0;
  double d = s < 1 ? lean(solid, at.subject) - relief(solid, at.subject, layerOn(solid, at)) : 0.0;
  if (s > 0) d = (1 - s) * d + s * described(at.subject);
  return at.scale * d - layerOn(solid, at, s);
}

double SkinField::athwart(const Vec3& onBody, const Vec3& onArm) const {
  const Vec3 a = body_.slope(onBody), b = arm_.slope(onArm);
  const double size = a.norm() * b.norm();
  return size > 0 ? smoothStep(0.0, kAthwart, 1 - a.dot(b) / size) : 1.0;
}

double SkinField::join(double body, double arm, const Vec3& onBody, const Vec3& q) const {
  const double padding = std::max(fat_, 0.0);
  // Where arm and trunk are one: above the armpit, and beside the hanging arm, where flaps of
  // its piece lie on chest and shoulder blade.
  const double beside = std::abs(q.z() - kArmDepth) - kContactHalf - 0.4 * padding;
  const double hanging = 1 - smoothStep(0, kFlapRamp, beside);
  const double apart = hanging * (1 - smoothStep(kArmpit, kArmpit + kArmpitDome, q.y()));
  // Towards its end within the trunk the arm sinks in, so that its edge does not show.
  arm += (kArmSinks + 0.3 * padding) * (1 - apart) * (1 - smoothStep(0.1, 0.145, std::abs(q.x())));
  // Below the armpit the trunk makes way for the arm.
  const double hollow =
      kArmpitGap * smoothStep(1.1, 1.18, q.y()) * kArmpitGap / (kArmpitGap + padding);
  const double gap = kContactGap + hollow - arm - kGivesWay * (1 - apart);
  const double trunk = -smoothMinimum(-body, -gap, kContactBlend + 0.2 * padding).value;
  // Rounded where the two meet at an angle. Where both tell of the same skin (flaps on the chest),
  // a blend would lay a quarter of its width on top: the lump in front of the armpit.
  double blend = (1 - apart) * (kShoulderBlend + 0.4 * padding);
  if (!asMeshed_ && std::abs(trunk - arm) < kSharpBlend + blend) blend *= athwart(onBody, q);
  return smoothMinimum(trunk, arm, kSharpBlend + blend).value;
}

BlockField SkinField::blocks() const {
  return [this](const Box& box, double reach) -> FieldFunction {
    const Vec3 middle = box.center();
    const double size = 0.5 * box.size().norm() + reach;
    const Place onBody = placeOn(kOnBody, middle), onArm = placeOn(kOnArm, middle);
    const double nearest = std::min(onBody.scale * lean(body_, onBody.subject),
                                    onArm.scale * arm_.smoothed(onArm.subject));
    if (nearest > size + layer() + kSkinOverBone + kMostRelief + 0.01) return {};
    FieldFunction bodyAsDescribed, armAsDescribed;
    const Box there = map_.toSubject(kOnBody, box), thereOnArm = map_.toSubject(kOnArm, box);
    // Where the described field counts, the layer has at most half its thickness.
    const double around = reach + 0.5 * std::max(fat_, 0.0) + kSkinOverBone + 0.01;
    if (body_.detail(there.min) + body_.detail(there.max) > 0)
      bodyAsDescribed = body_.described(there, around);
    if (arm_.detail(thereOnArm.min) + arm_.detail(thereOnArm.max) > 0)
      armAsDescribed = arm_.described(thereOnArm, around);
    std::vector<int> bones, cage;
    bones_.collectActive(box, reach + kSkinOverBone + kBoneBlend + kFlatReach, bones);
    cage_.collectActive(box, reach + kSkinOverCage + kBoneBlend + kFlatReach, cage);
    return [this, bodyAsDescribed = std::move(bodyAsDescribed),
            armAsDescribed = std::move(armAsDescribed), bones = std::move(bones),
            cage = std::move(cage)](const Vec3& p) {
      const Place body = placeOn(kOnBody, p), arm = placeOn(kOnArm, p);
      // Thighs that touch, their edges rounded.
      const double gap =
          0.5 * kContactGap - std::abs(p.x()) - 0.03 * smoothStep(0.71, 0.75, body.subject.y());
      const double farBody = body.scale * lean(body_, body.subject) - layerOn(body_, body),
                   farArm = arm.scale * arm_.smoothed(arm.subject) - layerOn(arm_, arm);
      if (farArm < -kDeep || (farBody < -kDeep && farArm > kDeep) ||
          std::min(farBody, farArm) > kDeep)
        return std::max(std::min(farArm, farBody), gap);
      double d = join(laidOn(body_, bodyAsDescribed, body), laidOn(arm_, armAsDescribed, arm),
                      body.subject, arm.subject);
      if (!bones.empty())
        d = smoothMinimum(d, bones_.distanceFromBoxes(p, bones) - kSkinOverBone, kBoneBlend).value;
      if (!cage.empty())
        d = smoothMinimum(d, cage_.distanceFromBoxes(p, cage) - kSkinOverCage, kBoneBlend).value;
      return -smoothMinimum(-d, -gap, kThighBlend).value;
    };
  };
}

Drawn SkinField::draw(const Vec3& p, double most) const {
  Box at;
  at.add(p);
  const FieldFunction f = blocks()(at, most + kProbe);
  if (!f) return {p, Vec3::Zero()};
  Vec3 q = p, direction = Vec3::Zero(), first = Vec3::Zero();
  double slope = 0, value = f(q);
  for (int step = 0; step < kDrawSteps; ++step) {
    // The gradient is taken twice; in between the slope along it follows from the values met.
    if (step == 0 || step == kDrawSteps / 2) {
      direction = gradientOf(f, q);
      if (p.x() == 0) direction.x() = 0;
      slope = direction.norm();
      if (slope < 0.1) return {p, first};
      direction /= slope;
      if (step == 0) first = direction;
    }
    if (std::abs(value) < kOnSurface) break;
    const double move = std::clamp(-value / slope, -0.5 * most, 0.5 * most);
    const Vec3 next = q + move * direction;
    if ((next - p).norm() > most) break;
    const double before = value;
    value = f(next);
    q = next;
    // A flat or bent piece of field: keep the slope within what distances have.
    slope = std::clamp((value - before) / move, 0.4 * slope, 2.5 * slope);
  }
  // Where two surfaces have grown together there is none to be found: the point stays.
  if (std::abs(value) > kLost && direction.dot(first) < 0.5) return {p, first};
  return {q, direction};
}

}  // namespace pneuma::anatomy::internal
