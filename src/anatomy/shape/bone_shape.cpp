#include "pneuma/anatomy/bone_shape.h"

#include <cmath>

#include "pneuma/core/hash.h"

namespace pneuma::anatomy {
namespace {

const Vec3 kMirror(-1, 1, 1);

/// A rotation seen in the mirror: columns reflected, one turned back to keep it right-handed.
/// `flipped` names the local axis that changed sign.
Mat3 mirroredRotation(const Mat3& r) {
  Mat3 m = kMirror.asDiagonal() * r;
  m.col(0) = -m.col(0);
  return m;
}

ShapePart mirroredPart(const ShapePart& part) {
  ShapePart m = part;
  m.center = kMirror.cwiseProduct(part.center);
  m.rotation = mirroredRotation(part.rotation);
  m.bend.z() = -part.bend.z();  // local x changed sign, so x y does
  for (SweepSection& s : m.sections) {
    s.center = kMirror.cwiseProduct(s.center);
    s.reference = kMirror.cwiseProduct(s.reference);
  }
  for (Vec3& p : m.grid) p = kMirror.cwiseProduct(p);
  for (ProfileSection& c : m.contours) {
    c.center = kMirror.cwiseProduct(c.center);
    // phi -> pi - phi: cos k phi gains (-1)^k, sin k phi gains -(-1)^k.
    for (std::size_t k = 0; k < c.cosine.size(); ++k) {
      const double sign = k % 2 == 0 ? -1 : 1;
      c.cosine[k] *= sign;
      c.sine[k] *= -sign;
    }
  }
  return m;
}

void hashPart(Hash64& hash, const ShapePart& part) {
  const auto vec = [&](const Vec3& v) { hash.values({v.data(), 3}); };
  hash.value(static_cast<int>(part.kind)).value(static_cast<int>(part.operation));
  hash.value(part.blend).value(part.rows).value(part.columns);
  vec(part.center), vec(part.radii), vec(part.bend);
  hash.values({part.rotation.data(), 9});
  hash.value(part.sections.size());
  for (const SweepSection& s : part.sections) {
    vec(s.center), vec(s.reference);
    hash.value(s.radiusA).value(s.radiusB);
  }
  for (const Vec3& p : part.grid) vec(p);
  hash.values(part.thickness);
  hash.value(part.contours.size());
  for (const ProfileSection& c : part.contours) {
    vec(c.center);
    hash.value(c.meanRadius).value(c.cosine.size()).values(c.cosine).values(c.sine);
  }
}

}  // namespace

BoneShape mirrored(const BoneShape& shape) {
  BoneShape m{shape.symmetric, {}};
  if (shape.symmetric) return shape;
  for (const ShapePart& part : shape.parts) m.parts.push_back(mirroredPart(part));
  return m;
}

std::uint64_t contentHash(const BoneShape& shape) {
  Hash64 hash;
  hash.value(shape.symmetric).value(shape.parts.size());
  for (const ShapePart& part : shape.parts) hashPart(hash, part);
  return hash.digest();
}

}  // namespace pneuma::anatomy
