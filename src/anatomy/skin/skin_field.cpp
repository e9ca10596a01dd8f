#include "anatomy/skin/skin_field.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kCell = 0.0045;             ///< of the smoothed distances [m]
constexpr float kBand = 20;                  ///< cells around the surface with true distances
constexpr int kSmoothing = 4;                ///< passes: a standard deviation of 6 mm
constexpr double kMostFat = 2.4;             ///< largest share of the layer
constexpr double kSeamBlend = 0.0025;        ///< where measured pieces overlap [m]
constexpr double kMuscleBlend = 0.006;       ///< [m]
constexpr double kMuscleDepthMale = 0.0015;  ///< muscles show through from this depth on [m]
constexpr double kMuscleDepthFemale = 0.005;
constexpr double kSkinOverBone = 0.0025;  ///< [m]
constexpr double kBoneBlend = 0.006;
/// Fields of flat parts are too small beyond their rim: they count this far around them, or the
/// surface would show where blocks meet [m].
constexpr double kFlatReach = 0.03;
constexpr double kShoulderBlend = 0.011;  ///< where the arm joins the trunk [m]
constexpr double kContactGap = 0.008;     ///< between surfaces that touch [m]

constexpr double kProbe = 0.0005;  ///< half width of the differences of a gradient [m]
constexpr int kDrawSteps = 6;
constexpr int kInverseSteps = 12;
constexpr double kOnSurface = 2e-6;  ///< close enough to the level set [m]

Vec3 gradientOf(const FieldFunction& f, const Vec3& q) {
  Vec3 g;
  for (int a = 0; a < 3; ++a) g[a] = f(q + kProbe * Vec3::Unit(a)) - f(q - kProbe * Vec3::Unit(a));
  return g / (2 * kProbe);
}

Box grown(Box box, double by) {
  box.min.array() -= by;
  box.max.array() += by;
  return box;
}

}  // namespace

// --- one solid -------------------------------------------------------------------------------

SkinSolid::SkinSolid(const SkinTissues& tissues, const SkinMap& map, Sex sex, bool arm)
    : map_(map), sex_(sex), arm_(arm), muscles_(arm ? tissues.armMuscles : tissues.bodyMuscles) {
  for (const auto& [name, shape] : tissues.envelope)
    if (isArmPiece(name) == arm) pieces_.push_back({branchOf(name), ShapeField(shape)});
  fillDistances();
}

Vec3 SkinSolid::toSubject(SkinBranch branch, const Vec3& p) const {
  const Vec3 q = map_.toSubject(branch, p);
  return sex_ == Sex::Female && !arm_ ? femaleToMale(q) : q;
}

FieldFunction SkinSolid::described(const Box& box, double reach) const {
  std::vector<std::pair<const Piece*, std::vector<int>>> near;
  std::vector<int> active, m;
  for (const Piece& piece : pieces_) {
    // The woman's envelope is taken from places up to 15 mm beside.
    const Box there = grown(map_.toSubject(piece.branch, grown(box, reach)), 0.015);
    piece.field.collectActive(there, kSeamBlend, active);
    if (!active.empty()) near.emplace_back(&piece, active);
  }
  muscles_.collectActive(box, reach + kMuscleBlend + kFlatReach, m);
  if (near.empty() && m.empty()) return {};
  const double depth = sex_ == Sex::Female ? kMuscleDepthFemale : kMuscleDepthMale;
  const bool slimmer = arm_ && sex_ == Sex::Female;
  return [this, near = std::move(near), m = std::move(m), depth, slimmer](const Vec3& p) {
    double d = ShapeField::kFar;
    for (const auto& [piece, parts] : near) {
      const Vec3 q = toSubject(piece->branch, p);
      const double scale = std::cbrt(map_.scaleAt(piece->branch, q.y()).prod());
      d = smoothMinimum(d, scale * piece->field.distance(q, parts), kSeamBlend).value;
    }
    if (!m.empty()) d = smoothMinimum(d, muscles_.distance(p, m) + depth, kMuscleBlend).value;
    return slimmer ? d + femaleArm(map_.toSubject(SkinBranch::Upper, p).y()) : d;
  };
}

void SkinSolid::fillDistances() {
  // Each piece's box, taken to the person with some room: the inverse map is monotonic.
  Box subject;
  for (const Piece& piece : pieces_) subject.add(piece.field.bounds());
  const double most =
      map_.scaleAt(SkinBranch::Trunk, 0.8).cwiseMax(map_.scaleAt(SkinBranch::Upper, 1)).maxCoeff();
  Box all;
  all.add(1.05 * most * subject.max + Vec3::Constant(0.02));
  all.add(Vec3(-all.max.x(), -0.02, 1.05 * most * subject.min.z() - 0.02));
  const BlockField blocks = [this](const Box& box, double reach) { return described(box, reach); };
  const std::vector<TriangleMesh> surface{meshField(blocks, all, kCell, 1)};
  bounds_ = boundingBox(surface[0].positions);
  Box room = grown(bounds_, 0.09);
  room.min.x() = -8 * kCell;  // the other half is the mirror image
  distances_ = DistanceVolume(room, kCell, 0);
  internal::fillDistances(surface, distances_, kBand);
  smoothen(distances_, kSmoothing);
}

double SkinSolid::detail(const Vec3& p) const {
  if (arm_) return 1 - smoothStep(0.84, 0.9, map_.toSubject(SkinBranch::Upper, p).y());
  return smoothStep(1.42, 1.47, map_.toSubject(SkinBranch::Upper, p).y()) + 1 -
         smoothStep(0.1, 0.16, map_.toSubject(SkinBranch::Leg, p).y());
}

double SkinSolid::fat(const Vec3& p) const {
  const Vec3 q = map_.toSubject(arm_ ? SkinBranch::Upper : SkinBranch::Trunk, p);
  return fatWeight(q, sex_, arm_);
}

// --- the whole -------------------------------------------------------------------------------

SkinField::SkinField(const SkinTissues& tissues, const SkinMap& map, Sex sex)
    : map_(map),
      sex_(sex),
      body_(tissues, map, sex, false),
      arm_(tissues, map, sex, true),
      bones_(tissues.bones) {}

Box SkinField::bounds() const {
  Box box = body_.bounds();
  box.add(arm_.bounds());
  return grown(box, 0.012 + std::max(kMostFat * fat_, 0.0));
}

double SkinField::join(double body, double arm, const Vec3& p) const {
  const Vec3 q = map_.toSubject(SkinBranch::Upper, p);
  const double shoulder = smoothStep(1.2, 1.27, q.y());
  // Towards its end within the trunk the arm sinks in, so that its edge does not show.
  arm += 0.014 * shoulder * (1 - smoothStep(0.1, 0.145, std::abs(q.x())));
  // Below the armpit the trunk makes way for the arm.
  const double trunk = std::max(body, kContactGap - arm - 0.06 * shoulder);
  return smoothMinimum(trunk, arm, 0.001 + shoulder * kShoulderBlend).value;
}

BlockField SkinField::blocks() const {
  return [this](const Box& box, double reach) -> FieldFunction {
    const Vec3 middle = 0.5 * (box.min + box.max);
    const double size = 0.5 * (box.max - box.min).norm() + reach;
    const double layer = std::max(kMostFat * fat_, 0.0) + kSkinOverBone + 0.01;
    if (std::min(body_.smoothed(middle), arm_.smoothed(middle)) > size + layer) return {};
    FieldFunction bodyAsDescribed, armAsDescribed;
    if (body_.detail(box.min) + body_.detail(box.max) > 0)
      bodyAsDescribed = body_.described(box, reach + layer);
    if (arm_.detail(box.min) + arm_.detail(box.max) > 0)
      armAsDescribed = arm_.described(box, reach + layer);
    std::vector<int> bones;
    bones_.collectActive(box, reach + kSkinOverBone + kBoneBlend + kFlatReach, bones);
    return [this, bodyAsDescribed = std::move(bodyAsDescribed),
            armAsDescribed = std::move(armAsDescribed), bones = std::move(bones)](const Vec3& p) {
      const auto laidOn = [&](const SkinSolid& solid, const FieldFunction& described) {
        double d = solid.smoothed(p);
        const double s = described ? solid.detail(p) : 0.0;
        if (s > 0) d = (1 - s) * d + s * described(p);
        const double w = solid.fat(p);
        // Lean people lack fat evenly: what is not there cannot be taken away.
        return d - fat_ * (fat_ < 0 ? std::min(w, 0.8) : w);
      };
      double d = join(laidOn(body_, bodyAsDescribed), laidOn(arm_, armAsDescribed), p);
      if (!bones.empty())
        d = smoothMinimum(d, bones_.distance(p, bones) - kSkinOverBone, kBoneBlend).value;
      // Thighs that touch.
      const double y = map_.toSubject(SkinBranch::Leg, p).y();
      return std::max(d, 0.5 * kContactGap - std::abs(p.x()) - 0.03 * smoothStep(0.71, 0.75, y));
    };
  };
}

Vec3 SkinField::carried(const Vec3& subject, double armShare) const {
  const auto along = [&](const SkinSolid& solid, SkinBranch branch) {
    // The map is known from the person to the subject; it is nearly a scaling, so the fixed point
    // p <- p + S (subject - toSubject(p)) halves its error at least five times in each step.
    const Vec3 scale = map_.scaleAt(branch, subject.y());
    Vec3 p = scale.cwiseProduct(subject);
    for (int k = 0; k < kInverseSteps; ++k)
      p += scale.cwiseProduct(subject - solid.toSubject(branch, p));
    return p;
  };
  if (armShare <= 0) return along(body_, SkinBranch::Trunk);
  const Vec3 arm = along(arm_, SkinBranch::Upper);
  return armShare >= 1 ? arm : Vec3(arm + (1 - armShare) * (along(body_, SkinBranch::Trunk) - arm));
}

Drawn SkinField::draw(const Vec3& p, double most) const {
  Box at;
  at.add(p);
  const FieldFunction f = blocks()(at, most + kProbe);
  if (!f) return {p, Vec3::Zero()};
  Vec3 q = p, direction = Vec3::Zero();
  double slope = 0, value = f(q);
  for (int step = 0; step < kDrawSteps; ++step) {
    // The gradient is taken twice; in between the slope along it follows from the values met.
    if (step == 0 || step == kDrawSteps / 2) {
      direction = gradientOf(f, q);
      if (p.x() == 0) direction.x() = 0;
      slope = direction.norm();
      if (slope < 0.1) return {p, Vec3::Zero()};
      direction /= slope;
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
  return {q, direction};
}

}  // namespace pneuma::anatomy::internal
