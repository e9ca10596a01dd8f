#include "breath/cage/torso_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pneuma::breath::internal {
namespace {

/// A point of the costal margin, as parts of bodies.
struct Anchor {
  Vec3 position;
  std::vector<std::pair<std::string, double>>
      bones;  ///< bone, weight; they share the rest position
};

/// Margin of one side at the columns of refinement 1.
std::vector<Anchor> marginAnchors(const TorsoAnatomy& a, int side) {
  std::vector<Anchor> anchors;
  for (const anatomy::MarginPoint& p : anatomy::costalMargin(a)) {
    Anchor anchor{onSide(p.position, side), {}};
    for (const auto& [part, weight] : p.carriers)
      anchor.bones.emplace_back(part == anatomy::kMarginSternum ? kSternumBone
                                : part == anatomy::kMarginSpine ? thoracicBone(kRibCount)
                                                                : ribBone(part, side),
                                weight);
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

/// An anchor between the columns of refinement 1. Each neighbour keeps its own rest position.
PointRef addMarginPoint(const std::vector<Anchor>& anchors, double column, TorsoMesh& mesh) {
  const auto i = std::min(static_cast<std::size_t>(column), anchors.size() - 2);
  const double t = column - static_cast<double>(i);
  BlendSpec blend;
  const auto add = [&](const Anchor& anchor, double weight) {
    if (weight <= 0) return;
    for (const auto& [bone, w] : anchor.bones)
      blend.parts.emplace_back(mesh.addBonePoint(bone, anchor.position).index, w * weight);
  };
  add(anchors[i], 1 - t);
  add(anchors[i + 1], t);
  if (blend.parts.size() == 1) return {PointKind::Bone, blend.parts.front().first};
  mesh.blends.push_back(blend);
  return {PointKind::Blend, static_cast<int>(mesh.blends.size()) - 1};
}

}  // namespace

Vec3 TorsoMesh::position(PointRef p) const {
  const auto i = static_cast<std::size_t>(p.index);
  switch (p.kind) {
    case PointKind::Particle:
      return particles[i];
    case PointKind::Bone:
      return bonePoints[i].position;
    case PointKind::Fixed:
      return fixed[i];
    case PointKind::Blend:
      break;
  }
  Vec3 sum = Vec3::Zero();
  for (const auto& [part, w] : blends[i].parts)
    sum += w * bonePoints[static_cast<std::size_t>(part)].position;
  return sum;
}

PointRef TorsoMesh::addParticle(const Vec3& p) {
  particles.push_back(p);
  return {PointKind::Particle, static_cast<int>(particles.size()) - 1};
}
PointRef TorsoMesh::addBonePoint(const std::string& bone, const Vec3& p) {
  bonePoints.push_back({bone, p});
  return {PointKind::Bone, static_cast<int>(bonePoints.size()) - 1};
}
PointRef TorsoMesh::addFixed(const Vec3& p) {
  fixed.push_back(p);
  return {PointKind::Fixed, static_cast<int>(fixed.size()) - 1};
}
void TorsoMesh::addSpring(PointRef a, PointRef b, MuscleGroup group, int channel, double width,
                          SpringPart part) {
  springs.push_back({a, b, group, channel, width, part});
}

std::string ribBone(int level, int side) {
  return fmt::format("rib_{:02}_{}", level, side == 0 ? 'l' : 'r');
}

std::string thoracicBone(int level) {
  return fmt::format("vertebra_t{:02}", level);
}

std::string columnBone(const TorsoAnatomy& a, double height) {
  if (height < 0.5 * (a.vertebrae.back().y() + a.promontory.y())) return "sacrum";
  std::size_t nearest = 7;  // behind the seven of the neck
  for (std::size_t i = 8; i < a.vertebrae.size(); ++i)
    if (std::abs(a.vertebrae[i].y() - height) < std::abs(a.vertebrae[nearest].y() - height))
      nearest = i;
  const auto level = static_cast<int>(nearest) - 6;
  return level <= 12 ? thoracicBone(level) : fmt::format("vertebra_l{}", level - 12);
}

void addFaces(PointRef a, PointRef b, PointRef aIn, PointRef bIn, bool left, bool pole,
              std::vector<TrianglePoints>& faces) {
  if (pole) {
    faces.push_back({a, b, aIn});
  } else if (left) {
    faces.push_back({a, b, aIn});
    faces.push_back({b, bIn, aIn});
  } else {
    faces.push_back({a, b, bIn});
    faces.push_back({a, bIn, aIn});
  }
}

double distance(const TorsoMesh& m, PointRef a, PointRef b) {
  return (m.position(a) - m.position(b)).norm();
}

void addLiner(TorsoMesh& m, PointRef a, PointRef b, PointRef c, PointRef d) {
  const double area =
      0.25 * (distance(m, a, b) + distance(m, c, d)) * (distance(m, a, c) + distance(m, b, d));
  m.addSpring(a, d, MuscleGroup::Liner, channel::kPassive, area / distance(m, a, d));
  m.addSpring(b, c, MuscleGroup::Liner, channel::kPassive, area / distance(m, b, c));
}

void addRim(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh) {
  const int n = config.refinement;
  mesh.columns = 2 * kHalfColumns * n;
  const std::array<std::vector<Anchor>, 2> anchors{marginAnchors(anatomy, 0),
                                                   marginAnchors(anatomy, 1)};
  for (int c = 0; c < mesh.columns; ++c) {
    const int side = c <= kHalfColumns * n ? 0 : 1;
    const int half = side == 0 ? c : mesh.columns - c;
    const PointRef held = addMarginPoint(anchors[static_cast<std::size_t>(side)],
                                         static_cast<double>(half) / n, mesh);
    if (!config.springRim) {
      mesh.rim.push_back(held);
      continue;
    }
    const PointRef hung = mesh.addParticle(mesh.position(held));
    mesh.rimPins.emplace_back(hung, held);
    mesh.rim.push_back(hung);
  }
}

void addDome(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh) {
  const int columns = mesh.columns, rings = anatomy::kDomeRings * config.refinement;
  mesh.rings = rings;
  mesh.dome = mesh.rim;
  for (int k = 1; k < rings; ++k)
    for (int c = 0; c < columns; ++c)
      mesh.dome.push_back(
          mesh.addParticle(domePoint(anatomy, mesh.position(mesh.rim[static_cast<std::size_t>(c)]),
                                     static_cast<double>(k) / rings)));
  mesh.apex = mesh.addParticle(domeTop(anatomy));
  const auto node = [&](int ring, int column) {
    if (ring == rings) return mesh.apex;
    return mesh.dome[static_cast<std::size_t>(ring * columns + (column + columns) % columns)];
  };
  const auto spacing = [&](int ring, int column) {  // half the way to both neighbours on a ring
    if (ring == rings) return 0.0;
    return 0.5 * distance(mesh, node(ring, column - 1), node(ring, column)) +
           0.5 * distance(mesh, node(ring, column), node(ring, column + 1));
  };
  const auto reach = [&](int ring, int column) {  // half the way to both neighbours on a meridian
    return 0.5 * distance(mesh, node(ring - 1, column), node(ring, column)) +
           0.5 * distance(mesh, node(ring, column), node(ring + 1, column));
  };
  const auto isTendon = [&](double ring) { return ring > rings * (1 - config.tendonFraction); };
  for (int c = 0; c < columns; ++c)
    for (int k = 0; k < rings; ++k) {
      // Meridian upwards, then the ring above it. Muscle ends where it does at refinement 1: a
      // finer mesh that ended it nearer to the stated fraction would have shorter fibres.
      const bool inner = isTendon(config.refinement * (k / config.refinement + 0.5));
      mesh.addSpring(node(k, c), node(k + 1, c), MuscleGroup::Diaphragm,
                     inner ? channel::kPassive : channel::kDiaphragm,
                     0.5 * (spacing(k, c) + spacing(k + 1, c)),
                     inner ? SpringPart::Tendon : SpringPart::Plain);
      if (k + 1 == rings) continue;
      addLiner(mesh, node(k, c), node(k, c + 1), node(k + 1, c), node(k + 1, c + 1));
      const bool innerRing = isTendon(k + 1);
      const double width = 0.5 * (reach(k + 1, c) + reach(k + 1, c + 1));
      mesh.addSpring(node(k + 1, c), node(k + 1, c + 1), MuscleGroup::Diaphragm,
                     config.contractHoops ? channel::kDiaphragm : channel::kPassive, width,
                     innerRing ? SpringPart::Tendon : SpringPart::Plain);
    }
  // Seen from above, columns run from front to the left: counter-clockwise about +Y.
  for (int k = 0; k < rings; ++k)
    for (int c = 0; c < columns; ++c) {
      addFaces(node(k, c), node(k, c + 1), node(k + 1, c), node(k + 1, c + 1), c < columns / 2,
               k + 1 == rings, mesh.domeFaces);
    }
}

TorsoMesh makeTorsoMesh(const TorsoAnatomy& anatomy, const TorsoConfig& config) {
  TorsoMesh mesh;
  addRim(anatomy, config, mesh);
  addDome(anatomy, config, mesh);
  addWall(anatomy, config, mesh);
  addCage(anatomy, config, mesh);
  addApposition(config, mesh);
  addRibMuscles(anatomy, config, mesh);
  return mesh;
}

}  // namespace pneuma::breath::internal
