#include "stage/breath_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/parallel.h"

namespace pneuma::stage::internal {
namespace {

using RowMatrix = BreathFit::RowMatrix;
using Eigen::Index;

constexpr std::size_t kGrain = 1024;  // vertices per piece of work
constexpr int kTurns = 12;            // of targets and weights; errors settle within ten
constexpr int kSweeps = 400;          // of coordinate descent, far more than K <= 8 needs
constexpr double kSoft = 0.02;        // keeps the penalty finite where a target has no part
constexpr double kHold = 0.05;        // lambda
constexpr double kTiny = 1e-9;        // keeps the normal matrices invertible
constexpr double kNothing = 0.1;      // share of the tolerance below which a target moves nothing

/// The w >= 0 that minimises w^T G w / 2 - b^T w.
VecX nonNegative(const MatX& G, const VecX& b) {
  VecX w = VecX::Zero(b.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (Index k = 0; k < b.size(); ++k) {
      if (!(G(k, k) > 0)) continue;
      const double next = std::max(0.0, w[k] + (b[k] - G.row(k).dot(w)) / G(k, k));
      change = std::max(change, std::abs(next - w[k]));
      w[k] = next;
    }
    if (change < 1e-12) break;
  }
  return w;
}

/// A B^T with pieces of the long side summed in order.
MatX product(const RowMatrix& a, const RowMatrix& b) {
  const MatX none = MatX::Zero(a.rows(), b.rows());
  return parallelReduce(
      static_cast<std::size_t>(a.cols()), 3 * kGrain, none,
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Index>(begin);
        const auto count = static_cast<Index>(end - begin);
        return MatX(a.middleCols(first, count) * b.middleCols(first, count).transpose());
      });
}

Vec3 vectorAt(const RowMatrix& m, Index row, std::size_t v) {
  return m.block<1, 3>(row, static_cast<Index>(3 * v)).transpose();
}

}  // namespace

BreathFit::BreathFit(std::span<const std::vector<Vec3>> frames, std::vector<Vec3> base,
                     std::vector<std::size_t> fitted, std::vector<Membership> memberships,
                     const Settings& settings)
    : frames_(frames),
      base_(std::move(base)),
      fitted_(std::move(fitted)),
      memberships_(std::move(memberships)),
      settings_(settings),
      d_(displacements(fitted_)) {
  for (std::size_t v = 0; v < base_.size(); ++v) {
    double most = 0;
    for (Index i = 0; i < d_.rows(); ++i) most = std::max(most, vectorAt(d_, i, v).squaredNorm());
    moves_.push_back(most > settings.tolerance * settings.tolerance);
  }
  weights_.resize(d_.rows(), 0);
  targets_.resize(0, d_.cols());
}

RowMatrix BreathFit::displacements(std::span<const std::size_t> frames) const {
  RowMatrix d(static_cast<Index>(frames.size()), static_cast<Index>(3 * base_.size()));
  parallelFor(frames.size(), 1, [&](std::size_t i, std::size_t) {
    for (std::size_t v = 0; v < base_.size(); ++v)
      d.block<1, 3>(static_cast<Index>(i), static_cast<Index>(3 * v)) =
          (frames_[frames[i]][v] - base_[v]).transpose();
  });
  return d;
}

double BreathFit::membership(Index k, std::size_t v) const {
  const int region = regions_[static_cast<std::size_t>(k)];
  if (region < 0) return 1;
  double m = memberships_[v][static_cast<std::size_t>(region)];
  // Without a target of their own the shoulders follow the chest.
  const auto shoulders = static_cast<int>(BreathRegion::Shoulders);
  if (region == static_cast<int>(BreathRegion::Chest) &&
      std::ranges::find(regions_, shoulders) == regions_.end())
    m += memberships_[v][static_cast<std::size_t>(shoulders)];
  return m;
}

VecX BreathFit::penalties(std::size_t v) const {
  VecX p = VecX::Zero(weights_.cols());
  double least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < p.size(); ++k) {
    if (regions_[static_cast<std::size_t>(k)] < 0) continue;
    const double m = membership(k, v);
    p[k] = std::max(0.0, 1 - m) / (m + kSoft);
    least = std::min(least, p[k]);
  }
  for (Index k = 0; k < p.size(); ++k)
    if (regions_[static_cast<std::size_t>(k)] >= 0) p[k] -= least;
  return p;
}

void BreathFit::addRegion(const std::string& name, BreathRegion region) {
  RowMatrix own = d_;
  for (std::size_t v = 0; v < base_.size(); ++v)
    own.middleCols(static_cast<Index>(3 * v), 3) *=
        memberships_[v][static_cast<std::size_t>(region)];
  // The frame in which the region is displaced most is its weight 1.
  const MatX likeness = product(own, d_);
  Index peak = 0;
  const double most = likeness.diagonal().maxCoeff(&peak);
  std::vector<double> shares(frames_.size(), 0.0);
  for (Index i = 0; most > 0 && i < d_.rows(); ++i)
    shares[fitted_[static_cast<std::size_t>(i)]] = std::max(0.0, likeness(i, peak) / most);
  addSignal(name, shares);
  regions_.back() = static_cast<int>(region);
}

void BreathFit::addSignal(const std::string& name, const std::vector<double>& shares) {
  names_.push_back(name);
  regions_.push_back(-1);
  const auto count = static_cast<Index>(names_.size());
  targets_.conservativeResize(count, Eigen::NoChange);
  targets_.row(count - 1).setZero();
  weights_.conservativeResize(Eigen::NoChange, count);
  for (Index i = 0; i < weights_.rows(); ++i)
    weights_(i, count - 1) = shares[fitted_[static_cast<std::size_t>(i)]];
}

bool BreathFit::addDetail(const std::string& name) {
  const RowMatrix rest = d_ - weights_ * targets_;
  const Eigen::SelfAdjointEigenSolver<MatX> solver(product(rest, rest));
  const Index last = d_.rows() - 1;
  if (!(solver.eigenvalues()[last] > 0)) return false;
  VecX u = solver.eigenvectors().col(last);
  if (u.cwiseMin(0).squaredNorm() > u.cwiseMax(0).squaredNorm()) u = -u;
  if (!settings_.mayBeNegative) u = u.cwiseMax(0);
  addSignal(name, std::vector<double>(frames_.size(), 0.0));
  targets_.row(targets_.rows() - 1) = u.transpose() * rest / u.squaredNorm();
  weights_ = bestWeights(d_);
  return true;
}

void BreathFit::solve() {
  for (int turn = 0; turn < kTurns; ++turn) {
    fitTargets();
    weights_ = bestWeights(d_);
    // Only the product of a target and its weights counts; a fixed scale keeps the penalty fair.
    for (Index k = 0; k < weights_.cols(); ++k) {
      const double most = weights_.col(k).cwiseAbs().maxCoeff();
      if (!(most > 0)) continue;
      weights_.col(k) /= most;
      targets_.row(k) *= most;
    }
  }
}

void BreathFit::fitTargets() {
  const Index count = weights_.cols();
  const auto n = static_cast<double>(d_.rows());
  const MatX A = weights_.transpose() * weights_ / n;
  parallelFor(base_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    const auto first = static_cast<Index>(3 * begin), size = static_cast<Index>(3 * (end - begin));
    const MatX right = weights_.transpose() * d_.middleCols(first, size) / n;
    MatX system(count, count);
    Eigen::LDLT<MatX> solver(count);
    for (std::size_t v = begin; v < end; ++v) {
      system = A;
      const VecX held = penalties(v);
      for (Index k = 0; k < count; ++k) system(k, k) += kTiny + kHold * held[k];
      solver.compute(system);
      targets_.middleCols(static_cast<Index>(3 * v), 3) =
          solver.solve(right.middleCols(static_cast<Index>(3 * (v - begin)), 3));
    }
  });
}

RowMatrix BreathFit::bestWeights(const RowMatrix& displacements) const {
  MatX G = product(targets_, targets_);
  const MatX b = product(displacements, targets_);  // frames x targets
  RowMatrix w(b.rows(), b.cols());
  if (settings_.mayBeNegative) {
    G.diagonal() *= 1 + kTiny;
    const Eigen::LDLT<MatX> solver(G);
    for (Index i = 0; i < b.rows(); ++i) w.row(i) = solver.solve(b.row(i).transpose()).transpose();
  } else {
    for (Index i = 0; i < b.rows(); ++i)
      w.row(i) = nonNegative(G, b.row(i).transpose()).transpose();
  }
  return w;
}

RowMatrix BreathFit::weights(std::span<const std::size_t> frames) const {
  return bestWeights(displacements(frames));
}

std::vector<Vec3> BreathFit::target(std::size_t k) const {
  std::vector<Vec3> offsets;
  for (std::size_t v = 0; v < base_.size(); ++v)
    offsets.push_back(vectorAt(targets_, static_cast<Index>(k), v));
  return offsets;
}

BreathFit::Error BreathFit::error(std::span<const std::size_t> frames) const {
  const RowMatrix d = displacements(frames);
  const RowMatrix w = bestWeights(d);
  std::vector<double> largest(frames.size()), sum(frames.size());
  parallelFor(frames.size(), 1, [&](std::size_t i, std::size_t) {
    const auto row = static_cast<Index>(i);
    const RowMatrix rest = d.row(row) - w.row(row) * targets_;
    for (std::size_t v = 0; v < base_.size(); ++v) {
      const double square = vectorAt(rest, 0, v).squaredNorm();
      largest[i] = std::max(largest[i], std::sqrt(square));
      if (moves_[v]) sum[i] += square;
    }
  });
  Error error;
  double total = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    error.largest = std::max(error.largest, largest[i]);
    total += sum[i];
  }
  const auto moving = static_cast<double>(std::max<long>(1, std::ranges::count(moves_, true)));
  error.mean = std::sqrt(total / (static_cast<double>(frames.size()) * moving));
  return error;
}

void BreathFit::finish() {
  for (std::size_t k = names_.size(); k-- > 0;) {
    double size = 0;
    for (const Vec3& t : target(k)) size = std::max(size, t.norm());
    if (size > kNothing * settings_.tolerance || names_.size() == 1) continue;
    const auto at = static_cast<Index>(k), rest = targets_.rows() - at - 1;
    names_.erase(names_.begin() + at);
    regions_.erase(regions_.begin() + at);
    targets_.middleRows(at, rest) = targets_.bottomRows(rest).eval();
    targets_.conservativeResize(targets_.rows() - 1, Eigen::NoChange);
    weights_.middleCols(at, rest) = weights_.rightCols(rest).eval();
    weights_.conservativeResize(Eigen::NoChange, weights_.cols() - 1);
  }
}

}  // namespace pneuma::stage::internal
