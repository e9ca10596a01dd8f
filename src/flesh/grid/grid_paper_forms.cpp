#include "flesh/grid/grid_paper_forms.h"

#include <array>
#include <cmath>

#include "flesh/grid/grid_terms.h"

namespace pneuma::flesh {
namespace {

using Index3 = std::array<int, 3>;

/// Nodal quantities of the paper's discretisation, with parametric spacing 1.
///
///   D+_i r [n] = r[n + 1_i] - r[n],   D-_i s [n] = s[n] - s[n - 1_i]
///
/// Natural boundaries: a forward difference that would leave the grid is zero, and so is a flux
/// before the first node.
class PaperGrid {
 public:
  PaperGrid(const GridSolid& solid, const VecX& q, const VecX& v) : solid_(solid), q_(q), v_(v) {
    count_ = {solid.size.m, solid.size.n, solid.size.o};
    stride_ = {solid.size.n * solid.size.o, solid.size.o, 1};
    nodes_.resize(static_cast<std::size_t>(solid.nodeCount()));
    forEachNode([&](int i, const Index3& p) { evaluate(i, p); });
  }

  void addTo(GridForm form, VecX& f) {
    switch (form) {
      case GridForm::PaperFluxes:
        return addFluxes(f);
      case GridForm::PaperTermwise:
        return addTermwise(f);
      default:
        return addPrinted(f);
    }
  }

 private:
  struct Nodal {
    std::array<Vec3, 3> d;         ///< D+_i r
    std::array<Vec3, 3> cofactor;  ///< D+_j r x D+_k r
    Mat3 tension;                  ///< alpha_ij + gamma_ij
    double pressure;               ///< 2 psi (dV - dV0)
  };

  template <class Body>
  void forEachNode(Body&& body) const {
    int i = 0;
    for (int a = 0; a < count_[0]; ++a)
      for (int b = 0; b < count_[1]; ++b)
        for (int c = 0; c < count_[2]; ++c) body(i++, Index3{a, b, c});
  }

  bool hasNext(const Index3& p, std::size_t axis) const { return p[axis] + 1 < count_[axis]; }
  bool hasPrevious(const Index3& p, std::size_t axis) const { return p[axis] > 0; }

  Vec3 restDifference(int i, const Index3& p, std::size_t axis) const {
    const int from = hasNext(p, axis) ? i : i - stride_[axis];
    return solid_.rest[static_cast<std::size_t>(from + stride_[axis])] -
           solid_.rest[static_cast<std::size_t>(from)];
  }

  void evaluate(int i, const Index3& p) {
    Nodal& n = nodes_[static_cast<std::size_t>(i)];
    std::array<Vec3, 3> rate, rest;
    std::array<bool, 3> open{};
    for (std::size_t x = 0; x < 3; ++x) {
      open[x] = hasNext(p, x);
      n.d[x] = open[x] ? Vec3(node(q_, i + stride_[x]) - node(q_, i)) : Vec3::Zero();
      rate[x] = open[x] ? Vec3(node(v_, i + stride_[x]) - node(v_, i)) : Vec3::Zero();
      rest[x] = solid_.size.isSurface() && x == 2 ? Vec3::Zero() : restDifference(i, p, x);
    }
    const double dV0 = solid_.size.isSurface()
                           ? solid_.material.thickness * rest[0].cross(rest[1]).norm()
                           : rest[0].dot(rest[1].cross(rest[2]));
    n.tension.setZero();
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 3; ++y) {
        const auto a = static_cast<std::size_t>(x), b = static_cast<std::size_t>(y);
        if (!open[a] || !open[b]) continue;
        const double scale = dV0 / (2 * rest[a].squaredNorm() * rest[b].squaredNorm());
        const double strain = n.d[a].dot(n.d[b]) - rest[a].dot(rest[b]);
        const double strainRate = n.d[a].dot(rate[b]) + n.d[b].dot(rate[a]);
        n.tension(x, y) = scale * (solid_.material.stiffness(x, y) * strain +
                                   solid_.material.viscosity(x, y) * strainRate);
      }
    const bool whole = open[0] && open[1] && open[2];
    for (std::size_t x = 0; x < 3; ++x)
      n.cofactor[x] = whole ? n.d[(x + 1) % 3].cross(n.d[(x + 2) % 3]) : Vec3(Vec3::Zero());
    n.pressure = whole ? solid_.material.bulk / dV0 * (n.d[0].dot(n.cofactor[0]) - dV0) : 0.0;
  }

  /// f += sum_i D-_i flux_i, the flux given per node and axis.
  template <class Flux>
  void addDivergence(VecX& f, Flux&& flux) {
    forEachNode([&](int i, const Index3& p) {
      for (std::size_t x = 0; x < 3; ++x) {
        node(f, i) += flux(i, x);
        if (hasPrevious(p, x)) node(f, i) -= flux(i - stride_[x], x);
      }
    });
  }

  // Eq. 2 with dr/da_j, Eq. 4 with the factor inside the derivative.
  void addFluxes(VecX& f) {
    addDivergence(f, [&](int i, std::size_t x) -> Vec3 {
      const Nodal& n = nodes_[static_cast<std::size_t>(i)];
      Vec3 flux = n.pressure * n.cofactor[x];
      for (std::size_t y = 0; y < 3; ++y)
        flux += n.tension(static_cast<int>(x), static_cast<int>(y)) * n.d[y];
      return flux;
    });
  }

  // The same two equations letter by letter: dr/da_i, and the factor in front.
  void addPrinted(VecX& f) {
    addDivergence(f, [&](int i, std::size_t x) -> Vec3 {
      const Nodal& n = nodes_[static_cast<std::size_t>(i)];
      return n.tension.row(static_cast<int>(x)).sum() * n.d[x];
    });
    forEachNode([&](int i, const Index3& p) {
      const Nodal& n = nodes_[static_cast<std::size_t>(i)];
      for (std::size_t x = 0; x < 3; ++x) {
        Vec3 change = n.cofactor[x];
        if (hasPrevious(p, x))
          change -= nodes_[static_cast<std::size_t>(i - stride_[x])].cofactor[x];
        node(f, i) += n.pressure * change;
      }
    });
  }

  // Product rule: D-_i(alpha_ij) D+_j r + alpha_ij D_ij r with central and cross second
  // differences; the divergence of the cofactors is left out, it is zero in the continuum.
  void addTermwise(VecX& f) {
    forEachNode([&](int i, const Index3& p) {
      const Nodal& n = nodes_[static_cast<std::size_t>(i)];
      for (std::size_t x = 0; x < 3; ++x) {
        const Nodal* before =
            hasPrevious(p, x) ? &nodes_[static_cast<std::size_t>(i - stride_[x])] : nullptr;
        node(f, i) += (n.pressure - (before ? before->pressure : 0)) * n.cofactor[x];
        for (std::size_t y = 0; y < 3; ++y) {
          const int a = static_cast<int>(x), b = static_cast<int>(y);
          const double change = n.tension(a, b) - (before ? before->tension(a, b) : 0);
          node(f, i) += change * n.d[y] + n.tension(a, b) * second(i, p, x, y);
        }
      }
    });
  }

  Vec3 second(int i, const Index3& p, std::size_t x, std::size_t y) const {
    if (!hasNext(p, x) || !hasPrevious(p, x) || !hasNext(p, y) || !hasPrevious(p, y))
      return Vec3::Zero();
    const int sx = stride_[x], sy = stride_[y];
    if (x == y) return node(q_, i + sx) - 2 * node(q_, i) + node(q_, i - sx);
    return 0.25 * (node(q_, i + sx + sy) - node(q_, i + sx - sy) - node(q_, i - sx + sy) +
                   node(q_, i - sx - sy));
  }

  const GridSolid& solid_;
  const VecX& q_;
  const VecX& v_;
  Index3 count_{}, stride_{};
  std::vector<Nodal> nodes_;
};

}  // namespace

void addPaperForces(const GridSolid& solid, GridForm form, const VecX& q, const VecX& v, VecX& f) {
  PaperGrid(solid, q, v).addTo(form, f);
}

}  // namespace pneuma::flesh
