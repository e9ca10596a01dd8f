#pragma once

#include "flesh/grid/grid_lattice.h"
#include "flesh/grid/grid_stencil.h"

namespace pneuma::flesh {

/// Fills a stencil with M - h dF/dv - h^2 dF/dq, symmetric and positive: of each term only the part
/// that cannot be negative is kept. Rows and columns of fixed nodes are those of the identity.
class GridTangent {
 public:
  GridTangent(const GridModel& model, const GridLattice& lattice);
  void assemble(double t, const VecX& q, const VecX& v, double h, GridStencil& A);

 private:
  const GridModel& model_;
  const GridLattice& lattice_;
  Vec3 origin_;  ///< positions are taken from here, so that single precision is enough
  GridField<float> q_;
};

}  // namespace pneuma::flesh
