#pragma once

#include <Eigen/LU>

#include "pneuma/skeleton/step.h"
#include "skeleton/dynamics/dense_elimination.h"

/// What the steps of step.cpp and hybrid_step.cpp share.
namespace pneuma::skeleton::internal {

/// Kinematics, inertias and the loads of all sources at a state.
void gatherLoads(const Model& model, const State& state, const LoadWeights& weights,
                 StepWorkspace& workspace);

/// rhs = M v + h (F + cv - g - (dF/dv) v) in one sweep like inverse dynamics.
void computeRightHandSide(const Model& model, const State& state, double h,
                          StepWorkspace& workspace);

/// What gatherLoads left becomes A in loads.matrix and b in rhs, linearised about the accelerations
/// vDotTarget at the prescribed joints. `tau` receives hybrid dynamics' forces.
void completeImplicitSystem(const Model& model, std::span<const std::uint8_t> prescribed,
                            const VecX& vDotTarget, const State& state, StepWorkspace& workspace,
                            double h, VecX& tau);

/// Solves loads.matrix + loads.symmetric for rhs into velocity; pivots when it has to.
void solveCoupled(StepWorkspace& workspace);

/// Commits new velocities and the configuration they lead to, or leaves the state as it was.
void advance(const Model& model, const VecX& velocity, const VecX& configurationVelocity, double h,
             State& state, StepWorkspace& workspace);

/// Scratch of the partitioned step.
struct PartitionedSolver {
  std::vector<int> passive;             ///< degrees of freedom that are not prescribed
  std::vector<std::uint8_t> knownLink;  ///< every joint above it is prescribed
  std::vector<Vec6> acceleration;       ///< of links, without gravity
  MatX gains;                           ///< of all subsystems on the passive block
  RowMatX gainRows;                     ///< the same row by row
  /// Passive block; its right-hand sides are the residual and the pressures' gradients.
  RowMatX system;
  EliminationLayout layout{0, 0};
  VecX residual, change;                 ///< of all degrees of freedom
  MatX pressures;                        ///< system of the pressures
  VecX pressureRhs, pressureSolution;    ///< "
  Eigen::PartialPivLU<MatX> pressureLu;  ///< "
  std::vector<double> factors;           ///< c_k (g_k . dv + s_k . dv_s)

  /// Solution number `side` at passive degree of freedom i.
  double solution(std::size_t i, int side) const {
    return system(static_cast<Eigen::Index>(i), layout.firstSide + side);
  }
};

}  // namespace pneuma::skeleton::internal
