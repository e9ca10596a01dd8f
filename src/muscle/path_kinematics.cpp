#include "pneuma/muscle/path_kinematics.h"

#include <algorithm>

#include "pneuma/core/lanes.h"

namespace pneuma::muscle {
namespace {

using pneuma::internal::inRegisters;
using pneuma::internal::Lanes;
using pneuma::internal::lanesAt;
using pneuma::internal::loadLanes;
using skeleton::Kinematics;

/// The unit wrench of a line, scaled by a sign, against the joint axes of a range.
PNEUMA_INTO_BOTH void projectLine(const Vec3& moment, const Vec3& direction, const ArmTerm& term,
                                  const double* axes, Eigen::Index stride, double* arms) {
  const double s = term.sign;
  const double w0 = s * moment.x(), w1 = s * moment.y(), w2 = s * moment.z();
  const double w3 = s * direction.x(), w4 = s * direction.y(), w5 = s * direction.z();
  const double* a = axes + term.range.dof;
  double* out = arms + term.range.row;
  const bool add = term.add;
  pneuma::internal::inLanes(term.range.count, [=]<int kLanes>(int j) PNEUMA_INLINED {
    const auto of = [=](int component) PNEUMA_INLINED -> const Lanes<kLanes>& {
      return loadLanes<kLanes>(a + j + component * stride);
    };
    const auto arm =
        (w0 * of(0) + w1 * of(1)) + (w2 * of(2) + w3 * of(3)) + (w4 * of(4) + w5 * of(5));
    auto& own = lanesAt<kLanes>(out + j);
    own = add ? own + arm : arm;
  });
}

PNEUMA_INTO_BOTH void projectTerms(const PathSet& paths, const TermSpan& span, const Vec3& moment,
                                   const Vec3& direction, const Kinematics& kinematics,
                                   double* arms) {
  const double* axes = kinematics.axisComponents.data();
  const Eigen::Index stride = kinematics.axisComponents.cols();
  for (int t = span.begin; t < span.end; ++t)
    projectLine(moment, direction, paths.terms[t], axes, stride, arms);
}

PNEUMA_INTO_BOTH Vec3 placePoint(const LinkPoint& p, const Kinematics& kinematics) {
  if (p.link < 0) return p.position - kinematics.origin;
  const Pose& X = kinematics.X_WL[p.link];
  return X.rotation * p.position + (X.position - kinematics.origin);
}

Pose placeSurface(const LinkSurface& s, const Kinematics& kinematics) {
  Pose X = s.link < 0 ? s.X_LS : kinematics.X_WL[s.link] * s.X_LS;
  X.position -= kinematics.origin;
  return X;
}

PNEUMA_INTO_BOTH void computeSegments(const PathSet& paths, const Kinematics& kinematics,
                                      PathKinematics& k) {
  double* arms = k.arms.data();
  for (std::size_t i = 0; i < paths.segments.size(); ++i) {
    const Segment& s = paths.segments[i];
    const Vec3& a = k.point[s.pointA];
    const Vec3 d = k.point[s.pointB] - a;
    const double length = d.norm();
    // Coincident points have no direction: such a segment pulls nowhere.
    const Vec3 u = d * (length > 0 ? 1 / length : 0);
    k.direction[i] = u;
    k.segmentLength[i] = length;
    k.length[s.muscle] += length;
    projectTerms(paths, s.terms, a.cross(u), u, kinematics, arms);
  }
}

void computeWraps(const PathSet& paths, const Kinematics& kinematics, PathKinematics& k,
                  bool withHessian) {
  for (std::size_t i = 0; i < paths.wraps.size(); ++i) {
    const WrapElement& w = paths.wraps[i];
    const Pose X = k.surfacePose[i] = placeSurface(w.surface, kinematics);
    const Vec3& a = k.point[w.pointA];
    const Vec3& b = k.point[w.pointB];
    const Vec3 a_S = X.rotation.transpose() * (a - X.position);
    const Vec3 b_S = X.rotation.transpose() * (b - X.position);
    WrapPath& path = k.wrap[i];
    if (const auto* cylinder = std::get_if<WrapCylinder>(&w.surface.shape))
      path = wrapCylinder(*cylinder, a_S, b_S, withHessian);
    else
      path = wrapEllipsoid(std::get<WrapEllipsoid>(w.surface.shape), a_S, b_S, withHessian);
    k.insideCount += path.inside;
    k.unconvergedCount += !path.converged;
    k.length[w.muscle] += path.length;

    const Vec3 uA = X.rotation * path.directionA, uB = X.rotation * path.directionB;
    if (path.contact) {
      projectTerms(paths, w.first, a.cross(uA), uA, kinematics, k.arms.data());
      projectTerms(paths, w.second, b.cross(uB), uB, kinematics, k.arms.data());
    } else {
      projectTerms(paths, w.direct, a.cross(uA), uA, kinematics, k.arms.data());
    }
  }
}

}  // namespace

PathKinematics::PathKinematics(const PathSet& paths)
    : length(VecX::Zero(paths.muscleCount())),
      lengthRate(VecX::Zero(paths.muscleCount())),
      arms(paths.armCount, 0.0),
      point(paths.points.size()),
      direction(paths.segments.size()),
      segmentLength(paths.segments.size()),
      wrap(paths.wraps.size()),
      surfacePose(paths.wraps.size()),
      scratch(12 * static_cast<std::size_t>(std::max(paths.largestTermSpan, 1))) {}

void computePaths(const PathSet& paths, const Kinematics& kinematics, PathKinematics& k,
                  bool withHessian) {
  k.length.setZero();
  k.insideCount = k.unconvergedCount = 0;
  for (const RowRange& r : paths.wrappedRows) std::fill_n(k.arms.begin() + r.row, r.count, 0.0);
  inRegisters([&]() PNEUMA_INLINED {
    for (std::size_t i = 0; i < paths.points.size(); ++i)
      k.point[i] = placePoint(paths.points[i], kinematics);
    computeSegments(paths, kinematics, k);
  });
  computeWraps(paths, kinematics, k, withHessian);
}

void computeLengthRates(const PathSet& paths, const VecX& v, PathKinematics& k) {
  for (int m = 0; m < paths.muscleCount(); ++m) {
    double rate = 0;
    for (int r = paths.rangeBegin[m]; r < paths.rangeBegin[m + 1]; ++r) {
      const RowRange& range = paths.ranges[r];
      const double* p = k.arms.data() + range.row;
      const double* x = v.data() + range.dof;
      for (int j = 0; j < range.count; ++j) rate += p[j] * x[j];
    }
    k.lengthRate[m] = rate;
  }
}

void addTension(const PathSet& paths, const PathKinematics& k, const VecX& tension, VecX& force) {
  inRegisters([&]() PNEUMA_INLINED {
    for (int m = 0; m < paths.muscleCount(); ++m)
      for (int r = paths.rangeBegin[m]; r < paths.rangeBegin[m + 1]; ++r) {
        const RowRange& range = paths.ranges[r];
        pneuma::internal::addScaled(-tension[m], k.arms.data() + range.row, range.count,
                                    force.data() + range.dof);
      }
  });
}

VecX momentArms(const PathSet& paths, const PathKinematics& k, int muscle, int dofCount) {
  VecX row = VecX::Zero(dofCount);
  for (int r = paths.rangeBegin[muscle]; r < paths.rangeBegin[muscle + 1]; ++r) {
    const RowRange& range = paths.ranges[r];
    std::copy_n(k.arms.begin() + range.row, range.count, row.data() + range.dof);
  }
  return row;
}

}  // namespace pneuma::muscle
