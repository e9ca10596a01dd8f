// The closed surface of a shape: its field on a voxel grid, meshed, then drawn onto the zero level.
#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "anatomy/shape/field_mesh.h"
#include "anatomy/shape/shape_field.h"
#include "pneuma/anatomy/bone_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace internal {
namespace {

using Leaf = openvdb::FloatGrid::TreeType::LeafNodeType;
constexpr int kBlock = Leaf::DIM;        // 8
constexpr double kSmallestPiece = 4e-8;  ///< [m^3]; the smallest toe bone has 1e-7

/// Fills one leaf with field values cut to the band.
void fillLeaf(Leaf& leaf, const FieldFunction& field, double h, double band) {
  for (openvdb::Index n = 0; n < Leaf::SIZE; ++n) {
    const openvdb::Coord ijk = leaf.offsetToGlobalCoord(n);
    const Vec3 p(ijk.x() * h, ijk.y() * h, ijk.z() * h);
    leaf.setValueOn(n, static_cast<float>(std::clamp(field(p), -band, band)));
  }
}

/// Corners of the blocks of the lattice that meet the box grown by `band`.
std::vector<openvdb::Coord> blockOrigins(const Box& box, double h, double band) {
  const auto first = [&](double v) {
    return static_cast<int>(std::floor((v - band) / (h * kBlock)));
  };
  const auto last = [&](double v) {
    return static_cast<int>(std::floor((v + band) / (h * kBlock)));
  };
  std::vector<openvdb::Coord> origins;
  for (int i = first(box.min.x()); i <= last(box.max.x()); ++i)
    for (int j = first(box.min.y()); j <= last(box.max.y()); ++j)
      for (int k = first(box.min.z()); k <= last(box.max.z()); ++k)
        origins.emplace_back(i * kBlock, j * kBlock, k * kBlock);
  return origins;
}

Box blockBox(const openvdb::Coord& o, double h) {
  Box cell;
  cell.add(h * Vec3(o.x(), o.y(), o.z()));
  cell.add(h * Vec3(o.x() + kBlock - 1, o.y() + kBlock - 1, o.z() + kBlock - 1));
  return cell;
}

/// All blocks of the lattice that a part may reach, with the field evaluated there.
openvdb::FloatGrid::Ptr sampleField(const BlockField& blocks, const Box& box, double h) {
  static std::once_flag once;
  std::call_once(once, [] { openvdb::initialize(); });
  const double band = 3 * h;
  const std::vector<openvdb::Coord> origins = blockOrigins(box, h, band);
  std::vector<std::unique_ptr<Leaf>> leaves(origins.size());
  parallelFor(origins.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const openvdb::Coord& o = origins[n];
      const FieldFunction field = blocks(blockBox(o, h), band);
      if (!field) continue;
      leaves[n] = std::make_unique<Leaf>(o, static_cast<float>(band), false);
      fillLeaf(*leaves[n], field, h, band);
    }
  });
  auto grid = openvdb::FloatGrid::create(static_cast<float>(band));
  for (auto& leaf : leaves)
    if (leaf) grid->tree().addLeaf(leaf.release());
  return grid;
}

/// Cuts quads along their shorter diagonal.
void addQuad(TriangleMesh& mesh, const openvdb::Vec4I& q) {
  const auto at = [&](int k) { return static_cast<std::int32_t>(q[k]); };
  const auto length = [&](int a, int b) {
    return (mesh.positions[q[a]] - mesh.positions[q[b]]).squaredNorm();
  };
  if (length(0, 2) <= length(1, 3)) {
    mesh.triangles.push_back({at(0), at(1), at(2)});
    mesh.triangles.push_back({at(0), at(2), at(3)});
  } else {
    mesh.triangles.push_back({at(0), at(1), at(3)});
    mesh.triangles.push_back({at(1), at(2), at(3)});
  }
}

TriangleMesh meshFromGrid(const openvdb::FloatGrid& grid, double h) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, 0.0);
  TriangleMesh mesh;
  for (const auto& p : points) mesh.positions.emplace_back(p.x() * h, p.y() * h, p.z() * h);
  for (const auto& q : quads) addQuad(mesh, q);
  for (const auto& t : triangles)
    mesh.triangles.push_back({static_cast<std::int32_t>(t[0]), static_cast<std::int32_t>(t[1]),
                              static_cast<std::int32_t>(t[2])});
  return mesh;
}

/// Average of the neighbours of each vertex.
std::vector<Vec3> neighbourMeans(const TriangleMesh& mesh) {
  std::vector<Vec3> sum(mesh.vertexCount(), Vec3::Zero());
  std::vector<double> count(mesh.vertexCount(), 0);
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[static_cast<std::size_t>(k)]);
      sum[v] += mesh.positions[static_cast<std::size_t>(t[static_cast<std::size_t>((k + 1) % 3)])] +
                mesh.positions[static_cast<std::size_t>(t[static_cast<std::size_t>((k + 2) % 3)])];
      count[v] += 2;
    }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= std::max(count[i], 1.0);
  return sum;
}

/// One Newton step towards the zero level, at most half a cell.
Vec3 drawnToSurface(const Vec3& p, const FieldFunction& field, double h) {
  const double e = 0.25 * h, value = field(p);
  const Vec3 g(field(p + e * Vec3::UnitX()) - field(p - e * Vec3::UnitX()),
               field(p + e * Vec3::UnitY()) - field(p - e * Vec3::UnitY()),
               field(p + e * Vec3::UnitZ()) - field(p - e * Vec3::UnitZ()));
  const Vec3 gradient = g / (2 * e);
  const double g2 = gradient.squaredNorm();
  if (g2 < 1e-4) return p;
  Vec3 move = -value / g2 * gradient;
  const double length = move.norm();
  if (length > 0.5 * h) move *= 0.5 * h / length;
  return p + move;
}

/// Evens out the triangles along the surface and draws the vertices back onto it.
void relaxOntoField(TriangleMesh& mesh, const BlockField& blocks, double h, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<Vec3> means = neighbourMeans(mesh);
    const std::vector<Vec3> normals = vertexNormals(mesh);
    parallelFor(mesh.vertexCount(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vec3& p = mesh.positions[i];
        const Vec3 d = means[i] - p;
        p += 0.5 * (d - d.dot(normals[i]) * normals[i]);
        Box cell;
        cell.add(p);
        if (const FieldFunction field = blocks(cell, 2 * h)) p = drawnToSurface(p, field, h);
      }
    });
  }
}

}  // namespace

double fieldVolume(const BlockField& blocks, const Box& box, double h) {
  const std::vector<openvdb::Coord> origins = blockOrigins(box, h, h);
  const double count =
      parallelReduce(origins.size(), 4, 0.0, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t n = begin; n < end; ++n) {
          const FieldFunction field = blocks(blockBox(origins[n], h), h);
          if (!field) continue;
          for (int i = 0; i < kBlock * kBlock * kBlock; ++i) {
            const openvdb::Coord& o = origins[n];
            const Vec3 p = h * Vec3(o.x() + i / (kBlock * kBlock), o.y() + i / kBlock % kBlock,
                                    o.z() + i % kBlock);
            if ((p.array() < box.min.array()).any() || (p.array() > box.max.array()).any())
              continue;
            sum += std::clamp(0.5 - field(p) / h, 0.0, 1.0);
          }
        }
        return sum;
      });
  return count * h * h * h;
}

/// Parts that stick out of the rest by less than a cell leave such crumbs.
void dropCrumbs(TriangleMesh& mesh, double smallest) {
  std::vector<std::int32_t> root(mesh.vertexCount());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t v) {
    while (root[static_cast<std::size_t>(v)] != v)
      v = root[static_cast<std::size_t>(v)] =
          root[static_cast<std::size_t>(root[static_cast<std::size_t>(v)])];
    return v;
  };
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 1; k < 3; ++k) {
      const std::int32_t a = find(t[0]), b = find(t[k]);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::vector<double> volume(mesh.vertexCount(), 0);
  for (const Triangle& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    volume[static_cast<std::size_t>(find(t[0]))] += at(0).dot(at(1).cross(at(2))) / 6;
  }
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return std::abs(volume[static_cast<std::size_t>(find(t[0]))]) < smallest;
  });
  removeUnusedVertices(mesh);
}

TriangleMesh meshField(const BlockField& blocks, const Box& box, double cellSize, int relaxations) {
  const openvdb::FloatGrid::Ptr grid = sampleField(blocks, box, cellSize);
  TriangleMesh mesh = meshFromGrid(*grid, cellSize);
  dropCrumbs(mesh, std::max(kSmallestPiece, 8 * cellSize * cellSize * cellSize));
  relaxOntoField(mesh, blocks, cellSize, relaxations);
  return mesh;
}

}  // namespace internal

TriangleMesh makeBoneMesh(const BoneShape& shape, double resolution) {
  if (!(resolution > 0)) throw InputError("bone mesh: resolution must be > 0 [m]");
  const internal::ShapeField field(shape);
  const Box box = field.bounds();
  if (box.empty()) return {};
  const internal::BlockField blocks = [&](const Box& cell, double reach) {
    std::vector<int> active;
    field.collectActive(cell, reach, active);
    if (active.empty()) return internal::FieldFunction();
    return internal::FieldFunction(
        [&field, active = std::move(active)](const Vec3& p) { return field.distance(p, active); });
  };
  return internal::meshField(blocks, box, resolution);
}

std::vector<Vec3> drawnOntoBone(const BoneShape& shape, std::vector<Vec3> places) {
  constexpr int kSteps = 3;
  constexpr double kCell = 0.004, kReach = 0.01;  // [m]; a step goes half a cell at most
  const internal::ShapeField field(shape);
  std::vector<int> active;
  for (Vec3& p : places) {
    Box around;
    around.add(p);
    field.collectActive(around, kReach, active);
    if (active.empty()) continue;
    const internal::FieldFunction f = [&](const Vec3& q) { return field.distance(q, active); };
    for (int step = 0; step < kSteps; ++step) p = internal::drawnToSurface(p, f, kCell);
  }
  return places;
}

}  // namespace pneuma::anatomy
