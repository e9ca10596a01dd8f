#include "flesh/grid/grid_lattice.h"

#include <cmath>
#include <utility>

#include "flesh/grid/grid_forces.h"
#include "flesh/grid/grid_terms.h"

namespace pneuma::flesh {
namespace {

using V = Lane3<Double4>;
using Read = Components<const double>;
using Write = Components<double>;

/// Weight of a term without its modulus.
double weight(double k, double phi, double stiffness, double viscosity) {
  return stiffness > 0 ? k / stiffness : viscosity > 0 ? phi / viscosity : 0;
}

/// Eq. 2 on the edges that begin at these nodes: alpha + gamma times the edge.
PNEUMA_INLINE void addEdges(const GridLattice& lattice, int at, const V (&p)[8], const V (&v)[8],
                            V (&f)[8]) {
  const GridField<double>& terms = lattice.terms();
  for (int axis = 0; axis < 3; ++axis) {
    const int c = kAxisCorner[axis];
    const auto i = static_cast<std::size_t>(axis);
    const V e = p[c] - p[0], rate = v[c] - v[0];
    const Double4 w = loadLane(terms[GridLattice::kEdgeWeight + axis] + at);
    const Double4 g0 = loadLane(terms[GridLattice::kEdgeRest + axis] + at);
    const Double4 tension =
        w * (lattice.stiffness()[i] * (dot(e, e) - g0) + 2 * lattice.viscosity()[i] * dot(e, rate));
    const V pull = e * tension;
    f[0] += pull;
    f[c] -= pull;
  }
}

/// Eq. 2 on the faces: each pair of edges pulls either edge along the other.
PNEUMA_INLINE void addFaces(const GridLattice& lattice, int at, const V (&p)[8], const V (&v)[8],
                            V (&f)[8]) {
  for (int face = 0; face < 3; ++face) {
    const int c1 = kAxisCorner[kFaceAxes[face][0]], c2 = kAxisCorner[kFaceAxes[face][1]];
    const V e[4]{p[c1] - p[0], p[c1 | c2] - p[c2], p[c2] - p[0], p[c1 | c2] - p[c1]};
    const V r[4]{v[c1] - v[0], v[c1 | c2] - v[c2], v[c2] - v[0], v[c1 | c2] - v[c1]};
    const double k = lattice.stiffness()[static_cast<std::size_t>(3 + face)];
    const double phi = lattice.viscosity()[static_cast<std::size_t>(3 + face)];
    Double4 s[4];
    for (int pair = 0; pair < 4; ++pair) {
      const int i = pair / 2, j = 2 + pair % 2;
      const int term = GridLattice::kFace + 8 * face + pair;
      const Double4 w = loadLane(lattice.terms()[term] + at);
      const Double4 g0 = loadLane(lattice.terms()[term + 4] + at);
      s[pair] = w * (k * (dot(e[i], e[j]) - g0) + phi * (dot(e[i], r[j]) + dot(e[j], r[i])));
    }
    const V f0 = e[2] * s[0] + e[3] * s[1], f1 = e[2] * s[2] + e[3] * s[3];
    const V f2 = e[0] * s[0] + e[1] * s[2], f3 = e[0] * s[1] + e[1] * s[3];
    f[0] += f0 + f2;
    f[c1] += f3 - f0;
    f[c2] += f1 - f2;
    f[c1 | c2] -= f1 + f3;
  }
}

/// The variation of Eq. 3: pressure times the gradient of the cell's volume.
PNEUMA_INLINE void addCells(const GridLattice& lattice, int at, V (&p)[8], V (&f)[8]) {
  for (int c = 7; c >= 0; --c) p[c] -= p[0];
  V gradient[8];
  const Double4 volume = cellVolume(p, gradient);
  const Double4 pressure = -2 * loadLane(lattice.terms()[GridLattice::kPsi] + at) *
                           (volume - loadLane(lattice.terms()[GridLattice::kVolume] + at));
  for (int c = 0; c < 8; ++c) f[c] += gradient[c] * pressure;
}

/// Forces of all terms. What goes to corners 1, 3, 5, 7 is summed one place too low in `high`: a
/// lane is then never added to one that overlaps it by all but one node, which would stall.
PNEUMA_CLONED void addTerms(const GridLattice& lattice, const Read& q, const Read& v,
                            const Write& low, const Write& high) {
  const CornerOffsets& offset = lattice.corners();
  for (int at = 0; at < lattice.size().nodeCount(); at += 4) {
    V p[8], r[8], f[8];
    for (int c = 0; c < 8; ++c) {
      p[c] = loadLanes(q, at + offset.at[c]);
      r[c] = loadLanes(v, at + offset.at[c]);
      f[c] = {Double4{}, Double4{}, Double4{}};
    }
    addEdges(lattice, at, p, r, f);
    addFaces(lattice, at, p, r, f);
    if (!lattice.size().isSurface()) addCells(lattice, at, p, f);
    for (int c = 0; c < 8; c += 2) {
      const int to = at + offset.at[c];
      addLanes(low, to, f[c]);
      addLanes(high, to, f[c + 1]);
    }
  }
}

}  // namespace

GridLattice::GridLattice(const GridSolid& solid)
    : size_(solid.size),
      corners_(solid.size),
      terms_(solid.size, kComponents),
      coarse_(solid.size, kComponents) {
  const GridMaterial& m = solid.material;
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    stiffness_[i] = m.stiffness(axis, axis), viscosity_[i] = m.viscosity(axis, axis);
    const int a = kFaceAxes[axis][0], b = kFaceAxes[axis][1];
    stiffness_[3 + i] = m.stiffness(a, b), viscosity_[3 + i] = m.viscosity(a, b);
  }
  // A surface has edges along axes 1 and 2 only, where its strides of axes 2 and 3 are both 1.
  const auto axisOf = [&](int distance) {
    return distance == corners_.at[4] ? 0 : distance == corners_.at[2] ? 1 : 2;
  };
  for (const GridEdge& t : solid.edges) {
    const int axis = axisOf(t.b - t.a);
    const auto i = static_cast<std::size_t>(axis);
    terms_[kEdgeWeight + axis][t.a] = weight(t.k, t.phi, stiffness_[i], viscosity_[i]);
    terms_[kEdgeRest + axis][t.a] = t.g0;
  }
  for (const GridFace& t : solid.faces) {
    const int at = t.nodes[0];
    const int face = axisOf(t.nodes[1] - at) + axisOf(t.nodes[2] - at) - 1;
    const auto i = static_cast<std::size_t>(3 + face);
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const int term = kFace + 8 * face + static_cast<int>(pair);
      terms_[term][at] = weight(t.k[pair], t.phi[pair], stiffness_[i], viscosity_[i]);
      terms_[term + 4][at] = t.g0[pair];
    }
  }
  for (const GridCell& t : solid.cells) {
    terms_[kPsi][t.nodes[0]] = t.psi;
    terms_[kVolume][t.nodes[0]] = t.v0;
  }
  for (int c = 0; c < kComponents; ++c)
    for (int n = 0; n < size_.nodeCount(); ++n)
      coarse_[c][n] = static_cast<float>(c == kPsi ? std::sqrt(2 * terms_[c][n]) : terms_[c][n]);
}

GridForces::GridForces(const GridModel& model)
    : model_(model),
      lattice_(model.solid),
      q_(model.solid.size, 3),
      v_(model.solid.size, 3),
      low_(model.solid.size, 3),
      high_(model.solid.size, 3) {}

void GridForces::compute(double t, const VecX& q, const VecX& v, VecX& f) {
  if (model_.form != GridForm::Energy) return computeForces(model_, t, q, v, f);
  const int nodes = model_.solid.nodeCount();
  const Write p = q_.vectors(), r = v_.vectors(), low = low_.vectors(), high = high_.vectors();
  for (int i = 0; i < nodes; ++i) {
    p.x[i] = q[3 * i], p.y[i] = q[3 * i + 1], p.z[i] = q[3 * i + 2];
    r.x[i] = v[3 * i], r.y[i] = v[3 * i + 1], r.z[i] = v[3 * i + 2];
  }
  low_.clear(), high_.clear();
  addTerms(lattice_, std::as_const(q_).vectors(), std::as_const(v_).vectors(), low, high);
  for (int i = 0; i < nodes; ++i)
    node(f, i) = model_.solid.mass[static_cast<std::size_t>(i)] * model_.gravity +
                 Vec3(low.x[i] + high.x[i - 1], low.y[i] + high.y[i - 1], low.z[i] + high.z[i - 1]);
  addAttachedForces(model_, t, q, v, f);
}

}  // namespace pneuma::flesh
