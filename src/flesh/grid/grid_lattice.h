#pragma once

#include "flesh/grid/grid_lanes.h"
#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

/// The terms of a solid by node instead of one after the other: each node holds the three edges,
/// the three faces and the cell that begin there. The same sums as addForces (the plain version,
/// which tests compare with), at a fraction of the time.
class GridLattice {
 public:
  /// Components: weight and rest product of three edges; four weights and four rest products of
  /// three faces; psi and rest volume of the cell. Weights are without the moduli of the material.
  static constexpr int kEdgeWeight = 0, kEdgeRest = 3, kFace = 6, kPsi = 30, kVolume = 31,
                       kComponents = 32;

  explicit GridLattice(const GridSolid& solid);

  const GridSize& size() const { return size_; }
  const GridField<double>& terms() const { return terms_; }
  /// The same in single precision; for cells the root of 2 psi.
  const GridField<float>& coarseTerms() const { return coarse_; }
  const CornerOffsets& corners() const { return corners_; }
  /// Moduli [Pa] and viscosities [Pa s] of the edges of axes 1, 2, 3 and of the faces of axes
  /// (1,2), (1,3), (2,3).
  const std::array<double, 6>& stiffness() const { return stiffness_; }
  const std::array<double, 6>& viscosity() const { return viscosity_; }

 private:
  GridSize size_;
  CornerOffsets corners_;
  GridField<double> terms_;
  GridField<float> coarse_;
  std::array<double, 6> stiffness_, viscosity_;
};

/// Corner bits of the axes and of the faces of GridLattice.
inline constexpr int kAxisCorner[3]{4, 2, 1};
inline constexpr int kFaceAxes[3][2]{{0, 1}, {0, 2}, {1, 2}};

/// All forces of a model in the energy form; computeForces with its scratch kept.
class GridForces {
 public:
  explicit GridForces(const GridModel& model);
  /// Overwrites f [N].
  void compute(double t, const VecX& q, const VecX& v, VecX& f);
  const GridLattice& lattice() const { return lattice_; }

 private:
  const GridModel& model_;
  GridLattice lattice_;
  GridField<double> q_, v_;
  GridField<double> low_, high_;  ///< forces on corners 0 and 1 along axis 3, kept apart
};

}  // namespace pneuma::flesh
