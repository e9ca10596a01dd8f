#include <algorithm>
#include <bit>

#include "flesh/embedded/lattice_tree.h"
#include "pneuma/core/check.h"

namespace pneuma::flesh::embedded {
namespace {

using bcc::Int3;

const TreeNode& nodeOf(const LatticeTree& tree, const MeshCell& cell) {
  return tree.levels[static_cast<std::size_t>(cell.level)][static_cast<std::size_t>(cell.node)];
}

/// The connected piece of `mask` that holds its lowest bit.
std::uint64_t firstPiece(std::uint64_t mask) {
  const auto& neighbours = bcc::microTables().neighbours;
  std::uint64_t piece = mask & (~mask + 1), front = piece;
  while (front) {
    std::uint64_t reached = 0;
    for (; front; front &= front - 1)
      reached |= neighbours[static_cast<std::size_t>(std::countr_zero(front))];
    front = reached & mask & ~piece;
    piece |= front;
  }
  return piece;
}

/// A face as its sorted nodes; `sub`: a quarter of a larger cell's face.
struct FaceRecord {
  std::array<std::uint64_t, 3> key;
  std::int32_t cell;
  std::int8_t face;
  bool sub;
  bool operator<(const FaceRecord& b) const {
    return std::tie(key, sub, cell) < std::tie(b.key, b.sub, b.cell);
  }
};

FaceRecord record(const bcc::Points& p, const std::array<int, 3>& places, std::int32_t cell,
                  int face, bool sub) {
  FaceRecord r{{}, cell, static_cast<std::int8_t>(face), sub};
  for (std::size_t k = 0; k < 3; ++k) r.key[k] = bcc::pack(p[static_cast<std::size_t>(places[k])]);
  std::sort(r.key.begin(), r.key.end());
  return r;
}

std::vector<FaceRecord> faceRecords(const LatticeTree& tree, const std::vector<MeshCell>& cells) {
  std::vector<FaceRecord> records;
  records.reserve(cells.size() * 5);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const bcc::Points p = bcc::pointsOf(nodeOf(tree, cells[c]).corners);
    const auto self = static_cast<std::int32_t>(c);
    for (int f = 0; f < 4; ++f) {
      const auto& corner = bcc::kFaces[static_cast<std::size_t>(f)];
      records.push_back(record(p, corner, self, f, false));
      if (cells[c].level == tree.finest()) continue;
      const int a = bcc::midpoint(corner[0], corner[1]), b = bcc::midpoint(corner[1], corner[2]),
                d = bcc::midpoint(corner[0], corner[2]);
      for (const std::array<int, 3>& quarter :
           {std::array{corner[0], a, d}, {corner[1], a, b}, {corner[2], b, d}, {a, b, d}})
        records.push_back(record(p, quarter, self, f, true));
    }
  }
  std::sort(records.begin(), records.end());
  return records;
}

/// Whether the material of two copies meets across the face they share.
bool meets(const LatticeTree& tree, const MeshCell& a, int faceA, const MeshCell& b, int faceB,
           bool sameSize) {
  const bcc::MicroTables& t = bcc::microTables();
  const auto fa = static_cast<std::size_t>(faceA), fb = static_cast<std::size_t>(faceB);
  if (!sameSize) return (a.piece & t.faceMask[fa]) != 0;  // the larger one is full
  if (a.piece == kFullPiece && b.piece == kFullPiece) return true;
  const auto order = [&](const MeshCell& cell, std::size_t f) -> const auto& {
    const bcc::Corners& c = nodeOf(tree, cell).corners;
    const auto key = [&](std::size_t k) {
      return bcc::pack(c[static_cast<std::size_t>(bcc::kFaces[f][k])]);
    };
    return t.onFace[f][static_cast<std::size_t>(bcc::permutationOf(key(0), key(1), key(2)))];
  };
  const auto &orderA = order(a, fa), &orderB = order(b, fb);
  for (std::size_t k = 0; k < 16; ++k)
    if ((a.piece >> orderA[k] & 1) && (b.piece >> orderB[k] & 1)) return true;
  return false;
}

/// Cells that touch across each face of the sorted records: equal faces, or a face and a quarter.
std::vector<Connection> connect(const LatticeTree& tree, const std::vector<MeshCell>& cells) {
  const std::vector<FaceRecord> records = faceRecords(tree, cells);
  std::vector<Connection> connections;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end].key == records[begin].key;) ++end;
    for (std::size_t i = begin; i < end && !records[i].sub; ++i)
      for (std::size_t j = i + 1; j < end; ++j) {
        const FaceRecord &a = records[i], &b = records[j];
        const MeshCell &ca = cells[static_cast<std::size_t>(a.cell)],
                       &cb = cells[static_cast<std::size_t>(b.cell)];
        if (ca.level == cb.level && ca.node == cb.node) continue;  // two copies of one cell
        if (meets(tree, ca, a.face, cb, b.face, !b.sub))
          connections.push_back({a.cell, b.cell, a.face, b.face});
      }
  }
  std::sort(connections.begin(), connections.end());
  return connections;
}

/// Leaves out connected sets of cells that hold less material than one finest cell.
void dropSpecks(const LatticeTree& tree, CellMesh& mesh) {
  UnionFind sets(mesh.cells.size());
  for (const Connection& c : mesh.connections) sets.join(c.a, c.b);
  std::vector<double> material(mesh.cells.size(), 0.0);
  for (std::size_t i = 0; i < mesh.cells.size(); ++i)
    material[static_cast<std::size_t>(sets.find(static_cast<std::int32_t>(i)))] +=
        std::popcount(mesh.cells[i].piece) / 64.0 *
        static_cast<double>(1 << 3 * (tree.finest() - mesh.cells[i].level));
  std::vector<std::int32_t> moved(mesh.cells.size(), -1);
  std::vector<MeshCell> kept;
  for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
    if (material[static_cast<std::size_t>(sets.find(static_cast<std::int32_t>(i)))] < 1) continue;
    moved[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back(mesh.cells[i]);
  }
  std::erase_if(mesh.connections,
                [&](const Connection& c) { return moved[static_cast<std::size_t>(c.a)] < 0; });
  for (Connection& c : mesh.connections) {
    c.a = moved[static_cast<std::size_t>(c.a)];
    c.b = moved[static_cast<std::size_t>(c.b)];
  }
  mesh.cells = std::move(kept);
}

}  // namespace

// Cells are put in Morton order first: neighbours in space become neighbours in memory, and the
// numbering depends on nothing else.
CellMesh makeCopies(const LatticeTree& tree) {
  CellMesh mesh;
  struct Ordered {
    std::uint64_t code;
    MeshCell cell;
  };
  std::vector<Ordered> leaves;
  for (int l = 0; l <= tree.finest(); ++l) {
    const auto& cells = tree.levels[static_cast<std::size_t>(l)];
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].leaf()) continue;
      const auto& c = cells[i].corners;
      const Int3 sum = c[0] + c[1] + c[2] + c[3];
      leaves.push_back({mortonCode({sum.x / 4, sum.y / 4, sum.z / 4}),
                        {l, static_cast<std::int32_t>(i), cells[i].material}});
    }
  }
  std::sort(leaves.begin(), leaves.end(), [](const Ordered& a, const Ordered& b) {
    return std::tie(a.code, a.cell.level, a.cell.node) <
           std::tie(b.code, b.cell.level, b.cell.node);
  });
  for (const Ordered& leaf : leaves)
    for (std::uint64_t rest = leaf.cell.piece; rest;) {
      const std::uint64_t piece = rest == kFullPiece ? rest : firstPiece(rest);
      mesh.cells.push_back({leaf.cell.level, leaf.cell.node, piece});
      rest &= ~piece;
    }
  mesh.connections = connect(tree, mesh.cells);
  dropSpecks(tree, mesh);
  return mesh;
}

CellMesh coarsened(const LatticeTree& tree, const CellMesh& mesh, int deepest,
                   std::vector<std::int32_t>& groupOf) {
  const auto parentOf = [&](std::int32_t c) {
    const MeshCell& cell = mesh.cells[static_cast<std::size_t>(c)];
    return cell.level == deepest ? nodeOf(tree, cell).parent : -1;
  };
  // Siblings whose material hangs together inside their parent.
  UnionFind groups(mesh.cells.size());
  for (const Connection& c : mesh.connections)
    if (parentOf(c.a) >= 0 && parentOf(c.a) == parentOf(c.b)) groups.join(c.a, c.b);
  CellMesh result;
  groupOf.assign(mesh.cells.size(), -1);
  for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
    const auto self = static_cast<std::int32_t>(i);
    const std::int32_t head = groups.find(self);
    if (head != self) {
      groupOf[i] = groupOf[static_cast<std::size_t>(head)];
      continue;
    }
    groupOf[i] = static_cast<std::int32_t>(result.cells.size());
    const std::int32_t parent = parentOf(self);
    result.cells.push_back(parent < 0 ? mesh.cells[i] : MeshCell{deepest - 1, parent});
  }
  // What met across a face of a child meets across the parent's.
  const auto faceOf = [&](std::int32_t c, std::int8_t face) {
    const MeshCell& cell = mesh.cells[static_cast<std::size_t>(c)];
    if (cell.level != deepest) return static_cast<int>(face);
    return bcc::microTables()
        .parentFace[nodeOf(tree, cell).childSlot][static_cast<std::size_t>(face)];
  };
  for (const Connection& c : mesh.connections) {
    const std::int32_t a = groupOf[static_cast<std::size_t>(c.a)],
                       b = groupOf[static_cast<std::size_t>(c.b)];
    if (a == b) continue;
    Connection next{a, b, static_cast<std::int8_t>(faceOf(c.a, c.faceA)),
                    static_cast<std::int8_t>(faceOf(c.b, c.faceB))};
    PNEUMA_CHECK(next.faceA >= 0 && next.faceB >= 0, "cells {} and {}", c.a, c.b);
    const int la = result.cells[static_cast<std::size_t>(a)].level,
              lb = result.cells[static_cast<std::size_t>(b)].level;
    if (la < lb || (la == lb && b < a)) {
      std::swap(next.a, next.b);
      std::swap(next.faceA, next.faceB);
    }
    result.connections.push_back(next);
  }
  std::sort(result.connections.begin(), result.connections.end());
  result.connections.erase(std::unique(result.connections.begin(), result.connections.end()),
                           result.connections.end());
  return result;
}

}  // namespace pneuma::flesh::embedded
