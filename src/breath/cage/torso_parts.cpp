#include "breath/cage/torso_parts.h"

#include <cmath>

#include "breath/cage/torso_mesh.h"
#include "pneuma/breath/cage_joints.h"

namespace pneuma::breath::internal {
namespace {

/// Mass, centre and inertia of point masses along a line.
RigidPart weighLine(const std::vector<Vec3>& line, double mass, double radius) {
  RigidPart part;
  part.mass = mass;
  constexpr int kPieces = 40;
  std::vector<Vec3> points;
  for (int i = 0; i < kPieces; ++i) points.push_back(alongLine(line, (i + 0.5) / kPieces));
  for (const Vec3& p : points) part.center += p / kPieces;
  part.inertia.setZero();
  for (const Vec3& p : points) {
    const Vec3 d = p - part.center;
    part.inertia += mass / kPieces * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  part.inertia += 0.5 * mass * radius * radius * Mat3::Identity();
  return part;
}

/// Moves the frame to `origin`; the centre is then seen from it.
void setOrigin(RigidPart& part, const Vec3& origin) {
  part.origin = origin;
  part.center -= origin;
}

/// The spine with the head, which weighs 0.43 of it (4.5 of 10.5 kg).
RigidPart weighSpine(const TorsoAnatomy& a, double mass) {
  constexpr double kHeadShare = 0.43;
  RigidPart spine = weighLine(a.vertebrae, (1 - kHeadShare) * mass, 0.04);
  const double head = kHeadShare * mass;
  const double headRadius = 0.055 * a.height;
  const Vec3 headCenter = a.vertebrae.front() + Vec3(0, 0.045 * a.height, 0.01 * a.height);
  const Vec3 center = (1 - kHeadShare) * spine.center + kHeadShare * headCenter;
  const auto steiner = [&](const Vec3& d, double m) -> Mat3 {
    return m * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  };
  spine.inertia += steiner(spine.center - center, (1 - kHeadShare) * mass) +
                   steiner(headCenter - center, head) +
                   0.4 * head * headRadius * headRadius * Mat3::Identity();
  spine.mass = mass;
  spine.center = center;
  setOrigin(spine, center);
  return spine;
}

}  // namespace

/// Calibrated on the chest walls of people of 24-39 against 55-75 years, whose rib cages yield
/// 0.164 and 0.114 l/cmH2O (Estenne 1985): cartilages calcify, joints stiffen.
double cageStiffening(double age) {
  constexpr double kPerYear = 0.014, kYoungest = 20;
  return 1 + kPerYear * (std::max(age, kYoungest) - 30);
}

void addParts(const TorsoAnatomy& a, const TorsoConfig& config, TorsoModel& m) {
  m.parts[kSpine] = weighSpine(a, config.spineMass);
  m.parts[kSternum] = weighLine({a.jugularNotch, a.manubriosternal, a.xiphisternal, a.xiphoidTip},
                                config.sternumMass, 0.02);
  setOrigin(m.parts[kSternum], m.parts[kSternum].center);
  double meanLength = 0;
  for (const RibAnatomy& r : a.ribs) meanLength += lineLength(r.centerline) / kRibCount;
  for (int level = 1; level <= kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(level - 1)];
      std::vector<Vec3> line;
      for (const Vec3& p : rib.centerline) line.push_back(onSide(p, side));
      const double relative = config.equalMasses ? 1 : lineLength(line) / meanLength;
      const int body = ribBody(level, side);
      RigidPart& part = m.parts[static_cast<std::size_t>(body)];
      part = weighLine(line, config.ribMass * relative, rib.radius);
      setOrigin(part, onSide(rib.head, side));
      const auto r = static_cast<std::size_t>(body - 1);
      m.neckAxis[r] = ribAxis(a, level, side);
      m.jointStiffness[r] = ribResistance(a, config).stiffness;
    }
}

}  // namespace pneuma::breath::internal
