#pragma once

#include "pneuma/skeleton/workspace.h"
#include "skeleton/dynamics/passes.h"

/// The articulated-body sweep of forward and hybrid dynamics.
namespace pneuma::skeleton::internal {

/// Link inertia as a full symmetric matrix.
inline void expand(const WorldInertia& I, Mat6& A) {
  A.topLeftCorner<3, 3>() = I.J;
  const Mat3 hx = skew(I.h);
  A.topRightCorner<3, 3>() = hx;
  A.bottomLeftCorner<3, 3>() = -hx;
  A.bottomRightCorner<3, 3>() = I.m * Mat3::Identity();
}

/// Towards the root. For each degree of freedom j, last one first:
///   U = A S,  D = S.U,  u = tau - S.p;  eliminated: A -= U U^T / D,  p += U u / D
/// isFree(j) says whether it is eliminated. A prescribed one only leaves U and S.p behind.
template <class IsFree>
void sweepToRoot(const Model& model, const VecX& tau, Workspace& w, IsFree&& isFree) {
  for (int l = 0; l < model.linkCount(); ++l) expand(w.inertia[l], w.articulated[l]);
  for (int l = model.linkCount() - 1; l >= 0; --l) {
    const Link& link = model.links[l];
    Mat6& A = w.articulated[l];
    Vec6& p = w.force[l];
    for (int j = link.firstDof + link.dofCount - 1; j >= link.firstDof; --j) {
      const Vec6& S = w.kinematics.axis[j];
      const Vec6 U = A * S;
      w.U[j] = U;
      if (!isFree(j)) {
        w.u[j] = S.dot(p);
        continue;
      }
      const double inverseD = 1 / (S.dot(U) + model.dofResistance[j].armature);
      const Vec6 scaled = inverseD * U;
      const double u = tau[j] - S.dot(p);
      w.inverseD[j] = inverseD;
      w.u[j] = u * inverseD;
      for (int c = 0; c < 6; ++c) A.col(c) -= U[c] * scaled;
      p += u * scaled;
    }
    if (link.parent < 0) continue;
    w.articulated[link.parent] += A;
    w.force[link.parent] += p;
  }
}

}  // namespace pneuma::skeleton::internal
