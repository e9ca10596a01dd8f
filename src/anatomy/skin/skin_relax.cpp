#include "anatomy/skin/skin_relax.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr std::size_t kGrain = 128;  ///< vertices of a chunk
constexpr double kLeaning = 0.1;     ///< cosine of 84 degrees
constexpr std::array kRadii = {1.0, 0.6, 0.3, 0.12,
                               0.05};  ///< of the pattern search, over the mean edge
constexpr int kDirections = 12;
constexpr int kMendAttempts = 6, kPatchPasses = 6;
constexpr double kPatchReach = 0.01;  ///< [m]

Vec3 weightedMean(const TriangleMesh& mesh, const VertexRings& rings,
                  const std::vector<double>& weights, std::int32_t v) {
  Vec3 mean = Vec3::Zero();
  const std::size_t first = rings.first(v);
  const auto ring = rings[v];
  for (std::size_t k = 0; k < ring.size(); ++k)
    mean += weights[first + k] * mesh.positions[at(ring[k])];
  return mean;
}

/// 1 where the surface is flat, 0 where it bends by a right angle from vertex to vertex.
double levelness(const VertexRings& rings, const std::vector<Vec3>& normals,
                 const SymmetricMesh& mesh, std::int32_t v) {
  double sum = 0;
  for (const std::int32_t r : rings[v]) {
    Vec3 n = normals[at(r)];
    if (mesh.mesh.positions[at(r)].x() < 0) {  // normals of the right half are images
      n = normals[at(mesh.mirror[at(r)])];
      n.x() = -n.x();
    }
    sum += std::max(0.0, n.dot(normals[at(v)]));
  }
  const double mean = sum / static_cast<double>(rings[v].size());
  return mean * mean;
}

/// Scales the weights of a vertex to the sum 1.
void normalise(std::vector<double>& weights, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += weights[first + k];
  for (std::size_t k = 0; k < count; ++k) weights[first + k] /= sum;
}

/// A vertex that may be anywhere in its tangent plane, and the triangles around it.
class Star {
 public:
  Star(const SymmetricMesh& mesh, const VertexRings& rings, const std::vector<Vec3>& normals,
       std::int32_t v)
      : mesh_(mesh), normals_(normals), ring_(rings[v]) {
    for (const std::int32_t r : ring_)
      edge_ += (mesh.mesh.positions[at(r)] - mesh.mesh.positions[at(v)]).norm();
    edge_ /= static_cast<double>(ring_.size());
  }

  double meanEdge() const { return edge_; }
  /// Worst cost around the vertex, were it at p. Triangles of the right half are images of others
  /// and may lag behind: they do not count.
  double cost(const Vec3& p, const Vec3& normal) const {
    double worst = 0;
    for (std::size_t k = 0; k < ring_.size(); ++k) {
      const std::size_t a = at(ring_[k]), b = at(ring_[(k + 1) % ring_.size()]);
      const Vec3 &pa = mesh_.mesh.positions[a], &pb = mesh_.mesh.positions[b];
      if (pa.x() < 0 || pb.x() < 0) continue;
      worst = std::max(worst, shapeCost({p, pa, pb}, {normal, normals_[a], normals_[b]}));
    }
    return worst;
  }

 private:
  const SymmetricMesh& mesh_;
  const std::vector<Vec3>& normals_;
  std::span<const std::int32_t> ring_;
  double edge_ = 0;
};

/// The best place of a pattern around p in the plane across n; x stays 0 in the mid-plane.
Vec3 bestInPattern(const Star& star, const Vec3& p, const Vec3& n, bool inPlane, double radius) {
  const Vec3 e1 = inPlane ? Vec3(0, n.z(), -n.y()).normalized() : n.unitOrthogonal();
  const Vec3 e2 = n.cross(e1);
  Vec3 best = p;
  double lowest = star.cost(p, n);
  const int count = inPlane ? 2 : kDirections;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * kPi * k / count;
    const Vec3 q = p + radius * (std::cos(angle) * e1 + (inPlane ? 0.0 : std::sin(angle)) * e2);
    const double cost = star.cost(q, n);
    if (cost < lowest) lowest = cost, best = q;
  }
  return best;
}

}  // namespace

void holdOffsets(RingRest& rest, const SymmetricMesh& mesh, const VertexRings& rings) {
  rest.offsets.assign(mesh.mesh.vertexCount(), Vec3::Zero());
  for (const std::int32_t v : mesh.left)
    rest.offsets[at(v)] =
        mesh.mesh.positions[at(v)] - weightedMean(mesh.mesh, rings, rest.weights, v);
}

RingRest meanValueWeights(const SymmetricMesh& mesh, const VertexRings& rings) {
  std::vector<double> weights(rings.size(), 0);
  const auto& p = mesh.mesh.positions;
  parallelFor(mesh.left.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> angle;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = mesh.left[i];
      const auto ring = rings[v];
      const std::size_t n = ring.size(), first = rings.first(v);
      angle.assign(n, 0);
      double turn = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const Vec3 a = p[at(ring[k])] - p[at(v)], b = p[at(ring[(k + 1) % n])] - p[at(v)];
        angle[k] = std::atan2(a.cross(b).norm(), a.dot(b));
        turn += angle[k];
      }
      const auto halfTangent = [&](std::size_t k) {
        return std::tan(std::min(0.5 * angle[k] * 2 * kPi / turn, 0.49 * kPi));
      };
      for (std::size_t k = 0; k < n; ++k)
        weights[first + k] =
            (halfTangent((k + n - 1) % n) + halfTangent(k)) / (p[at(ring[k])] - p[at(v)]).norm();
      normalise(weights, first, n);
    }
  });
  return {std::move(weights), {}};
}

RingRest evenWeights(const SymmetricMesh& mesh, const VertexRings& rings,
                     const std::function<double(const Vec3&)>& wanted) {
  std::vector<double> weights(rings.size(), 0);
  const auto& p = mesh.mesh.positions;
  parallelFor(mesh.left.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = mesh.left[i];
      const auto ring = rings[v];
      const std::size_t n = ring.size(), first = rings.first(v);
      // The centroid of a triangle weighs as many wanted triangles as it holds.
      for (std::size_t k = 0; k < n; ++k) {
        const Vec3 &a = p[at(ring[k])], &b = p[at(ring[(k + 1) % n])];
        const double length = wanted((p[at(v)] + a + b) / 3);
        const double w = triangleArea(p[at(v)], a, b) / (length * length);
        weights[first + k] += w;
        weights[first + (k + 1) % n] += w;
      }
      normalise(weights, first, n);
    }
  });
  return {std::move(weights), {}};
}

void relax(SymmetricMesh& mesh, const VertexRings& rings, const RingRest& rest, double share,
           const Draw& draw, double most, std::vector<Vec3>& normals) {
  std::vector<Drawn> drawn(mesh.left.size());
  const auto& p = mesh.mesh.positions;
  parallelFor(mesh.left.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = mesh.left[i];
      const Vec3& n = normals[at(v)];
      Vec3 d = weightedMean(mesh.mesh, rings, rest.weights, v) - p[at(v)];
      if (!rest.offsets.empty()) d += rest.offsets[at(v)];
      const double level = levelness(rings, normals, mesh, v);
      Vec3 q = p[at(v)] + share * level * (d - d.dot(n) * n);
      if (mesh.inPlane(v)) q.x() = 0;
      drawn[i] = draw(q, most);
    }
  });
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t v = at(mesh.left[i]);
    if (!mesh.inPlane(mesh.left[i]) && drawn[i].point.x() <= 0) continue;  // stays in its half
    mesh.mesh.positions[v] = drawn[i].point;
    if (!drawn[i].normal.isZero()) normals[v] = drawn[i].normal;
  }
  mesh.mirrorPositions();
}

double shapeCost(const std::array<Vec3, 3>& p, const std::array<Vec3, 3>& n) {
  const Vec3 area = (p[1] - p[0]).cross(p[2] - p[0]), mean = n[0] + n[1] + n[2];
  const double scale = area.norm() * mean.norm();
  const double cosine = scale > 0 ? area.dot(mean) / scale : -1;
  const double aspect = std::min(triangleAspect(p[0], p[1], p[2]), 1e3);
  return cosine < kLeaning ? aspect + 10 + 40 * (kLeaning - cosine) : aspect;
}

double shapeCostOf(const TriangleMesh& mesh, const Triangle& t, const std::vector<Vec3>& normals) {
  const std::size_t a = at(t[0]), b = at(t[1]), c = at(t[2]);
  return shapeCost({mesh.positions[a], mesh.positions[b], mesh.positions[c]},
                   {normals[a], normals[b], normals[c]});
}

double worstShape(const SymmetricMesh& mesh, const std::vector<Vec3>& normals) {
  double worst = 0;
  for (std::size_t t = 0; t < mesh.halfTriangles(); ++t)
    worst = std::max(worst, shapeCostOf(mesh.mesh, mesh.mesh.triangles[t], normals));
  return worst;
}

namespace {

/// One search over all vertices; false when none could be bettered.
bool betterVertices(SymmetricMesh& mesh, const VertexRings& rings, const std::vector<char>& movable,
                    double goal, const Draw& draw, std::vector<Vec3>& normals) {
  bool moved = false;
  for (const std::int32_t v : mesh.left) {
    if (!movable[at(v)]) continue;
    Vec3& p = mesh.mesh.positions[at(v)];
    const Star star(mesh, rings, normals, v);
    double lowest = star.cost(p, normals[at(v)]);
    if (lowest <= goal) continue;
    for (const double radius : kRadii) {
      const Vec3 q =
          bestInPattern(star, p, normals[at(v)], mesh.inPlane(v), radius * star.meanEdge());
      if (q == p) continue;
      const Drawn drawn = draw(q, 0.5 * star.meanEdge());
      if (drawn.normal.isZero() || (drawn.point.x() <= 0 && !mesh.inPlane(v))) continue;
      const double cost = star.cost(drawn.point, drawn.normal);
      if (cost > 0.99 * lowest) continue;
      p = drawn.point, normals[at(v)] = drawn.normal, lowest = cost;
      moved = true;
    }
  }
  return moved;
}

/// Movable left vertices within `reach` edges of a triangle with a cost above `acceptable`.
std::vector<std::int32_t> badPatches(const SymmetricMesh& mesh, const VertexRings& rings,
                                     const std::vector<char>& movable, double acceptable, int reach,
                                     const std::vector<Vec3>& normals) {
  std::vector<char> near(mesh.mesh.vertexCount(), 0);
  for (const std::int32_t v : mesh.left)
    near[at(v)] =
        Star(mesh, rings, normals, v).cost(mesh.mesh.positions[at(v)], normals[at(v)]) > acceptable;
  for (int ring = 0; ring < reach; ++ring) {
    const std::vector<char> before = near;
    for (const std::int32_t v : mesh.left)
      for (const std::int32_t r : rings[v]) near[at(v)] = near[at(v)] || before[at(r)];
  }
  std::vector<std::int32_t> list;
  for (const std::int32_t v : mesh.left)
    if (near[at(v)] && movable[at(v)]) list.push_back(v);
  return list;
}

/// Each of the vertices moves half the way to the mean of its neighbours and back onto the surface.
void smoothPatches(SymmetricMesh& mesh, const VertexRings& rings,
                   const std::vector<std::int32_t>& patch, const Draw& draw) {
  for (int pass = 0; pass < kPatchPasses; ++pass) {
    for (const std::int32_t v : patch) {
      Vec3 mean = Vec3::Zero();
      for (const std::int32_t r : rings[v]) mean += mesh.mesh.positions[at(r)];
      mean /= static_cast<double>(rings[v].size());
      Vec3 q = 0.5 * (mesh.mesh.positions[at(v)] + mean);
      if (mesh.inPlane(v)) q.x() = 0;
      const Drawn drawn = draw(q, kPatchReach);
      if (drawn.point.x() > 0 || mesh.inPlane(v)) mesh.mesh.positions[at(v)] = drawn.point;
    }
    mesh.mirrorPositions();
  }
}

}  // namespace

double mend(SymmetricMesh& mesh, const VertexRings& rings, const std::vector<char>& movable,
            const MendRules& rules, const Draw& draw) {
  double best = 1e300;
  std::vector<Vec3> kept;
  for (int attempt = 0; attempt < kMendAttempts; ++attempt) {
    // The surface's own normals: in folds they are steadier than the field's.
    std::vector<Vec3> normals = vertexNormals(mesh.mesh);
    for (int round = 0; round < rules.rounds; ++round)
      if (!betterVertices(mesh, rings, movable, rules.goal, draw, normals)) break;
    mesh.mirrorPositions();
    normals = vertexNormals(mesh.mesh);
    const double worst = worstShape(mesh, normals);
    if (worst < best) best = worst, kept = mesh.mesh.positions;
    if (best <= rules.acceptable) break;
    // Each attempt takes in more around.
    smoothPatches(mesh, rings,
                  badPatches(mesh, rings, movable, rules.acceptable, 2 + attempt, normals), draw);
  }
  mesh.mesh.positions = std::move(kept);
  return best;
}

}  // namespace pneuma::anatomy::internal
