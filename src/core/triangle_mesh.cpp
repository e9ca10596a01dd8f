#include "pneuma/core/triangle_mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "pneuma/core/check.h"

namespace pneuma {
namespace {

std::uint64_t edgeKey(std::int32_t a, std::int32_t b) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) |
         static_cast<std::uint32_t>(b);
}

std::int32_t findRoot(std::vector<std::int32_t>& parent, std::int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

MeshTopology analyzeTopology(const TriangleMesh& mesh) {
  MeshTopology t;
  const auto n = static_cast<std::int32_t>(mesh.positions.size());
  std::vector<std::uint64_t> edges;
  edges.reserve(mesh.triangles.size() * 3);
  std::vector<std::int32_t> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<char> used(mesh.positions.size(), 0);
  std::size_t faces = 0;

  for (const Triangle& tri : mesh.triangles) {
    const bool inRange =
        std::all_of(tri.begin(), tri.end(), [n](auto i) { return i >= 0 && i < n; });
    if (!inRange) {
      ++t.outOfRangeIndices;
      continue;
    }
    if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) {
      ++t.degenerateTriangles;
      continue;
    }
    ++faces;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = tri[k], b = tri[(k + 1) % 3];
      edges.push_back(edgeKey(a, b));
      used[a] = 1;
      parent[findRoot(parent, a)] = findRoot(parent, b);
    }
  }

  // Sorted directed edges: doubles are neighbours, reverses are found by bisection.
  std::sort(edges.begin(), edges.end());
  std::size_t undirected = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && edges[i] == edges[i - 1]) {
      ++t.nonManifoldEdges;
      continue;
    }
    const std::uint64_t reverse = (edges[i] << 32) | (edges[i] >> 32);
    const bool paired = std::binary_search(edges.begin(), edges.end(), reverse);
    if (!paired) ++t.boundaryEdges;
    if (!paired || edges[i] < reverse) ++undirected;
  }

  std::size_t usedCount = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    if (!used[i]) {
      ++t.unusedVertices;
      continue;
    }
    ++usedCount;
    if (findRoot(parent, i) == i) ++t.components;
  }
  t.eulerNumber =
      static_cast<long>(usedCount) - static_cast<long>(undirected) + static_cast<long>(faces);
  return t;
}

Box boundingBox(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& p : points) box.add(p);
  return box;
}

std::vector<Vec3> triangleNormals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals;
  normals.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.positions[t[0]];
    normals.push_back((mesh.positions[t[1]] - a).cross(mesh.positions[t[2]] - a).normalized());
  }
  return normals;
}

std::vector<Vec3> vertexNormals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals(mesh.positions.size(), Vec3::Zero());
  for (const Triangle& t : mesh.triangles) {
    const Vec3 p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    const Vec3 n = (p[1] - p[0]).cross(p[2] - p[0]);
    const double twiceArea = n.norm();
    if (!(twiceArea > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const Vec3 u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
      normals[t[k]] += std::atan2(twiceArea, u.dot(v)) / twiceArea * n;
    }
  }
  for (Vec3& n : normals) n.normalize();  // Eigen leaves a zero vector zero
  return normals;
}

double triangleArea(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

double surfaceArea(const TriangleMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles)
    area += triangleArea(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
  return area;
}

double enclosedVolume(const TriangleMesh& mesh) {
  return enclosedVolume(mesh.positions, mesh.triangles);
}

double enclosedVolume(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
  if (positions.empty()) return 0;
  // Apexes of the tetrahedra meet in a vertex of the mesh, so that a body far from the origin does
  // not lose digits.
  const Vec3 apex = positions.front();
  double sixfold = 0;
  for (const Triangle& t : triangles)
    sixfold += (positions[t[0]] - apex).dot((positions[t[1]] - apex).cross(positions[t[2]] - apex));
  return sixfold / 6.0;
}

SolidProperties solidProperties(const TriangleMesh& mesh) {
  SolidProperties s;
  if (mesh.positions.empty()) return s;
  const Vec3 apex = mesh.positions.front();
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // integral of x x^T
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.positions[t[0]] - apex, b = mesh.positions[t[1]] - apex,
               c = mesh.positions[t[2]] - apex;
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vec3 sum = a + b + c;
    s.volume += v;
    first += v / 4.0 * sum;
    second += v / 20.0 *
              (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  if (s.volume == 0) return s;
  const Vec3 center = first / s.volume;
  second -= s.volume * center * center.transpose();
  s.centroid = center + apex;
  s.inertia = second.trace() * Mat3::Identity() - second;
  return s;
}

std::int32_t append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto offset = static_cast<std::int32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  mesh.triangles.reserve(mesh.triangles.size() + other.triangles.size());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  return offset;
}

void flipOrientation(TriangleMesh& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

TriangleMesh weld(const TriangleMesh& mesh, double tolerance) {
  // Vertices are compared with those of the neighbouring cells, so that two points either side of a
  // cell border still meet.
  TriangleMesh out;
  const double cell = std::max(tolerance, 1e-300);
  struct CellHash {
    std::size_t operator()(const std::array<std::int64_t, 3>& k) const {
      return static_cast<std::size_t>(k[0] * 73856093 ^ k[1] * 19349663 ^ k[2] * 83492791);
    }
  };
  std::unordered_map<std::array<std::int64_t, 3>, std::vector<std::int32_t>, CellHash> grid;
  const auto cellOf = [&](const Vec3& p) {
    return std::array<std::int64_t, 3>{static_cast<std::int64_t>(std::floor(p.x() / cell)),
                                       static_cast<std::int64_t>(std::floor(p.y() / cell)),
                                       static_cast<std::int64_t>(std::floor(p.z() / cell))};
  };
  const auto existing = [&](const Vec3& p, const std::array<std::int64_t, 3>& k) -> std::int32_t {
    for (std::int64_t x = -1; x <= 1; ++x)
      for (std::int64_t y = -1; y <= 1; ++y)
        for (std::int64_t z = -1; z <= 1; ++z) {
          const auto it = grid.find({k[0] + x, k[1] + y, k[2] + z});
          if (it == grid.end()) continue;
          for (const std::int32_t i : it->second)
            if ((out.positions[i] - p).norm() <= tolerance) return i;
        }
    return -1;
  };

  std::vector<std::int32_t> map(mesh.positions.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3& p = mesh.positions[i];
    const auto key = cellOf(p);
    std::int32_t target = existing(p, key);
    if (target < 0) {
      target = static_cast<std::int32_t>(out.positions.size());
      out.positions.push_back(p);
      grid[key].push_back(target);
    }
    map[i] = target;
  }
  for (const Triangle& t : mesh.triangles) {
    const Triangle w{map[t[0]], map[t[1]], map[t[2]]};
    if (w[0] != w[1] && w[1] != w[2] && w[2] != w[0]) out.triangles.push_back(w);
  }
  return out;
}

void removeUnusedVertices(TriangleMesh& mesh) {
  std::vector<std::int32_t> map(mesh.positions.size(), -1);
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t i : t) map[i] = 0;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0) continue;
    map[i] = next;
    mesh.positions[next++] = mesh.positions[i];
  }
  mesh.positions.resize(static_cast<std::size_t>(next));
  for (Triangle& t : mesh.triangles) t = {map[t[0]], map[t[1]], map[t[2]]};
}

}  // namespace pneuma
