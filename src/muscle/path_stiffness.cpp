#include <algorithm>

#include "pneuma/core/lanes.h"
#include "pneuma/muscle/path_kinematics.h"

// Second derivatives of the lengths, on the lower triangle.
//
// For degrees of freedom i above j (or on another branch) the axis S_i does not move with q_j, so
//   d2(length)/dq_i dq_j = s_i S_i . d(W)/dq_j,
// and the other triangle follows by symmetry. For a segment with unit direction u and length L,
// orthonormal e1, e2 across it, and w_P^k = (r_P x e_k, e_k) the wrench of a line across at end P:
//   i, j on the side of B:  sum_k (S_i . w_A^k) (S_j . w_B^k) / L          (A: exchange the ends)
//   i, j on different sides: -sum_k (S_i . w_own^k) (S_j . w_own^k) / L
// so with Y = s (S . w_own) and X = s (S . w_other) an entry is X_i Y_j or Y_i Y_j.
// Only the three turns of one ball do not commute; they add the generalised force itself.
namespace pneuma::muscle {
namespace {

using pneuma::internal::addScaled;
using skeleton::Kinematics;
using skeleton::Loads;
using skeleton::MotionCode;

PNEUMA_INTO_BOTH void addMaterial(const PathSet& paths, const PathKinematics& k,
                                  const VecX& material, Loads& loads) {
  const Eigen::Index n = loads.symmetric.cols();
  for (int m = 0; m < paths.muscleCount(); ++m) {
    if (material[m] == 0) continue;
    const RowRange* begin = paths.ranges.data() + paths.rangeBegin[m];
    const RowRange* end = paths.ranges.data() + paths.rangeBegin[m + 1];
    for (const RowRange* r = begin; r != end; ++r) {
      for (int j = 0; j < r->count; ++j) {
        const double c = material[m] * k.arms[r->row + j];
        double* row = loads.symmetric.data() + (r->dof + j) * n;
        for (const RowRange* q = begin; q != r; ++q)
          addScaled(c, k.arms.data() + q->row, q->count, row + q->dof);
        addScaled(c, k.arms.data() + r->row, j + 1, row + r->dof);
      }
    }
  }
}

/// Two unit vectors across u.
PNEUMA_INTO_BOTH void makeFrame(const Vec3& u, Vec3& e1, Vec3& e2) {
  // Branch-free frame [Duff et al. 2017]: continuous except at u.z = -0.
  const double sign = std::copysign(1.0, u.z());
  const double a = -1 / (sign + u.z()), b = u.x() * u.y() * a;
  e1 = {1 + sign * u.x() * u.x() * a, sign * b, -sign * u.x()};
  e2 = {b, sign + u.y() * u.y() * a, -u.y()};
}

/// The four projections of a segment's degrees of freedom; see the head of the file.
struct Across {
  double *x1, *x2, *y1, *y2;
};

/// Both ends' arms on both vectors across, written out component by component: axes lie by
/// component, so that the inner loop runs along the degrees of freedom in vector registers.
PNEUMA_INTO_BOTH void projectAcross(const PathSet& paths, const Segment& s, const Vec3& rA,
                                    const Vec3& rB, const Vec3& e1, const Vec3& e2,
                                    const Kinematics& kinematics, Across& out) {
  const double* axes = kinematics.axisComponents.data();
  const Eigen::Index n = kinematics.axisComponents.cols();
  const Vec3 a1 = rA.cross(e1), a2 = rA.cross(e2), b1 = rB.cross(e1), b2 = rB.cross(e2);
  int at = 0;
  for (int t = s.terms.begin; t < s.terms.end; ++t) {
    const ArmTerm& term = paths.terms[t];
    const double sign = term.sign;
    const Vec3 own1 = sign * (sign > 0 ? b1 : a1), own2 = sign * (sign > 0 ? b2 : a2);
    const Vec3 far1 = sign * (sign > 0 ? a1 : b1), far2 = sign * (sign > 0 ? a2 : b2);
    const Vec3 f1 = sign * e1, f2 = sign * e2;
    const double* __restrict a = axes + term.range.dof;
    double* __restrict y1 = out.y1 + at;
    double* __restrict y2 = out.y2 + at;
    double* __restrict x1 = out.x1 + at;
    double* __restrict x2 = out.x2 + at;
    for (int j = 0; j < term.range.count; ++j) {
      const double w0 = a[j], w1 = a[j + n], w2 = a[j + 2 * n];
      const double v0 = a[j + 3 * n], v1 = a[j + 4 * n], v2 = a[j + 5 * n];
      const double along1 = v0 * f1.x() + v1 * f1.y() + v2 * f1.z();
      const double along2 = v0 * f2.x() + v1 * f2.y() + v2 * f2.z();
      y1[j] = w0 * own1.x() + w1 * own1.y() + w2 * own1.z() + along1;
      y2[j] = w0 * own2.x() + w1 * own2.y() + w2 * own2.z() + along2;
      x1[j] = w0 * far1.x() + w1 * far1.y() + w2 * far1.z() + along1;
      x2[j] = w0 * far2.x() + w1 * far2.y() + w2 * far2.z() + along2;
    }
    at += term.range.count;
  }
}

PNEUMA_INTO_BOTH void addSegment(const PathSet& paths, const Segment& s, const Across& p,
                                 double weight, Loads& loads) {
  const Eigen::Index n = loads.symmetric.cols();
  int at = 0;
  for (int t = s.terms.begin; t < s.terms.end; ++t) {
    const ArmTerm& term = paths.terms[t];
    for (int j = 0; j < term.range.count; ++j) {
      double* row = loads.symmetric.data() + (term.range.dof + j) * n;
      const double c1 = weight * p.y1[at + j], c2 = weight * p.y2[at + j];
      int from = 0;
      for (int q = s.terms.begin; q < t; ++q) {
        const ArmTerm& other = paths.terms[q];
        const bool same = other.sign == term.sign;
        addScaled(c1, (same ? p.x1 : p.y1) + from, c2, (same ? p.x2 : p.y2) + from,
                  other.range.count, row + other.range.dof);
        from += other.range.count;
      }
      addScaled(c1, p.x1 + at, c2, p.x2 + at, j + 1, row + term.range.dof);
    }
    at += term.range.count;
  }
}

PNEUMA_INTO_BOTH void addSegments(const PathSet& paths, const Kinematics& kinematics,
                                  PathKinematics& k, const VecX& geometric, Loads& loads) {
  const std::size_t size = k.scratch.size() / 12;
  Across p{k.scratch.data(), k.scratch.data() + size, k.scratch.data() + 2 * size,
           k.scratch.data() + 3 * size};
  for (std::size_t i = 0; i < paths.segments.size(); ++i) {
    const Segment& s = paths.segments[i];
    const double f = geometric[s.muscle];
    if (f == 0 || k.segmentLength[i] <= 0) continue;
    Vec3 e1, e2;
    makeFrame(k.direction[i], e1, e2);
    projectAcross(paths, s, k.point[s.pointA], k.point[s.pointB], e1, e2, kinematics, p);
    addSegment(paths, s, p, f / k.segmentLength[i], loads);
  }
}

void addWrap(const WrapElement& w, const WrapPath& path, const Pose& X,
             const Kinematics& kinematics, const PathKinematics& k, double weight, Loads& loads) {
  const Vec3 &rA = k.point[w.pointA], &rB = k.point[w.pointB];
  const Mat3& R = X.rotation;
  const Vec3 uA = R * path.directionA, uB = R * path.directionB;
  const Vec6 lineA = spatial(rA.cross(uA), uA), lineB = spatial(rB.cross(uB), uB);
  const Mat3 haa = R * path.hessian.topLeftCorner<3, 3>() * R.transpose();
  const Mat3 hab = R * path.hessian.topRightCorner<3, 3>() * R.transpose();
  const Mat3 hbb = R * path.hessian.bottomRightCorner<3, 3>() * R.transpose();

  for (const WrapMove& j : w.moves) {
    const Vec6& S = kinematics.axis[j.dof];
    const Vec3 omega = S.head<3>();
    const Vec3 moveA = j.a * (S.tail<3>() + omega.cross(rA));
    const Vec3 moveB = j.b * (S.tail<3>() + omega.cross(rB));
    // Turn of the two lines: the whole figure turns with the surface, and the ends move against it.
    const Vec3 turnA = -(haa * moveA + hab * moveB);
    const Vec3 turnB = hab.transpose() * moveA + hbb * moveB;
    const Vec6 changeA =
        j.surface * crossForce(S, lineA) + spatial(moveA.cross(uA) + rA.cross(turnA), turnA);
    const Vec6 changeB =
        j.surface * crossForce(S, lineB) + spatial(moveB.cross(uB) + rB.cross(turnB), turnB);
    for (const WrapMove& i : w.moves) {
      if (i.dof > j.dof) break;
      const Vec6& Si = kinematics.axis[i.dof];
      loads.symmetric(j.dof, i.dof) += weight * (i.b * Si.dot(changeB) - i.a * Si.dot(changeA));
    }
  }
}

/// The three turns of a ball do not commute: d(force_i)/dq_j differs from d(force_j)/dq_i by the
/// generalised force about the third axis.
void addBallTerms(const skeleton::Model& model, const VecX& force, double wq, Loads& loads) {
  for (const skeleton::CompiledMotion& m : model.motions) {
    if (m.code != MotionCode::Ball) continue;
    const int d = m.dof;
    loads.matrix(d, d + 1) += wq * force[d + 2];
    loads.matrix(d, d + 2) -= wq * force[d + 1];
    loads.matrix(d + 1, d + 2) += wq * force[d];
  }
}

}  // namespace

void addPathStiffness(const skeleton::Model& model, const PathSet& paths,
                      const Kinematics& kinematics, PathKinematics& k, const VecX& material,
                      const VecX& geometric, const VecX& generalizedForce, double wq,
                      Loads& loads) {
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    addMaterial(paths, k, material, loads);
    addSegments(paths, kinematics, k, geometric, loads);
  });
  for (std::size_t i = 0; i < paths.wraps.size(); ++i) {
    const WrapElement& w = paths.wraps[i];
    if (geometric[w.muscle] == 0) continue;
    addWrap(w, k.wrap[i], k.surfacePose[i], kinematics, k, geometric[w.muscle], loads);
  }
  addBallTerms(model, generalizedForce, wq, loads);
}

}  // namespace pneuma::muscle
