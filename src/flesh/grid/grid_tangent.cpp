#include "flesh/grid/grid_tangent.h"

#include <algorithm>
#include <cmath>

#include "flesh/grid/grid_terms.h"

namespace pneuma::flesh {
namespace {

using V = Lane3<Float8>;

/// Rows of a 3x3 block.
struct Block {
  V x, y, z;
  PNEUMA_INLINE void operator+=(const Block& b) { x += b.x, y += b.y, z += b.z; }
  PNEUMA_INLINE void operator-=(const Block& b) { x -= b.x, y -= b.y, z -= b.z; }
  PNEUMA_INLINE void addIdentity(const Float8& s) { x.x += s, y.y += s, z.z += s; }
  PNEUMA_INLINE Block transposed() const {
    return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
  }
};
PNEUMA_INLINE Block outer(const V& u, const V& w) {
  return {w * u.x, w * u.y, w * u.z};
}
PNEUMA_INLINE Block operator+(const Block& a, const Block& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
PNEUMA_INLINE Block operator-(const Block& a, const Block& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// Number of the pair of corners a <= b among the 36 of a cell.
constexpr int pairOf(int a, int b) {
  return a * 8 - a * (a - 1) / 2 + b - a;
}

/// The blocks between the corners of the cells above eight nodes.
struct CellBlocks {
  Block pair[36];
  PNEUMA_INLINE Block& at(int a, int b) { return pair[pairOf(a, b)]; }
};

/// Moduli times powers of the step.
struct Scales {
  float elastic[6];  ///< h^2 C: times weight and strain, the tension
  float stiff[6];    ///< h (h C + eta)
  float h;
};

// One volume per cell: rank one.
PNEUMA_INLINE void setCells(const GridLattice& lattice, int at, float h, V (&p)[8],
                            CellBlocks& blocks) {
  for (int c = 7; c >= 0; --c) p[c] -= p[0];
  V g[8];
  cellVolume(p, g);
  const Float8 root = h * loadLane(lattice.coarseTerms()[GridLattice::kPsi] + at);
  for (V& x : g) x = x * root;
  for (int a = 0; a < 8; ++a)
    for (int b = a; b < 8; ++b) blocks.at(a, b) = outer(g[a], g[b]);
}

PNEUMA_INLINE void addEdges(const GridLattice& lattice, int at, const Scales& scales,
                            const V (&p)[8], CellBlocks& blocks) {
  for (int axis = 0; axis < 3; ++axis) {
    const int c = kAxisCorner[axis];
    const V e = p[c] - p[0];
    const Float8 w = loadLane(lattice.coarseTerms()[GridLattice::kEdgeWeight + axis] + at);
    const Float8 g0 = loadLane(lattice.coarseTerms()[GridLattice::kEdgeRest + axis] + at);
    Block b = outer(e * (2 * scales.stiff[axis] * w), e);
    b.addIdentity(positivePart(scales.elastic[axis] * w * (dot(e, e) - g0)));
    blocks.at(0, 0) += b;
    blocks.at(c, c) += b;
    blocks.at(0, c) -= b;
  }
}

// Shear energy k/2 (e1.e2 - g0)^2 of each pair of edges: a rank-one part, and s (e1.e2)'' whose
// positive half is s/2 (e1 + e2)^2 for s > 0 and |s|/2 (e1 - e2)^2 for s < 0. Summed over the edges
// first, then spread to the nodes.
PNEUMA_INLINE void addFaces(const GridLattice& lattice, int at, const Scales& scales,
                            const V (&p)[8], CellBlocks& blocks) {
  for (int face = 0; face < 3; ++face) {
    const int n1 = kAxisCorner[kFaceAxes[face][0]], n2 = kAxisCorner[kFaceAxes[face][1]];
    const int n3 = n1 | n2;  // 0 < n2 < n1 < n3
    const V e[4]{p[n1] - p[0], p[n3] - p[n2], p[n2] - p[0], p[n3] - p[n1]};
    Block H[4]{}, m[4], mT[4];  // per edge; per pair (rows of the second edge) and transposed
    for (int pair = 0; pair < 4; ++pair) {
      const int i = pair / 2, j = 2 + pair % 2;
      const int term = GridLattice::kFace + 8 * face + pair;
      const Float8 w = loadLane(lattice.coarseTerms()[term] + at);
      const Float8 g0 = loadLane(lattice.coarseTerms()[term + 4] + at);
      const Float8 half = 0.5f * scales.elastic[3 + face] * w * (dot(e[i], e[j]) - g0);
      const Float8 stiff = scales.stiff[3 + face] * w;
      const V wi = e[i] * stiff, wj = e[j] * stiff;
      H[i] += outer(wj, e[j]);
      H[j] += outer(wi, e[i]);
      H[i].addIdentity(absolute(half)), H[j].addIdentity(absolute(half));
      m[pair] = outer(wj, e[i]);
      m[pair].addIdentity(half);
      mT[pair] = m[pair].transposed();
    }
    // Edges 0: n1-0, 1: n3-n2, 2: n2-0, 3: n3-n1; pairs 0: (0,2), 1: (0,3), 2: (1,2), 3: (1,3).
    blocks.at(0, 0) += H[0] + H[2] + (m[0] + mT[0]);
    blocks.at(n1, n1) += H[0] + H[3] - (m[1] + mT[1]);
    blocks.at(n2, n2) += H[1] + H[2] - (m[2] + mT[2]);
    blocks.at(n3, n3) += H[1] + H[3] + (m[3] + mT[3]);
    blocks.at(0, n1) += m[1] - H[0] - mT[0];
    blocks.at(0, n2) += mT[2] - H[2] - m[0];
    blocks.at(0, n3) -= m[1] + mT[2];
    blocks.at(n2, n1) += mT[0] + m[3];
    blocks.at(n1, n3) += m[1] - H[3] - mT[3];
    blocks.at(n2, n3) += mT[2] - H[1] - m[3];
  }
}

PNEUMA_INLINE void spread(const CornerOffsets& offset, int at, const CellBlocks& blocks,
                          float* values, std::size_t stride) {
  for (int a = 0; a < 8; ++a)
    for (int b = a; b < 8; ++b) {
      const Block& block = blocks.pair[pairOf(a, b)];
      const bool diagonal = a == b;
      const int neighbour = GridStencil::neighbour(
          (b >> 2) - (a >> 2), ((b >> 1) & 1) - ((a >> 1) & 1), (b & 1) - (a & 1));
      float* to =
          values +
          (diagonal ? 0 : stride * static_cast<std::size_t>(GridStencil::block(neighbour))) + at +
          offset.at[a];
      const auto put = [&](const Float8& value) PNEUMA_LAMBDA {
        addLane(to, value);
        to += stride;
      };
      put(block.x.x), put(block.x.y), put(block.x.z);
      if (!diagonal) put(block.y.x);
      put(block.y.y), put(block.y.z);
      if (!diagonal) put(block.z.x), put(block.z.y);
      put(block.z.z);
    }
}

PNEUMA_CLONED void addTerms(const GridLattice& lattice, const Scales& scales,
                            const Components<const float>& q, float* values, std::size_t stride) {
  const CornerOffsets& offset = lattice.corners();
  for (int at = 0; at < lattice.size().nodeCount(); at += 8) {
    V p[8];
    for (int c = 0; c < 8; ++c) p[c] = loadLanes(q, at + offset.at[c]);
    CellBlocks blocks;
    setCells(lattice, at, scales.h, p, blocks);
    addEdges(lattice, at, scales, p, blocks);
    addFaces(lattice, at, scales, p, blocks);
    spread(offset, at, blocks, values, stride);
  }
}

// Bending reaches two nodes far, beyond the stencil: its diagonal bound stands in for it.
void addBends(const GridSolid& solid, double h, GridStencil& A) {
  for (const GridBend& t : solid.bends) {
    const auto k = static_cast<float>(4 * h * h * t.k);
    A.addDiagonal(t.previous, k);
    A.addDiagonal(t.next, k);
    A.addDiagonal(t.mid, 2 * k);
  }
}

/// Symmetric block of a spring: along n n^T + across (I - n n^T), the latter not negative.
struct SpringBlock {
  float xx, xy, xz, yy, yz, zz;
  SpringBlock(const Vec3& n, double along, double across) {
    const double side = std::max(0.0, across), extra = std::max(0.0, along - side);
    const Vec3 u = extra * n;
    xx = static_cast<float>(u.x() * n.x() + side), xy = static_cast<float>(u.x() * n.y());
    yy = static_cast<float>(u.y() * n.y() + side), xz = static_cast<float>(u.x() * n.z());
    zz = static_cast<float>(u.z() * n.z() + side), yz = static_cast<float>(u.y() * n.z());
  }
  void addTo(GridStencil& A, int node) const {
    const float values[6]{xx, xy, xz, yy, yz, zz};
    for (int c = 0; c < 6; ++c) A.component(c)[node] += values[c];
  }
  void subtractFrom(GridStencil& A, int node, int neighbour) const {
    const float values[9]{xx, xy, xz, xy, yy, yz, xz, yz, zz};
    for (int c = 0; c < 9; ++c) A.component(GridStencil::block(neighbour) + c)[node] -= values[c];
  }
};

void addFibresAndTendons(const GridModel& model, double time, const VecX& q, const VecX& v,
                         double h, GridStencil& A) {
  const double activation = model.activation.at(time);
  for (const GridFibre& fibre : model.fibres) {
    const Vec3 e = node(q, fibre.b) - node(q, fibre.a);
    const double length = e.norm();
    const double rate = e.dot(node(v, fibre.b) - node(v, fibre.a)) / length;
    const FibreForce f = fibreForce(model, fibre, activation, length, rate);
    // The sum counts: damping makes up for the falling side of the force-length curve.
    const SpringBlock block(e / length, h * std::max(0.0, h * f.dLength + f.dRate),
                            h * h * f.force / length);
    block.addTo(A, fibre.a);
    block.addTo(A, fibre.b);
    block.subtractFrom(A, fibre.a, GridStencil::kNextPlane);
  }
  for (const GridTendon& tendon : model.tendons) {
    const Vec3 d = model.anchors[static_cast<std::size_t>(tendon.anchor)](time) * tendon.point -
                   node(q, tendon.node);
    const double length = d.norm();
    const muscle::CurvePoint f = model.curves.tendonForce(length / tendon.slack - 1);
    SpringBlock(d / length, h * h * tendon.force * f.slope / tendon.slack,
                h * h * tendon.force * f.value / length)
        .addTo(A, tendon.node);
  }
}

}  // namespace

GridTangent::GridTangent(const GridModel& model, const GridLattice& lattice)
    : model_(model),
      lattice_(lattice),
      origin_(model.solid.rest[model.solid.rest.size() / 2]),
      q_(model.solid.size, 3) {}

void GridTangent::assemble(double t, const VecX& q, const VecX& v, double h, GridStencil& A) {
  A.clear();
  const GridSolid& solid = model_.solid;
  const Components<float> p = q_.vectors();
  for (int i = 0; i < solid.nodeCount(); ++i) {
    A.addDiagonal(i, static_cast<float>(solid.mass[static_cast<std::size_t>(i)]));
    const Vec3 x = node(q, i) - origin_;
    p.x[i] = static_cast<float>(x.x()), p.y[i] = static_cast<float>(x.y());
    p.z[i] = static_cast<float>(x.z());
  }
  Scales scales;
  scales.h = static_cast<float>(h);
  for (std::size_t i = 0; i < 6; ++i) {
    scales.elastic[i] = static_cast<float>(h * h * lattice_.stiffness()[i]);
    scales.stiff[i] =
        static_cast<float>(h * (h * lattice_.stiffness()[i] + lattice_.viscosity()[i]));
  }
  addTerms(lattice_, scales, std::as_const(q_).vectors(), A.component(0), A.stride());
  addBends(solid, h, A);
  addFibresAndTendons(model_, t, q, v, h, A);
  for (const GridFixedNode& fixed : model_.fixed) A.isolate(fixed.node);
  A.pack();
}

}  // namespace pneuma::flesh
