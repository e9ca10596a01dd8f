#include "flesh/grid_tangent.h"

#include <algorithm>
#include <cmath>

#include "flesh/grid_terms.h"

namespace pneuma::flesh {
namespace {

/// A spring-like pair: along * n n^T (n given as a lane of length sqrt) + across * I.
void addPair(GridStencil& A, int a, int b, const Lane& along, float across) {
  A.addOuter(a, a, along, along);
  A.addOuter(b, b, along, along);
  const Lane back = -along;
  A.addOuter(a, b, along, back);
  A.addOuter(b, a, along, back);
  if (across <= 0) return;
  A.addDiagonal(a, a, across);
  A.addDiagonal(b, b, across);
  A.addDiagonal(a, b, -across);
  A.addDiagonal(b, a, -across);
}

void addEdges(const GridSolid& solid, const VecX& q, double h, GridStencil& A) {
  for (const GridEdge& t : solid.edges) {
    const Vec3 e = node(q, t.b) - node(q, t.a);
    const double tension = t.k * (e.squaredNorm() - t.g0);
    const double stiff = std::sqrt(2 * h * (h * t.k + t.phi));
    addPair(A, t.a, t.b, lane(stiff * e), static_cast<float>(h * h * tension));
  }
}

/// A 3x3 block as three columns.
struct Block {
  Lane c0 = Lane::Zero(), c1 = Lane::Zero(), c2 = Lane::Zero();
  static Block outer(const Lane& u, const Lane& w) { return {u * w[0], u * w[1], u * w[2]}; }
  Block operator+(const Block& b) const { return {c0 + b.c0, c1 + b.c1, c2 + b.c2}; }
  Block operator-(const Block& b) const { return {c0 - b.c0, c1 - b.c1, c2 - b.c2}; }
  Block operator-() const { return {-c0, -c1, -c2}; }
  void addIdentity(float x) { c0[0] += x, c1[1] += x, c2[2] += x; }
};

void addBlock(GridStencil& A, int row, int column, const Block& b) {
  A.addColumns(row, column, b.c0, b.c1, b.c2);
}

// Shear energy k/2 (e1.e2 - g0)^2 of each pair of edges: a rank-one part, and s (e1.e2)'' whose
// positive half is s/2 (e1 + e2)^2 for s > 0 and |s|/2 (e1 - e2)^2 for s < 0. Summed over the edges
// first, then spread to the nodes.
void addFaces(const GridSolid& solid, const VecX& q, double h, GridStencil& A) {
  for (const GridFace& t : solid.faces) {
    const std::array<Vec3, 4> e = faceEdges(q, t);
    std::array<Lane, 4> l;
    for (std::size_t i = 0; i < 4; ++i) l[i] = lane(e[i]);
    std::array<Block, 4> H, m, mT;  // per edge; per pair (rows of the first edge) and transposed
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const std::size_t i = pair / 2, j = 2 + pair % 2;
      const double s = h * h * t.k[pair] * (e[i].dot(e[j]) - t.g0[pair]);
      const auto stiff = static_cast<float>(h * (h * t.k[pair] + t.phi[pair]));
      const Lane wi = stiff * l[i], wj = stiff * l[j];
      H[i] = H[i] + Block::outer(wj, l[j]);
      H[j] = H[j] + Block::outer(wi, l[i]);
      m[pair] = Block::outer(wj, l[i]);
      mT[pair] = Block::outer(wi, l[j]);
      const auto half = static_cast<float>(0.5 * s);
      H[i].addIdentity(std::abs(half)), H[j].addIdentity(std::abs(half));
      m[pair].addIdentity(half), mT[pair].addIdentity(half);
    }
    // Edges 0: p1-p0, 1: p3-p2, 2: p2-p0, 3: p3-p1; pairs 0: (0,2), 1: (0,3), 2: (1,2), 3: (1,3).
    const auto& n = t.nodes;
    addBlock(A, n[0], n[0], H[0] + H[2] + (m[0] + mT[0]));
    addBlock(A, n[1], n[1], H[0] + H[3] - (m[1] + mT[1]));
    addBlock(A, n[2], n[2], H[1] + H[2] - (m[2] + mT[2]));
    addBlock(A, n[3], n[3], H[1] + H[3] + (m[3] + mT[3]));
    addBlock(A, n[0], n[1], m[1] - H[0] - mT[0]);
    addBlock(A, n[1], n[0], mT[1] - H[0] - m[0]);
    addBlock(A, n[0], n[2], mT[2] - H[2] - m[0]);
    addBlock(A, n[2], n[0], m[2] - H[2] - mT[0]);
    addBlock(A, n[0], n[3], -(m[1] + mT[2]));
    addBlock(A, n[3], n[0], -(mT[1] + m[2]));
    addBlock(A, n[1], n[2], m[0] + mT[3]);
    addBlock(A, n[2], n[1], mT[0] + m[3]);
    addBlock(A, n[1], n[3], m[1] - H[3] - mT[3]);
    addBlock(A, n[3], n[1], mT[1] - H[3] - m[3]);
    addBlock(A, n[2], n[3], mT[2] - H[1] - m[3]);
    addBlock(A, n[3], n[2], m[2] - H[1] - mT[3]);
  }
}

void addCells(const GridSolid& solid, const VecX& q, double h, GridStencil& A) {
  std::array<Vec3, 8> gradient;
  std::array<Lane, 8> g;
  for (const GridCell& t : solid.cells) {
    if (t.psi == 0) continue;
    hexahedronVolume(gather(q, t), gradient);
    const double stiff = h * std::sqrt(2 * t.psi);
    for (std::size_t c = 0; c < 8; ++c) g[c] = lane(stiff * gradient[c]);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < 8; ++b) A.addOuter(t.nodes[a], t.nodes[b], g[a], g[b]);
  }
}

// Bending reaches two nodes far, beyond the stencil: its diagonal bound stands in for it.
void addBends(const GridSolid& solid, double h, GridStencil& A) {
  for (const GridBend& t : solid.bends) {
    const auto k = static_cast<float>(4 * h * h * t.k);
    A.addDiagonal(t.previous, t.previous, k);
    A.addDiagonal(t.next, t.next, k);
    A.addDiagonal(t.mid, t.mid, 2 * k);
  }
}

void addFibresAndTendons(const GridModel& model, double time, const VecX& q, const VecX& v,
                         double h, GridStencil& A) {
  const double activation = model.activation.at(time);
  for (const GridFibre& fibre : model.fibres) {
    const Vec3 e = node(q, fibre.b) - node(q, fibre.a);
    const double length = e.norm();
    const double rate = e.dot(node(v, fibre.b) - node(v, fibre.a)) / length;
    const FibreForce f = fibreForce(model, fibre, activation, length, rate);
    // The sum counts: damping makes up for the falling side of the force-length curve.
    const double along = h * std::max(0.0, h * f.dLength + f.dRate);
    const double across = h * h * std::max(0.0, f.force / length);
    const double extra = std::max(0.0, along - across);
    addPair(A, fibre.a, fibre.b, lane(std::sqrt(extra) / length * e), static_cast<float>(across));
  }
  for (const GridTendon& tendon : model.tendons) {
    const Vec3 d = model.anchors[static_cast<std::size_t>(tendon.anchor)](time) * tendon.point -
                   node(q, tendon.node);
    const double length = d.norm();
    const muscle::CurvePoint f = model.curves.tendonForce(length / tendon.slack - 1);
    const double across = h * h * tendon.force * f.value / length;
    const double along = h * h * tendon.force * f.slope / tendon.slack;
    const Lane n = lane(std::sqrt(std::max(0.0, along - across)) / length * d);
    A.addOuter(tendon.node, tendon.node, n, n);
    A.addDiagonal(tendon.node, tendon.node, static_cast<float>(across));
  }
}

}  // namespace

void assembleTangent(const GridModel& model, double t, const VecX& q, const VecX& v, double h,
                     GridStencil& A) {
  A.clear();
  for (int i = 0; i < model.solid.nodeCount(); ++i)
    A.addDiagonal(i, i, static_cast<float>(model.solid.mass[static_cast<std::size_t>(i)]));
  addEdges(model.solid, q, h, A);
  addFaces(model.solid, q, h, A);
  addCells(model.solid, q, h, A);
  addBends(model.solid, h, A);
  addFibresAndTendons(model, t, q, v, h, A);
  for (const GridFixedNode& fixed : model.fixed) A.isolate(fixed.node);
}

}  // namespace pneuma::flesh
