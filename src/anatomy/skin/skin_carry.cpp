#include "anatomy/skin/skin_carry.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"
#include "anatomy/skin/head_join.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kShareSmoothing = 12;  ///< passes over neighbours: some 5 cm of shoulder
constexpr double kChordCost = 4.9;   ///< triangles with a shape beyond are laid on chords
constexpr int kChordRounds = 20, kNeighbourRound = 3;
/// A finer vertex is drawn by at most this share of its edge, onto skin that faces its way by this
/// cosine: behind an ear or in an armpit the nearest skin is often another fold's.
constexpr double kDrawnShare = 0.25, kSameSheet = 0.7;
constexpr double kFatStep = 0.002;  ///< of the layer's thickness [m]
/// From one sex to the other the arm stays, and what belongs to it by more than this.
constexpr double kTrunkShare = 0.1, kArmShare = 0.5;
constexpr int kSexPasses = 40;
constexpr double kSexReach = 0.004;  ///< [m]
constexpr double kSexAspect = 2.2;
constexpr int kLeanPasses = 3, kMarkSteps = 4, kLastPasses = 6;
constexpr double kReach = 0.012;  ///< a vertex is drawn by at most this in one pass [m]

Draw drawOnto(const SkinField& field) {
  return [&field](const Vec3& p, double most) { return field.draw(p, most); };
}

Vec3 areaVector(const TriangleMesh& mesh, std::size_t triangle) {
  const Triangle& t = mesh.triangles[triangle];
  const Vec3& a = mesh.positions[at(t[0])];
  return (mesh.positions[at(t[1])] - a).cross(mesh.positions[at(t[2])] - a);
}

/// Where the skin folds more sharply than the coarser triangles show (armpits of heavy people),
/// middles of edges stay on their chords: the triangles there have the shape of the coarser ones.
/// Where that does not suffice because neighbours bulge over them, these follow.
void layOnChords(SymmetricMesh& fine, const SymmetricMesh& coarse, const VertexRings& rings) {
  const std::vector<std::pair<std::int32_t, std::int32_t>> edges = cutEdges(coarse.mesh.triangles);
  const std::size_t kept = coarse.mesh.vertexCount();
  bool moved = true;
  const auto lay = [&](std::int32_t v) {
    if (at(v) < kept) return;
    const auto& [a, b] = edges[at(v) - kept];
    const Vec3 chord = 0.5 * (coarse.mesh.positions[at(a)] + coarse.mesh.positions[at(b)]);
    moved = moved || fine.mesh.positions[at(v)] != chord;
    fine.mesh.positions[at(v)] = chord;
  };
  for (int round = 0; moved && round < kChordRounds; ++round) {
    moved = false;
    const std::vector<Vec3> normals = vertexNormals(fine.mesh);
    for (std::size_t t = 0; t < fine.halfTriangles(); ++t) {
      const bool turned = areaVector(fine.mesh, t).dot(areaVector(coarse.mesh, t / 4)) <= 0;
      const Triangle& corners = fine.mesh.triangles[t];
      if (!turned && shapeCostOf(fine.mesh, corners, normals) < kChordCost) continue;
      for (const std::int32_t v : corners) {
        lay(v);
        if (round < kNeighbourRound) continue;
        for (const std::int32_t r : rings[v]) lay(r);
      }
    }
    fine.mirrorPositions();
  }
}

/// The middle of an edge on the smooth surface that its ends and their normals tell of: the cubic
/// with tangents t = d - (d . n) n at both ends, where d leads from one to the other,
///
///   m = (a + b) / 2 + (t_a - t_b) / 8
struct EdgeMiddle {
  Vec3 point, normal;
  double length;  ///< of the edge [m]
};
EdgeMiddle middleOf(const Vec3& a, const Vec3& b, const Vec3& normalA, const Vec3& normalB) {
  const Vec3 d = b - a, ta = d - d.dot(normalA) * normalA, tb = d - d.dot(normalB) * normalB;
  return {0.5 * (a + b) + (ta - tb) / 8, (normalA + normalB).normalized(), d.norm()};
}

/// Vertices that the measured head does not hold in full: along the neck they may give way.
std::vector<char> freeVertices(const SymmetricMesh& mesh, const HeadPlaces& head) {
  std::vector<char> free(mesh.mesh.vertexCount(), 1);
  for (std::size_t v = 0; v < free.size(); ++v)
    if (!head.empty() && head.share[v] >= 1) free[v] = 0;
  return free;
}

}  // namespace

std::vector<double> armShares(const SymmetricMesh& mesh, const SkinEnvelope& envelope) {
  std::vector<std::pair<bool, ShapeField>> fields;
  for (const auto& [name, shape] : envelope)
    fields.emplace_back(isArmPiece(name), ShapeField(shape));
  std::vector<double> share(mesh.mesh.vertexCount(), 0);
  for (const std::int32_t v : mesh.left) {
    double arm = ShapeField::kFar, body = ShapeField::kFar;
    for (const auto& [isArm, field] : fields) {
      double& nearest = isArm ? arm : body;
      nearest = std::min(nearest, field.distance(mesh.mesh.positions[at(v)]));
    }
    share[at(v)] = share[at(mesh.mirror[at(v)])] = arm < body ? 1 : 0;
  }
  const VertexRings rings(mesh.mesh);
  for (int pass = 0; pass < kShareSmoothing; ++pass) {
    const std::vector<double> before = share;
    for (const std::int32_t v : mesh.left) {
      double sum = 0;
      for (const std::int32_t r : rings[v]) sum += before[at(r)];
      const double mean = 0.5 * (before[at(v)] + sum / static_cast<double>(rings[v].size()));
      share[at(v)] = share[at(mesh.mirror[at(v)])] = mean;
    }
  }
  return share;
}

SymmetricMesh otherSex(const SkinTemplate& measured, const SkinField& field, Sex sex) {
  SymmetricMesh mesh = measured.mesh;
  for (const std::int32_t v : mesh.left) {
    Vec3& p = mesh.mesh.positions[at(v)];
    const Vec3 there = sex == Sex::Female ? field.onBreast(maleToFemale(p)) : femaleToMale(p);
    p += (1 - smoothStep(kTrunkShare, kArmShare, measured.armShare[at(v)])) * (there - p);
  }
  mesh.mirrorPositions();
  std::vector<Vec3> normals = vertexNormals(mesh.mesh);
  const VertexRings rings(mesh.mesh);
  RingRest rest = meanValueWeights(measured.mesh, rings);
  holdOffsets(rest, mesh, rings);
  const Draw draw = drawOnto(field);
  holdHead(mesh, measured.head, field);
  for (int k = 0; k < kSexPasses; ++k) {
    relax(mesh, rings, rest, 0.5, draw, kSexReach, normals);
    holdHead(mesh, measured.head, field);
  }
  mend(mesh, rings, freeVertices(mesh, measured.head),
       {.goal = kSexAspect, .acceptable = kSexAspect + 1}, draw);
  return mesh;
}

SymmetricMesh carriedSkin(const SkinTemplate& subject, SkinField& field, double fat) {
  SymmetricMesh mesh = subject.mesh;
  for (const std::int32_t v : mesh.left)
    mesh.mesh.positions[at(v)] =
        field.carried(field.hung(subject.mesh.mesh.positions[at(v)]), subject.armShare[at(v)]);
  mesh.mirrorPositions();
  std::vector<Vec3> normals = vertexNormals(mesh.mesh);
  const VertexRings rings(mesh.mesh);
  RingRest rest = meanValueWeights(subject.mesh, rings);
  holdOffsets(rest, mesh, rings);
  const Draw draw = drawOnto(field);
  const auto passes = [&](int count) {
    for (int k = 0; k < count; ++k) {
      relax(mesh, rings, rest, 0.5, draw, kReach, normals);
      holdHead(mesh, subject.head, field);
    }
  };
  // Fat grows outwards along the field's gradient, which in the pit of the navel points at its
  // axis: without the marks the vertices there keep apart, and sink in once they are in place.
  field.setFat(0);
  field.setMarks(0);
  passes(kLeanPasses);
  const int steps = static_cast<int>(std::ceil(std::abs(fat) / kFatStep));
  for (int k = 1; k <= steps; ++k) {
    field.setFat(fat * k / steps);
    passes(1);
  }
  for (int k = 1; k <= kMarkSteps; ++k) {
    field.setMarks(static_cast<double>(k) / kMarkSteps);
    passes(1);
  }
  passes(kLastPasses);
  mend(mesh, rings, freeVertices(mesh, subject.head), {}, draw);
  return mesh;
}

SymmetricMesh refinedSkin(const SymmetricMesh& coarse, const HeadPlaces& head,
                          const SkinField& field) {
  SymmetricMesh fine = subdivided(coarse);
  const std::vector<Vec3> normals = vertexNormals(coarse.mesh);
  const std::vector<std::pair<std::int32_t, std::int32_t>> edges = cutEdges(coarse.mesh.triangles);
  const std::size_t kept = coarse.mesh.vertexCount();
  parallelFor(fine.left.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = fine.left[i];
      if (at(v) < kept || (!head.empty() && head.share[at(v)] >= 1)) continue;
      const auto [a, b] = edges[at(v) - kept];
      const EdgeMiddle middle = middleOf(coarse.mesh.positions[at(a)], coarse.mesh.positions[at(b)],
                                         normals[at(a)], normals[at(b)]);
      Vec3& p = fine.mesh.positions[at(v)];
      const bool crosses = middle.point.x() <= 0 && !fine.inPlane(v);
      if (!crosses) p = middle.point;
      if (fine.inPlane(v)) p.x() = 0;
      const Drawn drawn = field.draw(p, kDrawnShare * middle.length);
      const bool sameSheet = drawn.normal.dot(middle.normal) > kSameSheet;
      if (sameSheet && (drawn.point.x() > 0 || fine.inPlane(v))) p = drawn.point;
    }
  });
  fine.mirrorPositions();
  SymmetricMesh held = fine;
  holdHead(held, head, field);
  std::copy(held.mesh.positions.begin() + static_cast<std::ptrdiff_t>(kept),
            held.mesh.positions.end(),
            fine.mesh.positions.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<char> added = freeVertices(fine, head);
  std::fill(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(kept), 0);
  const VertexRings rings(fine.mesh);
  mend(fine, rings, added, {}, drawOnto(field));
  layOnChords(fine, coarse, rings);
  // A fold that is sharp in the coarser mesh too: its few triangles are moved along the skin once
  // more, unless that makes them worse. Under a double chin the search follows the normals of two
  // sheets that touch, and turned a triangle over.
  const std::vector<Vec3> laid = fine.mesh.positions;
  const double worst = worstShape(fine, vertexNormals(fine.mesh));
  const MendRules last{.goal = kChordCost, .acceptable = kChordCost};
  if (worst > kChordCost && mend(fine, rings, added, last, drawOnto(field)) > worst)
    fine.mesh.positions = laid;
  return fine;
}

}  // namespace pneuma::anatomy::internal
