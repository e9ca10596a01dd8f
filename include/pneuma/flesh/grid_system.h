#pragma once

#include <memory>

#include "pneuma/core/integrator.h"
#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

class GridForces;

/// The state of a grid model: what a checkpoint holds (with the integrator's history).
struct GridState {
  double time = 0;  ///< [s]
  VecX q;           ///< node positions [m]
  VecX v;           ///< node velocities [m/s]
};

/// At rest, in the rest shape.
GridState makeRestState(const GridModel& model);

/// Eq. 6 as a first-order system over x = (q, v), for every integrator of core. Nodes fixed to an
/// anchor follow it. The energy form has an analytic Jacobian; the paper's forms have none.
class GridSystem final : public OdeSystem {
 public:
  explicit GridSystem(const GridModel& model);
  ~GridSystem() override;

  Eigen::Index size() const override { return 6 * nodes_; }
  Eigen::Index positionCount() const override { return 3 * nodes_; }
  void derivative(double t, const VecX& x, VecX& dxdt) override;
  bool jacobian(double t, const VecX& x, SparseMat& dfdx) override;

  VecX pack(const GridState& state) const;
  void unpack(const VecX& x, double time, GridState& state) const;

 private:
  void buildPattern(SparseMat& dfdx) const;

  const GridModel& model_;
  Eigen::Index nodes_;
  std::vector<char> held_;  ///< 1 for nodes fixed to an anchor
  std::unique_ptr<GridForces> forces_;
  VecX q_, v_, f_;
};

/// Throws SimulationError naming the first node whose position or velocity is not finite.
void requireFinite(const GridModel& model, const GridState& state);
/// "node (3, 0, 4)" for messages.
std::string nodeName(const GridSize& size, int node);

}  // namespace pneuma::flesh
