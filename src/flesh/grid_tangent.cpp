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

// Shear energy k/2 (e1.e2 - g0)^2: a rank-one part, and s (e1.e2)'' whose positive half is
// s/2 (e1 + e2)^2 for s > 0 and |s|/2 (e1 - e2)^2 for s < 0.
void addCorners(const GridSolid& solid, const VecX& q, double h, GridStencil& A) {
  for (const GridCorner& t : solid.corners) {
    const Vec3 c = node(q, t.c);
    const Vec3 e1 = node(q, t.a) - c, e2 = node(q, t.b) - c;
    const double s = t.k * (e1.dot(e2) - t.g0);
    const double stiff = std::sqrt(h * (h * t.k + t.phi));
    const Lane ga = lane(stiff * e2), gb = lane(stiff * e1), gc = -(ga + gb);
    A.addOuter(t.a, t.a, ga, ga);
    A.addOuter(t.b, t.b, gb, gb);
    A.addOuter(t.c, t.c, gc, gc);
    A.addOuter(t.a, t.b, ga, gb);
    A.addOuter(t.b, t.a, gb, ga);
    A.addOuter(t.a, t.c, ga, gc);
    A.addOuter(t.c, t.a, gc, ga);
    A.addOuter(t.b, t.c, gb, gc);
    A.addOuter(t.c, t.b, gc, gb);
    const auto half = static_cast<float>(0.5 * h * h * std::abs(s));
    A.addDiagonal(t.a, t.a, half);
    A.addDiagonal(t.b, t.b, half);
    const float sign = s > 0 ? 1.0f : -1.0f;
    A.addDiagonal(t.a, t.b, sign * half);
    A.addDiagonal(t.b, t.a, sign * half);
    if (s <= 0) continue;
    A.addDiagonal(t.c, t.c, 4 * half);
    for (const int end : {t.a, t.b}) {
      A.addDiagonal(end, t.c, -2 * half);
      A.addDiagonal(t.c, end, -2 * half);
    }
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
  addCorners(model.solid, q, h, A);
  addCells(model.solid, q, h, A);
  addBends(model.solid, h, A);
  addFibresAndTendons(model, t, q, v, h, A);
  for (const GridFixedNode& fixed : model.fixed) A.isolate(fixed.node);
}

}  // namespace pneuma::flesh
