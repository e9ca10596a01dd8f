#include "pneuma/skeleton/derivatives.h"

#include <algorithm>

#include "pneuma/core/wide_registers.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "skeleton/dynamics/passes.h"

namespace pneuma::skeleton {

namespace {

/// Each link's own N and linear momentum.
void computeMomentumTerms(const Model& model, Workspace& w) {
  for (int l = 0; l < model.linkCount(); ++l) {
    const WorldInertia& I = w.inertia[l];
    const Vec6& V = w.kinematics.velocity[l];
    const Vec6 p = I * V;
    const Vec3 omega = V.head<3>(), linear = p.tail<3>();
    // Rotational inertia about the centre of mass turns with the body; the rest follows from the
    // motion of the centre c: d/dt m (c.c 1 - c c^T) = 2 c.p 1 - p c^T - c p^T.
    const Vec3 c = I.m > 0 ? Vec3(I.h / I.m) : Vec3(Vec3::Zero());
    Mat3 Jc = I.J + I.h * c.transpose();
    Jc.diagonal().array() -= I.h.dot(c);
    const Mat3 turned = skew(omega) * Jc;
    const Mat3 carried = linear * c.transpose();
    Mat3& N = w.inertiaRate[l];
    N = turned + turned.transpose() - carried - carried.transpose() - skew(p.head<3>());
    N.diagonal().array() += 2 * c.dot(linear);
    w.momentum[l] = linear;
  }
}

void sumTowardsRoot(const Model& model, Workspace& w) {
  for (int l = model.linkCount() - 1; l > 0; --l) {
    const int parent = model.links[l].parent;
    if (parent < 0) continue;
    w.composite[parent] += w.composite[l];
    w.inertiaRate[parent] += w.inertiaRate[l];
    w.momentum[parent] += w.momentum[l];
    w.force[parent] += w.force[l];
  }
}

/// Psi'' and Psi' + S' of every degree of freedom, with joint accelerations vDot.
void computeAxisRates(const Model& model, const VecX& vDot, Workspace& w) {
  const Kinematics& k = w.kinematics;
  const VecX& v = k.jointVelocity;
  for (int l = 0; l < model.linkCount(); ++l) {
    const Link& link = model.links[l];
    Vec6 V = Vec6::Zero(), A = internal::worldAcceleration(model);
    if (link.parent >= 0) V = k.velocity[link.parent], A = w.acceleration[link.parent];
    for (int m = link.firstMotion; m < link.firstMotion + link.motionCount; ++m) {
      const CompiledMotion& motion = model.motions[m];
      const int end = motion.dof + (motion.code == MotionCode::Ball ? 3 : 1);
      const Vec6 V0 = V, A0 = A;
      for (int j = motion.dof; j < end; ++j) {
        w.axisAcceleration[j] = crossMotion(A0, k.axis[j]) + crossMotion(V0, k.axisRate[j]);
        V += v[j] * k.axis[j];
        A += v[j] * k.axisRate[j] + vDot[j] * k.axis[j];
      }
      // For a hinge or slide S' equals Psi'; the axes of a ball also turn with the ball itself.
      for (int j = motion.dof; j < end; ++j)
        w.axisRateSum[j] = motion.code == MotionCode::Ball
                               ? Vec6(k.axisRate[j] + crossMotion(V, k.axis[j]))
                               : Vec6(2 * k.axisRate[j]);
    }
  }
}

/// Everything the entry formulas need, at the given accelerations.
void prepare(const Model& model, const VecX& vDot, Workspace& w) {
  internal::accelerate(model, w, [&](int j) { return vDot[j]; });
  internal::computeInertialForces(model, w);
  w.composite = w.inertia;
  computeMomentumTerms(model, w);
  sumTowardsRoot(model, w);
  computeAxisRates(model, vDot, w);
}

struct Weights {
  double mass, velocity, position;
};

/// Per degree of freedom j the weighted sums that the rows below multiply:
///   X_j = mass S_j + velocity (Psi'_j + S'_j) + position Psi''_j      (rowsA)
///   Z_j = velocity S_j + position Psi'_j, of which the angular part is needed   (rowsB)
void combineAxes(const Model& model, const Weights& weights, Workspace& w) {
  const Kinematics& k = w.kinematics;
  for (int j = 0; j < model.dofCount(); ++j) {
    const Vec6 X = weights.mass * k.axis[j] + weights.velocity * w.axisRateSum[j] +
                   weights.position * w.axisAcceleration[j];
    const Vec3 Z =
        weights.velocity * k.axis[j].head<3>() + weights.position * k.axisRate[j].head<3>();
    w.rowsA.col(j) = X;
    w.rowsB.col(j).head<3>() = Z;
  }
}

/// out[j] += F . A_j + g . B_j for j in [0, size): one row of the lower triangle.
PNEUMA_INTO_BOTH void addRow(int size, const Vec6& F, const double* A, const Vec3& g,
                             const double* B, Eigen::Index stride, double* __restrict out) {
  const double *a0 = A, *a1 = A + stride, *a2 = A + 2 * stride, *a3 = A + 3 * stride,
               *a4 = A + 4 * stride, *a5 = A + 5 * stride;
  const double *b0 = B, *b1 = B + stride, *b2 = B + 2 * stride;
  for (int j = 0; j < size; ++j)
    out[j] += F[0] * a0[j] + F[1] * a1[j] + F[2] * a2[j] + F[3] * a3[j] + F[4] * a4[j] +
              F[5] * a5[j] + g[0] * b0[j] + g[1] * b1[j] + g[2] * b2[j];
}

/// out[j stride] += W . S_j for j in [0, size), the axes row by component: one column above the
/// diagonal.
PNEUMA_INTO_BOTH void addColumn(int size, const Vec6& W, const double* S, Eigen::Index stride,
                                double* __restrict out) {
  const double *s0 = S, *s1 = S + stride, *s2 = S + 2 * stride, *s3 = S + 3 * stride,
               *s4 = S + 4 * stride, *s5 = S + 5 * stride;
  constexpr int kSome = 16;
  for (int begin = 0; begin < size; begin += kSome) {
    const int count = std::min(kSome, size - begin);
    double sums[kSome];
    for (int j = 0; j < count; ++j) {
      const int c = begin + j;
      sums[j] =
          W[0] * s0[c] + W[1] * s1[c] + W[2] * s2[c] + W[3] * s3[c] + W[4] * s4[c] + W[5] * s5[c];
    }
    for (int j = 0; j < count; ++j) out[(begin + j) * stride] += sums[j];
  }
}

/// What row and column i are made of: F and g multiply the axes before i, W follows from its own.
struct AxisProducts {
  Vec6 F, W;
  Vec3 g;
};

AxisProducts axisProducts(int i, int link, const Weights& weights, const Workspace& w) {
  const WorldInertia& I = w.composite[link];
  const Mat3& N = w.inertiaRate[link];
  const Vec3& p = w.momentum[link];
  const Vec6& S = w.kinematics.axis[i];
  const Vec3 Z = w.rowsB.col(i).head<3>();
  // Row i, up to i and through its ball: S_i . (I X_j + 2B Z_j). Column i, strictly above its
  // motion: S_j . (I X_i + 2B Z_i + position S_i x* f).
  return {.F = I * S,
          .W = I * Vec6(w.rowsA.col(i)) + spatial(N * Z, 2 * Z.cross(p)) +
               weights.position * crossForce(S, w.force[link]),
          .g = N.transpose() * S.head<3>() + 2 * p.cross(Vec3(S.tail<3>()))};
}

/// matrix += mass M + velocity dtau/dv + position dtau/dq, after prepare().
void addWeighted(const Model& model, const Weights& weights, Workspace& w, RowMatX& matrix) {
  combineAxes(model, weights, w);
  const Eigen::Index n = model.dofCount();
  const double* axes = w.kinematics.axisComponents.data();
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    for (int i = 0; i < n; ++i) {
      const int l = model.dofLink[i];
      const AxisProducts products = axisProducts(i, l, weights, w);
      const int motionBegin = model.dofMotionBegin[i], motionEnd = model.dofMotionEnd[i];
      for (const DofRange range : model.ancestorRanges(l)) {
        const int rowEnd = std::min(range.end, motionEnd),
                  columnEnd = std::min(range.end, motionBegin);
        addRow(rowEnd - range.begin, products.F, w.rowsA.data() + range.begin, products.g,
               w.rowsB.data() + range.begin, n, matrix.data() + i * n + range.begin);
        addColumn(columnEnd - range.begin, products.W, axes + range.begin, n,
                  matrix.data() + range.begin * n + i);
      }
      matrix(i, i) += weights.mass * model.dofResistance[i].armature;
    }
  });
}

}  // namespace

InverseDynamicsDerivatives::InverseDynamicsDerivatives(const Model& model)
    : dq(RowMatX::Zero(model.dofCount(), model.dofCount())), dv(dq), M(dq) {}

void computeInverseDynamicsDerivatives(const Model& model, const VecX& vDot, Workspace& w,
                                       InverseDynamicsDerivatives& out) {
  prepare(model, vDot, w);
  out.dq.setZero();
  out.dv.setZero();
  out.M.setZero();
  addWeighted(model, {0, 0, 1}, w, out.dq);
  addWeighted(model, {0, 1, 0}, w, out.dv);
  addWeighted(model, {1, 0, 0}, w, out.M);
}

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model)
    : vDot(VecX::Zero(model.dofCount())),
      dq(MatX::Zero(model.dofCount(), model.dofCount())),
      dv(dq),
      dtau(dq),
      inverse(model),
      factor(inverse.M),
      column(vDot) {}

void computeForwardDynamicsDerivatives(const Model& model, const VecX& tau, Workspace& w,
                                       ForwardDynamicsDerivatives& out) {
  computeForwardDynamics(model, tau, w, out.vDot);
  computeInverseDynamicsDerivatives(model, out.vDot, w, out.inverse);
  out.factor = out.inverse.M;
  factorMassMatrix(model, out.factor);
  for (int j = 0; j < model.dofCount(); ++j) {
    const auto solve = [&](auto&& to) {
      solveMassMatrix(model, out.factor, out.column);
      to = out.column;
    };
    out.column = -out.inverse.dq.col(j);
    solve(out.dq.col(j));
    out.column = -out.inverse.dv.col(j);
    solve(out.dv.col(j));
    out.column.setZero();
    out.column[j] = 1;
    solve(out.dtau.col(j));
  }
}

void addImplicitInertia(const Model& model, const VecX& vDot, const LoadWeights& weights,
                        Workspace& w, RowMatX& matrix) {
  prepare(model, vDot, w);
  addWeighted(model, {1, weights.velocity, weights.position}, w, matrix);
}

}  // namespace pneuma::skeleton
