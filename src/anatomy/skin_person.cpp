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

double fatWeight(const std::string& piece, const Vec3& c, Sex sex) {
  const bool female = sex == Sex::Female;
  if (piece == "skin_ears") return 0;
  if (piece.starts_with("skin_hand")) return 0.1;
  if (piece.starts_with("skin_foot")) return 0.12;
  if (piece == "skin_head") return c.y() < 1.49 ? 0.5 - 0.3 * smoothStep(1.44, 1.49, c.y()) : 0.12;
  if (piece.starts_with("skin_arm")) {
    const double upper = smoothStep(1.0, 1.12, c.y());
    return female ? 0.3 + 0.5 * upper : 0.25 + 0.35 * upper;
  }
  if (piece.starts_with("skin_leg")) {
    const double thigh = smoothStep(0.42, 0.6, c.y());
    return female ? 0.4 + 0.9 * thigh : 0.3 + 0.5 * thigh;
  }
  const double front = smoothStep(0.06, 0.15, c.z());
  const double belly = bump(c.y(), 1.03, 0.1) * front, hips = bump(c.y(), 0.88, 0.09);
  const double flank = bump(c.y(), 1.01, 0.07) * (1 - front);
  if (female) return 0.65 + 0.7 * belly + 0.9 * hips + 0.2 * flank;
  return 0.7 + 1.5 * belly + 0.4 * hips + 0.5 * flank;
}

void closeGroin(std::vector<Shape>& envelope) {
  for (Shape& piece : envelope)
    if (piece.bone == "skin_trunk")
      piece.shape.parts.push_back(mound({0.01, 0.8, 0.096}, {0.062, 0.052, 0.046}, 0));
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
