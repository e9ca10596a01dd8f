#include "anatomy/skin/skin_carry.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kShareSmoothing = 12;  ///< passes over neighbours: some 5 cm of shoulder
constexpr double kChordCost = 4.9;   ///< triangles with a shape beyond are laid on chords
constexpr int kChordRounds = 20;
constexpr double kFatStep = 0.002;  ///< of the layer's thickness [m]
constexpr int kSexPasses = 40;
constexpr double kSexReach = 0.004;  ///< [m]
constexpr double kSexAspect = 2.2;
constexpr int kLeanPasses = 3, kLastPasses = 6;
constexpr double kReach = 0.012;  ///< a vertex is drawn by at most this in one pass [m]

Draw drawOnto(const SkinField& field) {
  return [&field](const Vec3& p, double most) { return field.draw(p, most); };
}

/// Where the skin folds more sharply than the coarser triangles show (armpits of heavy people),
/// middles of edges stay on their chords: the triangles there have the shape of the coarser ones.
void layOnChords(SymmetricMesh& fine, const SymmetricMesh& coarse) {
  const std::vector<std::pair<std::int32_t, std::int32_t>> edges = cutEdges(coarse.mesh.triangles);
  const std::size_t kept = coarse.mesh.vertexCount();
  bool moved = true;
  for (int round = 0; moved && round < kChordRounds; ++round) {
    moved = false;
    const std::vector<Vec3> normals = vertexNormals(fine.mesh);
    for (std::size_t t = 0; t < fine.halfTriangles(); ++t) {
      if (shapeCostOf(fine.mesh, fine.mesh.triangles[t], normals) < kChordCost) continue;
      for (const std::int32_t v : fine.mesh.triangles[t]) {
        if (at(v) < kept) continue;
        const auto& [a, b] = edges[at(v) - kept];
        const Vec3 chord = 0.5 * (coarse.mesh.positions[at(a)] + coarse.mesh.positions[at(b)]);
        moved = moved || fine.mesh.positions[at(v)] != chord;
        fine.mesh.positions[at(v)] = chord;
      }
    }
    fine.mirrorPositions();
  }
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
    const Vec3 there = sex == Sex::Female ? maleToFemale(p) : femaleToMale(p);
    p += (1 - measured.armShare[at(v)]) * (there - p);
  }
  mesh.mirrorPositions();
  std::vector<Vec3> normals = vertexNormals(mesh.mesh);
  const VertexRings rings(mesh.mesh);
  RingRest rest = meanValueWeights(measured.mesh, rings);
  holdOffsets(rest, mesh, rings);
  const Draw draw = drawOnto(field);
  for (int k = 0; k < kSexPasses; ++k) relax(mesh, rings, rest, 0.5, draw, kSexReach, normals);
  const std::vector<char> all(mesh.mesh.vertexCount(), 1);
  mend(mesh, rings, all, {.goal = kSexAspect, .acceptable = kSexAspect + 1}, draw);
  return mesh;
}

SymmetricMesh carriedSkin(const SkinTemplate& subject, SkinField& field, double fat) {
  SymmetricMesh mesh = subject.mesh;
  for (const std::int32_t v : mesh.left)
    mesh.mesh.positions[at(v)] =
        field.carried(subject.mesh.mesh.positions[at(v)], subject.armShare[at(v)]);
  mesh.mirrorPositions();
  std::vector<Vec3> normals = vertexNormals(mesh.mesh);
  const VertexRings rings(mesh.mesh);
  RingRest rest = meanValueWeights(subject.mesh, rings);
  holdOffsets(rest, mesh, rings);
  const Draw draw = drawOnto(field);
  const auto passes = [&](int count) {
    for (int k = 0; k < count; ++k) relax(mesh, rings, rest, 0.5, draw, kReach, normals);
  };
  field.setFat(0);
  passes(kLeanPasses);
  const int steps = static_cast<int>(std::ceil(std::abs(fat) / kFatStep));
  for (int k = 1; k <= steps; ++k) {
    field.setFat(fat * k / steps);
    passes(1);
  }
  passes(kLastPasses);
  const std::vector<char> all(mesh.mesh.vertexCount(), 1);
  mend(mesh, rings, all, {}, draw);
  return mesh;
}

SymmetricMesh refinedSkin(const SymmetricMesh& coarse, const SkinField& field) {
  SymmetricMesh fine = subdivided(coarse);
  std::vector<Vec3> normals = vertexNormals(fine.mesh);
  const auto kept = static_cast<std::int32_t>(coarse.mesh.vertexCount());
  parallelFor(fine.left.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = fine.left[i];
      Vec3& p = fine.mesh.positions[at(v)];
      const Drawn drawn = field.draw(p, 0.01);
      if (drawn.normal.isZero() || drawn.normal.dot(normals[at(v)]) < 0) continue;
      normals[at(v)] = drawn.normal;
      if (v >= kept && (drawn.point.x() > 0 || fine.inPlane(v))) p = drawn.point;
    }
  });
  fine.mirrorPositions();
  std::vector<char> added(fine.mesh.vertexCount(), 1);
  std::fill(added.begin(), added.begin() + kept, 0);
  const VertexRings rings(fine.mesh);
  mend(fine, rings, added, {}, drawOnto(field));
  layOnChords(fine, coarse);
  return fine;
}

}  // namespace pneuma::anatomy::internal
