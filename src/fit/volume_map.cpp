#include "pneuma/fit/volume_map.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::fit {
namespace {

using Eigen::Index;

Vec3 meanOf(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

/// Sums of products about the means: of `to` with `from`, and of `from` with itself.
struct Moments {
  Vec3 from, to;
  Mat3 cross = Mat3::Zero(), own = Mat3::Zero();

  Moments(std::span<const Vec3> a, std::span<const Vec3> b) : from(meanOf(a)), to(meanOf(b)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      cross += (b[i] - to) * (a[i] - from).transpose();
      own += (a[i] - from) * (a[i] - from).transpose();
    }
  }
};

}  // namespace

VolumeMap::VolumeMap(std::vector<Vec3> from, std::span<const Vec3> to, double ridge)
    : centres_(std::move(from)) {
  const auto n = static_cast<Index>(centres_.size());
  if (n < 4 || to.size() != centres_.size())
    throw InputError("volume map: needs the same points on both sides, at least four");
  // One dense system for the weights and the affine part; the conditions on the weights below.
  MatX A = MatX::Zero(n + 4, n + 4);
  Eigen::Matrix<double, Eigen::Dynamic, 3> right =
      Eigen::Matrix<double, Eigen::Dynamic, 3>::Zero(n + 4, 3);
  for (Index i = 0; i < n; ++i) {
    const Vec3& c = centres_[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) A(i, j) = (c - centres_[static_cast<std::size_t>(j)]).norm();
    A(i, i) -= ridge;
    A(i, n) = A(n, i) = 1;
    A.block<1, 3>(i, n + 1) = c.transpose();
    A.block<3, 1>(n + 1, i) = c;
    right.row(i) = (to[static_cast<std::size_t>(i)] - c).transpose();
  }
  const Eigen::PartialPivLU<MatX> lu(A);
  if (!(lu.rcond() > 1e-14)) throw InputError("volume map: its points lie in one plane");
  const Eigen::Matrix<double, Eigen::Dynamic, 3> solved = lu.solve(right);
  for (Index i = 0; i < n; ++i) weights_.push_back(solved.row(i).transpose());
  offset_ = solved.row(n).transpose();
  linear_ = solved.bottomRows<3>().transpose();
}

Vec3 VolumeMap::operator()(const Vec3& p) const {
  Vec3 result = p + offset_ + linear_ * p;
  for (std::size_t i = 0; i < centres_.size(); ++i)
    result += (p - centres_[i]).norm() * weights_[i];
  return result;
}

Mat3 VolumeMap::jacobian(const Vec3& p) const {
  Mat3 result = Mat3::Identity() + linear_;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    const Vec3 d = p - centres_[i];
    const double length = d.norm();
    if (length > 0) result += weights_[i] * d.transpose() / length;
  }
  return result;
}

std::vector<std::int32_t> evenPoints(std::span<const Vec3> points, const std::vector<bool>& allowed,
                                     std::size_t count) {
  std::vector<std::int32_t> chosen;
  std::vector<double> nearest(points.size(), 1e300);
  std::size_t next = points.size();
  for (std::size_t i = 0; i < points.size() && next == points.size(); ++i)
    if (allowed[i]) next = i;
  while (next < points.size() && chosen.size() < count) {
    chosen.push_back(static_cast<std::int32_t>(next));
    const Vec3 last = points[next];
    double farthest = 0;
    next = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!allowed[i]) continue;
      nearest[i] = std::min(nearest[i], (points[i] - last).squaredNorm());
      if (nearest[i] > farthest) farthest = nearest[i], next = i;
    }
  }
  return chosen;
}

AffineMap bestSimilarity(std::span<const Vec3> from, std::span<const Vec3> to) {
  const Moments m(from, to);
  const Mat3 turn = shape::nearestProperRotation(m.cross);
  const double scale = m.own.trace() > 0 ? (turn.transpose() * m.cross).trace() / m.own.trace() : 1;
  return {scale * turn, m.to - scale * (turn * m.from)};
}

AffineMap bestAffine(std::span<const Vec3> from, std::span<const Vec3> to) {
  const Moments m(from, to);
  const Eigen::FullPivLU<Mat3> lu(m.own);
  if (from.size() < 4 || lu.rcond() < 1e-6) return bestSimilarity(from, to);
  const Mat3 linear = lu.solve(m.cross.transpose()).transpose();
  return {linear, m.to - linear * m.from};
}

AffineMap throughEnds(const Vec3& a, const Vec3& b, const Vec3& aThere, const Vec3& bThere,
                      std::optional<double> across) {
  const Vec3 d = b - a, there = bThere - aThere, n = d.normalized();
  const double along = there.norm() / d.norm(), wide = across.value_or(along);
  const Mat3 stretch = wide * Mat3::Identity() + (along - wide) * n * n.transpose();
  const Mat3 linear = Quat::FromTwoVectors(d, there).toRotationMatrix() * stretch;
  return {linear, aThere - linear * a};
}

double rmsApart(const AffineMap& map, std::span<const Vec3> from, std::span<const Vec3> to) {
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) sum += (map(from[i]) - to[i]).squaredNorm();
  return from.empty() ? 0 : std::sqrt(sum / static_cast<double>(from.size()));
}

}  // namespace pneuma::fit
