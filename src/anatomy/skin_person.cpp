#include "anatomy/skin_person.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy::internal {
namespace {

double smoothStep(double low, double high, double v) {
  const double s = std::clamp((v - low) / (high - low), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

double bump(double v, double center, double width) {
  const double u = (v - center) / width;
  return std::exp(-u * u);
}

bool isLower(const std::string& piece) {
  return piece.find("leg") != std::string::npos || piece.find("foot") != std::string::npos;
}

Vec3 spineOrigin(const Body& body) {
  std::vector<Diagnostic> findings;
  const PointTable points(body, findings);
  const Result<BodyPoint> origin = points.find("sacrum:promontory");
  return origin ? origin->position : Vec3(0, 0.56 * body.subject.height, 0);
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

}  // namespace

SkinMap::SkinMap(const Body& body, const Person& person) {
  const Vec3 origin = spineOrigin(body);
  const PersonMap map(proportionsOf(person, body.subject), body.subject.height, origin);
  originY_ = origin.y();
  upper_ = map.scale(BodyRegion::Thorax);
  lower_ = map.scale(BodyRegion::Leg);
  shift_ = map.offset(BodyRegion::Thorax);
}

Vec3 SkinMap::scaleAt(const std::string& piece, double y) const {
  if (isLower(piece)) return lower_;
  if (piece != "skin_trunk") return upper_;
  const double s = smoothStep(originY_ - 0.08, originY_ + 0.14, y);
  Vec3 scale = (1 - s) * lower_ + s * upper_;
  scale.y() = y < originY_ ? lower_.y() : upper_.y();
  return scale;
}

ShapePart SkinMap::operator()(const std::string& piece, const ShapePart& part) const {
  const double y = part.kind == ShapeKind::Ellipsoid ? part.center.y() : 0;
  const Vec3 scale = scaleAt(piece, y);
  ShapePart mapped = scaled(BoneShape{false, {part}}, scale).parts[0];
  if (!isLower(piece) && !(piece == "skin_trunk" && y < originY_)) mapped.center += shift_;
  return mapped;
}

double SkinMap::subjectHeight(double y) const {
  const double hinge = lower_.y() * originY_;
  return y < hinge ? y / lower_.y() : (y - shift_.y()) / upper_.y();
}

double SkinMap::scaleX(double subjectY) const {
  return subjectY < originY_ ? lower_.x() : upper_.x();
}

double fatWeight(const Vec3& p, Sex sex) {
  const bool female = sex == Sex::Female;
  const double x = std::abs(p.x()), y = p.y();
  // Trunk: belly and flanks of men, hips of women.
  const double front = smoothStep(0.04, 0.15, p.z());
  const double belly = bump(y, 1.03, 0.1) * front, hips = bump(y, 0.88, 0.1);
  const double flank = bump(y, 1.01, 0.08) * (1 - front);
  const double trunk = female ? 0.65 + 0.7 * belly + 0.9 * hips + 0.2 * flank
                              : 0.7 + 1.4 * belly + 0.4 * hips + 0.5 * flank;
  // Limbs and head, each passing into the trunk over several centimetres.
  const double thigh = smoothStep(0.4, 0.62, y);
  const double leg = (female ? 0.4 + 0.9 * thigh : 0.3 + 0.5 * thigh) * smoothStep(0.06, 0.2, y) +
                     0.12 * (1 - smoothStep(0.06, 0.2, y));
  const double upper = smoothStep(0.98, 1.15, y), wrist = smoothStep(0.8, 0.9, y);
  const double arm =
      (female ? 0.3 + 0.45 * upper : 0.25 + 0.35 * upper) * wrist + 0.1 * (1 - wrist);
  const double head = 0.5 - 0.38 * smoothStep(1.42, 1.5, y);
  const double toLeg = 1 - smoothStep(0.78, 0.92, y), toHead = smoothStep(1.34, 1.43, y);
  const double toArm = smoothStep(0.165, 0.2, x);
  const double body = (1 - toLeg) * ((1 - toHead) * trunk + toHead * head) + toLeg * leg;
  return (1 - toArm) * body + toArm * arm;
}

void closeGroin(std::vector<Shape>& envelope) {
  for (Shape& piece : envelope)
    if (piece.bone == "skin_trunk")
      piece.shape.parts.push_back(mound({0.0, 0.79, 0.098}, {0.1, 0.066, 0.066}, 0));
}

void makeFemale(std::vector<Shape>& envelope) {
  for (Shape& piece : envelope) {
    for (ShapePart& p : piece.shape.parts) {
      if (p.kind != ShapeKind::Ellipsoid) continue;
      if (piece.bone == "skin_trunk") {
        const double waist = bump(p.center.y(), 1.08, 0.09);
        p.center.x() *= 1 - 0.09 * waist;
        p.radii *= 1 - 0.06 * waist;
        // Less muscle on the chest and upper back.
        const double chest = bump(p.center.y(), 1.3, 0.09);
        p.radii *= 1 - 0.04 * chest;
      }
      if (piece.bone == "skin_head") {
        const double neck = 1 - smoothStep(1.43, 1.5, p.center.y());
        p.center.x() *= 1 - 0.08 * neck;
        p.radii *= 1 - 0.09 * neck;
      }
      if (piece.bone.starts_with("skin_arm")) p.radii *= 0.93;
    }
    if (piece.bone != "skin_trunk") continue;
    auto& parts = piece.shape.parts;
    parts.push_back(mound({0.082, 1.236, 0.178}, {0.058, 0.06, 0.05}, 0.3));
    parts.push_back(mound({0.088, 1.222, 0.208}, {0.042, 0.042, 0.034}, 0.3));
  }
}

}  // namespace pneuma::anatomy::internal
