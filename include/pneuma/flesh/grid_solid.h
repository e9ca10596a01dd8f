#pragma once

#include <array>
#include <span>
#include <vector>

#include "pneuma/flesh/grid_shape.h"

namespace pneuma::flesh {

/// Material of a finite-difference solid in its lattice directions.
///
/// The moduli C_ij multiply the squares of the Green strains between lattice directions i and j. An
/// isotropic solid has all C_ij = 2 G (shear modulus G) and bulk = lambda, Lame's first constant.
struct GridMaterial {
  double density = 1060;                 ///< [kg/m^3], > 0 (skeletal muscle: 1060)
  Mat3 stiffness = Mat3::Constant(6e3);  ///< C_ij [Pa], symmetric, >= 0
  Mat3 viscosity = Mat3::Constant(30);   ///< the same for strain rates [Pa s], >= 0
  double bulk = 2e5;                     ///< resistance to volume change [Pa], >= 0
  double thickness = 1e-3;               ///< surfaces only [m], > 0
  double bending = 0;                    ///< surfaces only, flexural rigidity [N m], >= 0
};

/// Isotropic material of shear modulus G = C / 2 and lambda = bulk.
GridMaterial makeIsotropic(double density, double modulus, double viscosity, double bulk);

/// Stretch term of one lattice edge: energy k/4 (|e|^2 - g0)^2, dissipation phi/4 (d|e|^2/dt)^2.
struct GridEdge {
  int a, b;
  double k, phi, g0;
};

/// Shear terms of one lattice face. Its edges are e0 = p1 - p0 and e1 = p3 - p2 along the first
/// axis, e2 = p2 - p0 and e3 = p3 - p1 along the second; at each corner one pair of them meets:
/// (e0, e2), (e0, e3), (e1, e2), (e1, e3). Energy of each pair: k/2 (e.e' - g0)^2, dissipation
/// phi/2 (d(e.e')/dt)^2.
struct GridFace {
  std::array<int, 4> nodes;
  std::array<double, 4> k, phi, g0;
};

/// Volume term of one cell: energy psi (V - V0)^2, V the volume between its bilinear faces.
struct GridCell {
  std::array<int, 8> nodes;  ///< bit 0: +1 along axis 3, bit 1: axis 2, bit 2: axis 1
  double psi, v0;
};

/// Curvature term of a surface on three successive nodes, d = r_next - 2 r_mid + r_previous:
/// energy k/2 (|d| - d0)^2.
struct GridBend {
  int previous, mid, next;
  double k, d0;
};

/// An elastic, dissipative, volume-preserving solid or surface on a grid of nodes.
///
///   e_i    = - sum_ij d/da_i ((alpha_ij + gamma_ij) dr/da_j)                    [Dobsik, Eq. 2]
///   alpha  = eta_ij (G_ij - G0_ij),  gamma = phi_ij dG_ij/dt,  G_ij = dr/da_i . dr/da_j
///   kappa  = integral psi (dV - dV0)^2 da                                       [Dobsik, Eq. 3]
///
/// The continuous forces are the variation of 1/4 sum eta_ij (G_ij - G0_ij)^2 + psi (dV - dV0)^2.
/// Here that energy is made discrete first and the forces are its exact gradient. At every corner
/// of every cell the derivatives are the one-sided differences along the three edges that meet
/// there; so all eight combinations of forward and backward differences take part. G_ii then
/// belongs to an edge and G_ij to a corner of a face, and what several cells share is summed once
/// when the solid is built: edges, faces and cells are all that is left to loop over.
/// Boundaries are natural by construction. dV is taken per cell; one volume for eight corners does
/// not lock in bending and bulging the way eight volumes would.
///
/// eta_ij = C_ij dV0 / (2 |r_i|^2 |r_j|^2) and psi = bulk / (2 dV0), so that moduli are in Pa and
/// do not depend on the resolution or on the mapping.
///
/// Reading: Eq. 2 prints dr/da_i behind the bracket; the variation gives dr/da_j.
/// Reading: the metric rate is printed as half of dG/dt and then as the whole; with E = G - G0 the
///   whole is dE/dt, which we take.
/// Reading: Eq. 4 has (dV - dV0) in front of the derivatives. The bracket is then the divergence of
///   a cofactor matrix, which vanishes identically (Piola); the factor belongs inside.
/// Reading: the text calls gamma_ij the dissipation tensor; it is phi_ij.
/// Departure: Eq. 3 takes |dV|; a cell turned inside out would then be at rest. We keep the sign.
struct GridSolid {
  GridSize size;
  GridMaterial material;
  std::vector<Vec3> rest;    ///< node positions at rest [m]
  std::vector<double> mass;  ///< per node [kg]; an eighth of each adjacent cell
  std::vector<GridEdge> edges;
  std::vector<GridFace> faces;
  std::vector<GridCell> cells;
  std::vector<GridBend> bends;

  int nodeCount() const { return size.nodeCount(); }
  double totalMass() const;
};

/// Compiles a solid. Throws InputError for bad moduli and for a shape with an inverted cell.
GridSolid makeGridSolid(const GridShape& shape, const GridMaterial& material);

/// Gives every node the mass of one whole cell, as the paper's equations have it (m = mu at each
/// node): boundary nodes weigh as much as inner ones. For the paper's own forms.
void useWholeCellMasses(GridSolid& solid);

/// Energies [J] of a configuration; q holds x, y, z of each node.
struct GridEnergy {
  double metric = 0;
  double volume = 0;
  double bending = 0;
  double total() const { return metric + volume + bending; }
};
GridEnergy computeEnergy(const GridSolid& solid, const VecX& q);

/// Adds the elastic and dissipative forces at (q, v) to f [N].
void addForces(const GridSolid& solid, const VecX& q, const VecX& v, VecX& f);

/// Volume of one hexahedron with bilinear faces [m^3]; corners numbered as in GridCell.
double hexahedronVolume(const std::array<Vec3, 8>& corners);
/// The same, with its gradient to each corner.
double hexahedronVolume(const std::array<Vec3, 8>& corners, std::array<Vec3, 8>& gradient);

/// Sum of the cell volumes: the volume inside the (bilinear) surface [m^3].
double totalVolume(const GridSolid& solid, const VecX& q);

/// Sum of |dV| over the nodes with forward differences, the paper's second measure [m^3].
double sumOfForwardVolumes(const GridSize& size, const VecX& q);

/// Node positions as points.
std::vector<Vec3> toPoints(const VecX& q);
VecX toVector(std::span<const Vec3> points);

}  // namespace pneuma::flesh
