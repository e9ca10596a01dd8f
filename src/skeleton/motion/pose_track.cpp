#include "pneuma/skeleton/pose_track.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::skeleton {

namespace {

/// Solves a tridiagonal system whose matrix is symmetric and diagonally dominant, for several right
/// sides at once (columns of x are unknowns, rows are independent systems). Overwrites x.
void solveTridiagonal(std::vector<double> diagonal, const std::vector<double>& off, MatX& x) {
  const Eigen::Index n = x.cols();
  for (Eigen::Index i = 1; i < n; ++i) {
    const double w = off[i - 1] / diagonal[i - 1];
    diagonal[i] -= w * off[i - 1];
    x.col(i) -= w * x.col(i - 1);
  }
  x.col(n - 1) /= diagonal[n - 1];
  for (Eigen::Index i = n - 2; i >= 0; --i)
    x.col(i) = (x.col(i) - off[i] * x.col(i + 1)) / diagonal[i];
}

/// u and its derivatives from those of an unnormalised quaternion, see the header.
void normaliseQuaternion(Eigen::Vector4d& p, Eigen::Vector4d& p1, Eigen::Vector4d& p2) {
  const double n = p.norm();
  p /= n;
  const double n1 = p.dot(p1);
  p1 = (p1 - n1 * p) / n;
  const double n2 = p.dot(p2) + n * p1.squaredNorm();
  p2 = (p2 - 2 * n1 * p1 - n2 * p) / n;
}

Quat quaternionFrom(const Eigen::Vector4d& c) {
  return {c[0], c[1], c[2], c[3]};
}

}  // namespace

PoseTrack::PoseTrack(const Model& model, std::span<const double> times, std::span<const VecX> q,
                     const TrackConfig& config)
    : config_(config),
      motions_(model.motions),
      positions_(model.positionCount()),
      dofs_(model.dofCount()),
      times_(times.begin(), times.end()) {
  PNEUMA_CHECK(times.size() == q.size() && !times.empty(), "{} times, {} poses", times.size(),
               q.size());
  PNEUMA_CHECK(
      !config.cyclic || (times.size() >= 3 && model.links.front().joint == JointKind::Free),
      "a cyclic track needs three keys and a free root");
  for (double& t : times_) t -= times[0];
  for (std::size_t i = 1; i < times_.size(); ++i)
    PNEUMA_CHECK(times_[i] > times_[i - 1], "key {} at {} s follows {} s", i, times_[i],
                 times_[i - 1]);
  keys_.resize(positions_, static_cast<Eigen::Index>(q.size()));
  for (std::size_t i = 0; i < q.size(); ++i) keys_.col(static_cast<Eigen::Index>(i)) = q[i];
  // A quaternion and its negative are the same rotation: keep to the nearer one.
  for (const CompiledMotion& m : motions_)
    if (m.code == MotionCode::Ball)
      for (Eigen::Index i = 1; i < keys_.cols(); ++i)
        if (keys_.col(i - 1).segment<4>(m.position).dot(keys_.col(i).segment<4>(m.position)) < 0)
          keys_.col(i).segment<4>(m.position) *= -1;
  if (config.cyclic) {
    const Vec3 way = (keys_.rightCols<1>() - keys_.leftCols<1>()).col(0).head<3>();
    travel_ = Vec3(way.x(), 0, way.z());
  }
  if (config.kind == TrackKind::Spline) {
    fitSplines();
    return;
  }
  steps_.resize(dofs_, std::max<Eigen::Index>(keys_.cols() - 1, 0));
  for (Eigen::Index i = 0; i + 1 < keys_.cols(); ++i)
    steps_.col(i) = configurationDifference(model, q[static_cast<std::size_t>(i)],
                                            q[static_cast<std::size_t>(i + 1)]);
}

/// Natural splines: for the second derivatives M at the keys,
///   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 (slope_i - slope_i-1), M_0 = M_n = 0.
void PoseTrack::fitSplines() {
  const Eigen::Index n = keys_.cols();
  curvature_ = MatX::Zero(positions_, n);
  if (config_.cyclic) return fitPeriodic();
  if (n < 3) return;
  std::vector<double> diagonal, off;
  MatX x(positions_, n - 2);
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    const double before = times_[i] - times_[i - 1], after = times_[i + 1] - times_[i];
    diagonal.push_back(2 * (before + after));
    off.push_back(after);
    x.col(i - 1) = 6 * ((keys_.col(i + 1) - keys_.col(i)) / after -
                        (keys_.col(i) - keys_.col(i - 1)) / before);
  }
  solveTridiagonal(std::move(diagonal), off, x);
  curvature_.middleCols(1, n - 2) = x;
}

/// The same with the last key being the first: a cyclic system, by Sherman and Morrison's rule.
/// Slopes are differences, so the travel of the root needs no care.
void PoseTrack::fitPeriodic() {
  const Eigen::Index n = keys_.cols() - 1;
  const auto step = [&](Eigen::Index i) { return times_[i + 1] - times_[i]; };
  const auto slope = [&](Eigen::Index i) { return (keys_.col(i + 1) - keys_.col(i)) / step(i); };
  std::vector<double> diagonal, off;
  MatX x(positions_ + 1, n);  // the last row solves for the correction
  x.row(positions_).setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index before = (i + n - 1) % n;
    diagonal.push_back(2 * (step(before) + step(i)));
    off.push_back(step(i));
    x.col(i).head(positions_) = 6 * (slope(i) - slope(before));
  }
  const double corner = step(n - 1), gamma = -diagonal[0];
  diagonal[0] -= gamma;
  diagonal[n - 1] -= corner * corner / gamma;
  x(positions_, 0) = gamma;
  x(positions_, n - 1) = corner;
  solveTridiagonal(std::move(diagonal), off, x);
  const Eigen::RowVectorXd z = x.row(positions_);
  const double denominator = 1 + z[0] + corner * z[n - 1] / gamma;
  const VecX factor = (x.col(0) + corner / gamma * x.col(n - 1)).head(positions_) / denominator;
  curvature_.leftCols(n) = x.topRows(positions_) - factor * z;
  curvature_.col(n) = curvature_.col(0);
}

PoseTrack::Place PoseTrack::place(double t) const {
  Place at;
  const double end = times_.back();
  if (config_.cyclic) {
    at.cycles = std::floor(t / end);
    t -= at.cycles * end;
  }
  if (times_.size() == 1 || t < 0 || t > end) {
    at.held = true;
    at.key = t < 0 || times_.size() == 1 ? 0 : times_.size() - 1;
    return at;
  }
  const auto next = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  at.key = static_cast<std::size_t>(next - times_.begin()) - 1;
  at.h = times_[at.key + 1] - times_[at.key];
  at.s = (t - times_[at.key]) / at.h;
  return at;
}

PoseTrack::Derivatives PoseTrack::spline(const Place& at, int position) const {
  const auto k = static_cast<Eigen::Index>(at.key);
  const double a = keys_(position, k), b = keys_(position, k + 1);
  const double A = curvature_(position, k), B = curvature_(position, k + 1);
  const double s = at.s, r = 1 - s, h = at.h;
  return {r * a + s * b + h * h / 6 * ((r * r * r - r) * A + (s * s * s - s) * B),
          (b - a) / h + h / 6 * ((1 - 3 * r * r) * A + (3 * s * s - 1) * B), r * A + s * B};
}

void PoseTrack::sampleSpline(const Place& at, VecX& q, VecX* v, VecX* vDot) const {
  for (const CompiledMotion& m : motions_) {
    if (m.code != MotionCode::Ball) {
      const Derivatives d = spline(at, m.position);
      q[m.position] = d.value;
      if (v) (*v)[m.dof] = d.first, (*vDot)[m.dof] = d.second;
      continue;
    }
    Eigen::Vector4d p, p1, p2;
    for (int c = 0; c < 4; ++c) {
      const Derivatives d = spline(at, m.position + c);
      p[c] = d.value, p1[c] = d.first, p2[c] = d.second;
    }
    normaliseQuaternion(p, p1, p2);
    q.segment<4>(m.position) = p;
    if (!v) continue;
    const Quat back = quaternionFrom(p).conjugate();
    v->segment<3>(m.dof) = 2 * (back * quaternionFrom(p1)).vec();
    vDot->segment<3>(m.dof) = 2 * (back * quaternionFrom(p2)).vec();
  }
}

void PoseTrack::sampleEase(const Place& at, VecX& q, VecX* v, VecX* vDot) const {
  const auto k = static_cast<Eigen::Index>(at.key);
  const double s = at.s, h = at.h;
  const double eased = s * s * s * (10 + s * (6 * s - 15));
  const double speed = 30 * s * s * (1 - s) * (1 - s) / h;
  const double push = 60 * s * (1 - s) * (1 - 2 * s) / (h * h);
  for (const CompiledMotion& m : motions_) {
    if (m.code != MotionCode::Ball) {
      q[m.position] = keys_(m.position, k) + eased * steps_(m.dof, k);
      continue;
    }
    const Vec3 turn = eased * steps_.col(k).segment<3>(m.dof);
    const double angle = turn.norm();
    const Quat moved =
        quaternionFrom(keys_.col(k).segment<4>(m.position)) *
        (angle > 0 ? Quat(Eigen::AngleAxisd(angle, turn / angle)) : Quat::Identity());
    q.segment<4>(m.position) << moved.w(), moved.x(), moved.y(), moved.z();
  }
  // The way of a ball is a turn about one axis, so its rates are those of the angle.
  if (v) *v = speed * steps_.col(k), *vDot = push * steps_.col(k);
}

void PoseTrack::sampleInto(double t, VecX& q, VecX* v, VecX* vDot) const {
  PNEUMA_CHECK(q.size() == positions_ && (!v || (v->size() == dofs_ && vDot->size() == dofs_)),
               "sizes {} instead of {}", q.size(), positions_);
  const Place at = place(t);
  if (at.held) {
    q = keys_.col(static_cast<Eigen::Index>(at.key));
    if (v) v->setZero(), vDot->setZero();
  } else if (config_.kind == TrackKind::Spline) {
    sampleSpline(at, q, v, vDot);
  } else {
    sampleEase(at, q, v, vDot);
  }
  if (config_.cyclic) q.head<3>() += at.cycles * travel_;
}

void PoseTrack::sample(double t, VecX& q, VecX& v, VecX& vDot) const {
  sampleInto(t, q, &v, &vDot);
}

void PoseTrack::sample(double t, VecX& q) const {
  sampleInto(t, q, nullptr, nullptr);
}

}  // namespace pneuma::skeleton
