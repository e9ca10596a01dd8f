#pragma once

#include "pneuma/skeleton/loads.h"
#include "pneuma/skeleton/workspace.h"

/// Analytic derivatives of the dynamics [SinghRussellWensing22], in world axes.
///
/// With Psi'_j = V_before x S_j, Psi''_j = A_before x S_j + V_before x Psi'_j, S'_j = V_after x S_j
/// (V, A: velocity and acceleration of the link before or after the motion of j), composite inertia
/// I_i, force f_i through the joint, and 2B_i = [ N_i 0; -2 p_i x 0 ] with N = dJ/dt - [angular
/// momentum], p linear momentum of what i carries:
///
///   d tau_i/dq_j = S_i . (2B_i Psi'_j + I_i Psi''_j)               j above i, or in the same ball
///   d tau_j/dq_i = S_j . (2B_i Psi'_i + I_i Psi''_i + S_i x* f_i)  j above i
///   d tau_i/dv_j = S_i . (2B_i S_j + I_i (Psi'_j + S'_j)),  and with i, j exchanged in S alone
///
/// The block form of 2B (half of it vanishes about a common origin) is what makes this cheap: nine
/// products per entry of the lower triangle, six of the upper.
namespace pneuma::skeleton {

/// d tau/dq, d tau/dv and M of inverse dynamics at the state of the last updateDynamics and joint
/// accelerations vDot. "dq" is along v: see model.h. Matrices are n x n and overwritten.
struct InverseDynamicsDerivatives {
  explicit InverseDynamicsDerivatives(const Model& model);
  RowMatX dq;  ///< d tau/dq
  RowMatX dv;  ///< d tau/dv
  RowMatX M;   ///< d tau/d vDot, both triangles
};
void computeInverseDynamicsDerivatives(const Model& model, const VecX& vDot, Workspace& workspace,
                                       InverseDynamicsDerivatives& out);

/// d vDot/dq = -M^-1 dtau/dq, d vDot/dv = -M^-1 dtau/dv, d vDot/dtau = M^-1 of forward dynamics at
/// constant tau.
struct ForwardDynamicsDerivatives {
  explicit ForwardDynamicsDerivatives(const Model& model);
  VecX vDot;
  MatX dq, dv, dtau;
  InverseDynamicsDerivatives inverse;  ///< at vDot
  RowMatX factor;                      ///< of M
  VecX column;                         ///< scratch
};
void computeForwardDynamicsDerivatives(const Model& model, const VecX& tau, Workspace& workspace,
                                       ForwardDynamicsDerivatives& out);

/// matrix += M + weights.velocity d tau/dv + weights.position d tau/dq in one sweep: the inertial
/// part of the linearly implicit system, cheaper than its terms.
void addImplicitInertia(const Model& model, const VecX& vDot, const LoadWeights& weights,
                        Workspace& workspace, RowMatX& matrix);

}  // namespace pneuma::skeleton
