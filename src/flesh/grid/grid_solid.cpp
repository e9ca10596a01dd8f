#include "pneuma/flesh/grid_solid.h"

#include <fmt/format.h>

#include <cmath>

#include "flesh/grid/grid_forces.h"
#include "flesh/grid/grid_terms.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {
namespace {

[[noreturn]] void failMaterial(const char* field, double value, const char* expected) {
  throw InputError(Diagnostic{.subject = "grid material",
                              .field = field,
                              .message = fmt::format("value {} is not usable", value),
                              .expected = expected});
}

void requireMaterial(const GridMaterial& m, bool surface) {
  const auto positive = [](const char* field, double x) {
    if (!(x > 0) || !std::isfinite(x)) failMaterial(field, x, "a number > 0");
  };
  const auto notNegative = [](const char* field, double x) {
    if (!(x >= 0) || !std::isfinite(x)) failMaterial(field, x, "a number >= 0");
  };
  positive("density", m.density);
  notNegative("bulk", m.bulk);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      notNegative("stiffness", m.stiffness(i, j));
      notNegative("viscosity", m.viscosity(i, j));
    }
  }
  if (!m.stiffness.isApprox(m.stiffness.transpose()))
    failMaterial("stiffness", m.stiffness(0, 1) - m.stiffness(1, 0), "a symmetric table");
  if (surface) positive("thickness", m.thickness), notNegative("bending", m.bending);
}

/// Builds the terms of a solid from its rest shape.
class Compiler {
 public:
  Compiler(const GridShape& shape, const GridMaterial& material) {
    solid_.size = shape.size;
    solid_.material = material;
    solid_.rest = shape.positions;
    solid_.mass.assign(shape.positions.size(), 0.0);
    count_ = {shape.size.m, shape.size.n, shape.size.o};
    stride_ = {shape.size.n * shape.size.o, shape.size.o, 1};
  }

  GridSolid compile() {
    solid_.size.isSurface() ? addSheets() : addCells();
    for (int axis = 0; axis < 3; ++axis) addEdges(axis);
    addFaces(0, 1, 2);
    addFaces(0, 2, 1);
    addFaces(1, 2, 0);
    if (solid_.size.isSurface() && solid_.material.bending > 0) addBends(0), addBends(1);
    return std::move(solid_);
  }

 private:
  using Index3 = std::array<int, 3>;

  int id(const Index3& p) const {
    return p[0] * stride_[0] + p[1] * stride_[1] + p[2] * stride_[2];
  }
  const Vec3& at(const Index3& p) const { return solid_.rest[static_cast<std::size_t>(id(p))]; }
  double& massAt(int node) { return solid_.mass[static_cast<std::size_t>(node)]; }

  template <class Body>
  void forEach(Index3 extent, Body&& body) const {
    for (int i = 0; i < extent[0]; ++i)
      for (int j = 0; j < extent[1]; ++j)
        for (int k = 0; k < extent[2]; ++k) body(Index3{i, j, k});
  }

  // Volume cells; each of their corners carries an eighth of mass and stiffness.
  void addCells() {
    forEach({count_[0] - 1, count_[1] - 1, count_[2] - 1}, [&](Index3 p) {
      GridCell cell;
      std::array<Vec3, 8> x;
      for (std::size_t c = 0; c < 8; ++c) {
        const int bits = static_cast<int>(c);
        cell.nodes[c] = id({p[0] + (bits >> 2), p[1] + ((bits >> 1) & 1), p[2] + (bits & 1)});
        x[c] = solid_.rest[static_cast<std::size_t>(cell.nodes[c])];
      }
      cell.v0 = hexahedronVolume(x);
      if (!(cell.v0 > 0))
        throw InputError(Diagnostic{
            .subject = "grid shape",
            .message =
                fmt::format("cell ({}, {}, {}) has volume {:.3g} m^3", p[0], p[1], p[2], cell.v0),
            .expected = "a mapping that turns no cell inside out"});
      cell.psi = solid_.material.bulk / (2 * cell.v0);
      for (int node : cell.nodes) massAt(node) += solid_.material.density * cell.v0 / 8;
      share_.push_back(cell.v0 / 8);
      solid_.cells.push_back(cell);
    });
  }

  // Surface faces; each corner carries a quarter.
  void addSheets() {
    forEach({count_[0] - 1, count_[1] - 1, 1}, [&](Index3 p) {
      const Index3 b{p[0] + 1, p[1], 0}, c{p[0] + 1, p[1] + 1, 0}, d{p[0], p[1] + 1, 0};
      const double area = 0.5 * (at(c) - at(p)).cross(at(d) - at(b)).norm();
      if (!(area > 0))
        throw InputError(Diagnostic{.subject = "grid shape",
                                    .message = fmt::format("face ({}, {}) has no area", p[0], p[1]),
                                    .expected = "distinct node positions"});
      const double share = area * solid_.material.thickness / 4;
      for (const Index3& corner : {p, b, c, d})
        massAt(id(corner)) += solid_.material.density * share;
      share_.push_back(share);
    });
  }

  /// Share per corner of the cell (or face of a surface) with lowest corner p; 0 outside the grid.
  double share(const Index3& p) const {
    const Index3 cells{count_[0] - 1, count_[1] - 1, std::max(1, count_[2] - 1)};
    for (std::size_t i = 0; i < 3; ++i)
      if (p[i] < 0 || p[i] >= cells[i]) return 0;
    return share_[static_cast<std::size_t>((p[0] * cells[1] + p[1]) * cells[2] + p[2])];
  }

  void addEdges(int axis) {
    const auto x = static_cast<std::size_t>(axis);
    const std::size_t y = (x + 1) % 3, z = (x + 2) % 3;
    Index3 extent = count_;
    extent[x] -= 1;
    forEach(extent, [&](Index3 p) {
      double volume = 0;  // both ends of the edge, in each of the cells around it
      for (int dy = -1; dy <= 0; ++dy)
        for (int dz = -1; dz <= 0; ++dz) {
          Index3 cell = p;
          cell[y] += dy, cell[z] += dz;
          volume += 2 * share(cell);
        }
      Index3 next = p;
      next[x] += 1;
      const double g0 = (at(next) - at(p)).squaredNorm();
      const double scale = volume / (2 * g0 * g0);
      solid_.edges.push_back({id(p), id(next), solid_.material.stiffness(axis, axis) * scale,
                              solid_.material.viscosity(axis, axis) * scale, g0});
    });
  }

  void addFaces(int axis1, int axis2, int normal) {
    const auto x = static_cast<std::size_t>(axis1), y = static_cast<std::size_t>(axis2),
               z = static_cast<std::size_t>(normal);
    Index3 extent = count_;
    extent[x] -= 1, extent[y] -= 1;
    forEach(extent, [&](Index3 p) {
      Index3 below = p, right = p, up = p, across = p;
      below[z] -= 1, right[x] += 1, up[y] += 1, across[x] += 1, across[y] += 1;
      const double volume = share(p) + share(below);
      GridFace face{{id(p), id(right), id(up), id(across)}, {}, {}, {}};
      const std::array<Vec3, 4> e{at(right) - at(p), at(across) - at(up), at(up) - at(p),
                                  at(across) - at(right)};
      for (std::size_t pair = 0; pair < 4; ++pair) {
        const Vec3 &e1 = e[pair / 2], &e2 = e[2 + pair % 2];
        const double scale = volume / (2 * e1.squaredNorm() * e2.squaredNorm());
        face.k[pair] = solid_.material.stiffness(axis1, axis2) * scale;
        face.phi[pair] = solid_.material.viscosity(axis1, axis2) * scale;
        face.g0[pair] = e1.dot(e2);
      }
      solid_.faces.push_back(face);
    });
  }

  // Bending along one axis: D/2 (d / l^2)^2 over the node's area gives k = D area / l^4.
  void addBends(int axis) {
    const auto x = static_cast<std::size_t>(axis);
    Index3 extent = count_;
    extent[x] -= 2;
    forEach(extent, [&](Index3 p) {
      Index3 mid = p, next = p;
      mid[x] += 1, next[x] += 2;
      const Vec3 d = at(next) - 2 * at(mid) + at(p);
      const double length = 0.5 * ((at(mid) - at(p)).norm() + (at(next) - at(mid)).norm());
      const double area = massAt(id(mid)) / (solid_.material.density * solid_.material.thickness);
      const double flat = 1e-9 * length;  // rounding is not a rest curvature
      solid_.bends.push_back({id(p), id(mid), id(next),
                              solid_.material.bending * area / std::pow(length, 4),
                              d.norm() > flat ? d.norm() : 0.0});
    });
  }

  GridSolid solid_;
  Index3 count_{};
  Index3 stride_{};
  std::vector<double> share_;
};

}  // namespace

GridMaterial makeIsotropic(double density, double modulus, double viscosity, double bulk) {
  GridMaterial m;
  m.density = density;
  m.stiffness.setConstant(modulus);
  m.viscosity.setConstant(viscosity);
  m.bulk = bulk;
  return m;
}

double GridSolid::totalMass() const {
  double sum = 0;
  for (double m : mass) sum += m;
  return sum;
}

GridSolid makeGridSolid(const GridShape& shape, const GridMaterial& material) {
  requireMaterial(material, shape.size.isSurface());
  return Compiler(shape, material).compile();
}

void useWholeCellMasses(GridSolid& solid) {
  // Adjacent cells give a node 1, 1/2, 1/4 or 1/8 of a cell: a factor per axis it bounds.
  const GridSize& s = solid.size;
  for (int i = 0; i < s.m; ++i)
    for (int j = 0; j < s.n; ++j)
      for (int k = 0; k < s.o; ++k) {
        const auto ends = [](int at, int count) {
          return count > 1 && (at == 0 || at == count - 1);
        };
        const int shared = ends(i, s.m) + ends(j, s.n) + ends(k, s.o);
        solid.mass[static_cast<std::size_t>(s.index(i, j, k))] *= 1 << shared;
      }
}

GridEnergy computeEnergy(const GridSolid& solid, const VecX& q) {
  GridEnergy energy;
  for (const GridEdge& t : solid.edges) {
    const double stretch = (node(q, t.b) - node(q, t.a)).squaredNorm() - t.g0;
    energy.metric += 0.25 * t.k * stretch * stretch;
  }
  for (const GridFace& t : solid.faces) {
    const std::array<Vec3, 4> e = faceEdges(q, t);
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const double shear = e[pair / 2].dot(e[2 + pair % 2]) - t.g0[pair];
      energy.metric += 0.5 * t.k[pair] * shear * shear;
    }
  }
  for (const GridCell& t : solid.cells) {
    const double change = hexahedronVolume(gather(q, t)) - t.v0;
    energy.volume += t.psi * change * change;
  }
  for (const GridBend& t : solid.bends) {
    const double bent = (node(q, t.next) - 2 * node(q, t.mid) + node(q, t.previous)).norm() - t.d0;
    energy.bending += 0.5 * t.k * bent * bent;
  }
  return energy;
}

void addForces(const GridSolid& solid, const VecX& q, const VecX& v, VecX& f) {
  addLatticeForces(solid, q, v, f);
  addBendForces(solid, q, f);
}

void addLatticeForces(const GridSolid& solid, const VecX& q, const VecX& v, VecX& f) {
  // Eq. 2 on edges: alpha + gamma times the edge.
  for (const GridEdge& t : solid.edges) {
    const Vec3 e = node(q, t.b) - node(q, t.a), rate = node(v, t.b) - node(v, t.a);
    const double tension = t.k * (e.squaredNorm() - t.g0) + t.phi * 2 * e.dot(rate);
    const Vec3 pull = tension * e;
    node(f, t.a) += pull;
    node(f, t.b) -= pull;
  }
  // Eq. 2 on faces: each pair of edges pulls either edge along the other.
  for (const GridFace& t : solid.faces) {
    const std::array<Vec3, 4> e = faceEdges(q, t), rate = faceEdges(v, t);
    std::array<double, 4> s;
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const Vec3 &e1 = e[pair / 2], &e2 = e[2 + pair % 2];
      const double change = e1.dot(rate[2 + pair % 2]) + e2.dot(rate[pair / 2]);
      s[pair] = t.k[pair] * (e1.dot(e2) - t.g0[pair]) + t.phi[pair] * change;
    }
    const Vec3 f0 = s[0] * e[2] + s[1] * e[3], f1 = s[2] * e[2] + s[3] * e[3];
    const Vec3 f2 = s[0] * e[0] + s[2] * e[1], f3 = s[1] * e[0] + s[3] * e[1];
    node(f, t.nodes[0]) += f0 + f2;
    node(f, t.nodes[1]) += f3 - f0;
    node(f, t.nodes[2]) += f1 - f2;
    node(f, t.nodes[3]) -= f1 + f3;
  }
  // The variation of Eq. 3: pressure times the gradient of the cell's volume.
  std::array<Vec3, 8> gradient;
  for (const GridCell& t : solid.cells) {
    if (t.psi == 0) continue;
    const double pressure = -2 * t.psi * (hexahedronVolume(gather(q, t), gradient) - t.v0);
    for (std::size_t c = 0; c < 8; ++c) node(f, t.nodes[c]) += pressure * gradient[c];
  }
}

void addBendForces(const GridSolid& solid, const VecX& q, VecX& f) {
  for (const GridBend& t : solid.bends) {
    const Vec3 d = node(q, t.next) - 2 * node(q, t.mid) + node(q, t.previous);
    const double length = d.norm();
    const double scale = t.d0 > 0 ? (length > 0 ? 1 - t.d0 / length : 0) : 1;
    const Vec3 pull = t.k * scale * d;
    node(f, t.previous) -= pull;
    node(f, t.next) -= pull;
    node(f, t.mid) += 2 * pull;
  }
}

double totalVolume(const GridSolid& solid, const VecX& q) {
  double sum = 0;
  for (const GridCell& cell : solid.cells) sum += hexahedronVolume(gather(q, cell));
  return sum;
}

std::vector<Vec3> toPoints(const VecX& q) {
  std::vector<Vec3> points(static_cast<std::size_t>(q.size() / 3));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = node(q, static_cast<int>(i));
  return points;
}

VecX toVector(std::span<const Vec3> points) {
  VecX q(3 * static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) node(q, static_cast<int>(i)) = points[i];
  return q;
}

}  // namespace pneuma::flesh
