#include "fit/part_slimmer.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/fit/slim_bones.h"

namespace pneuma::fit::internal {
namespace {

using anatomy::Taper;

constexpr double kWatched = 12e-3;     // vertices that lie deeper do not get near the skin [m]
constexpr double kSectionSize = 0.02;  // a change of size counts as a shift by this part of it [m]
constexpr double kBend = 4;            // weight of differences between neighbouring stations
constexpr double kAtJoint = 1e4;       // weight of shifts where two bones meet
constexpr double kNearJoint = 0.15;    // of a part's length, where they are held
constexpr int kRounds = 40;            // in which all that lies too high counts alike
constexpr int kLastRounds = 40;        // in which what is outside counts more
constexpr double kOutside = 20;        // weight of it, then

/// The stations of one part, brought to where its bones lie within the skin.
class PartSlimmer {
 public:
  PartSlimmer(const SlimRule& rule, Taper& taper, std::vector<Watched> points)
      : rule_(rule),
        taper_(taper),
        points_(std::move(points)),
        size_(4 * idx(taper.stations().size())) {
    weights_ = VecX::Ones(size_);
    for (Eigen::Index k = 0; k < size_ / 4; ++k) {
      weights_.segment<2>(4 * k).setConstant(kSectionSize * kSectionSize);
      const double t = taper.stationShare(static_cast<std::size_t>(k));
      const bool held = (rule.heldAtStart && std::abs(t) < kNearJoint) ||
                        (rule.heldAtEnd && std::abs(t - 1) < kNearJoint);
      if (held) weights_.segment<2>(4 * k + 2).setConstant(kAtJoint);
      if (!rule.sideways) weights_[4 * k + 2] = 1e6 * kAtJoint;
    }
  }

  void run(const SkinDepth& skin) {
    watch(skin);
    const bool limb = rule_.outsideCountsMore;
    for (int round = 0; round < kRounds + (limb ? kLastRounds : 0); ++round)
      if (!step(skin, round < kRounds ? 1 : kOutside)) return;
  }

 private:
  static Eigen::Index idx(std::size_t n) { return static_cast<Eigen::Index>(n); }

  std::vector<SkinDepth::Depth> depths(const SkinDepth& skin) const {
    std::vector<SkinDepth::Depth> found(points_.size());
    parallelFor(points_.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) found[i] = skin.at(points_[i].there(taper_));
    });
    return found;
  }

  void watch(const SkinDepth& skin) {
    const auto depth = depths(skin);
    std::vector<Watched> high;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (depth[i].depth < kWatched) high.push_back(points_[i]);
    points_ = std::move(high);
  }

  /// False when nothing lies too high. `outside` weighs what misses more than the margin.
  bool step(const SkinDepth& skin, double outside) {
    const auto depth = depths(skin);
    const auto high = [](const auto& d) { return d.depth < kLeastDepth; };
    if (std::ranges::none_of(depth, high)) return false;
    MatX normal = MatX::Zero(size_, size_);
    VecX right = VecX::Zero(size_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double missing = kMargin - depth[i].depth;
      if (missing <= 0) continue;
      const Taper::Place p = taper_.at(points_[i].place);
      const Vec3 pull = points_[i].linear.transpose() * depth[i].inward;
      const double side = pull.dot(taper_.side()), front = pull.dot(taper_.front());
      if (side * side + front * front < kAcross * kAcross * pull.squaredNorm()) continue;
      Eigen::Matrix<double, 16, 1> row;
      for (Eigen::Index k = 0; k < 4; ++k)
        row.segment<4>(4 * k) =
            p.weights[k] * Eigen::Vector4d(side * p.x, front * p.z, side, front);
      const double weight = high(depth[i]) ? outside : 1;
      normal.block<16, 16>(4 * idx(p.first), 4 * idx(p.first)) += weight * row * row.transpose();
      right.segment<16>(4 * idx(p.first)) += weight * missing * row;
    }
    for (Eigen::Index k = 0; k < size_; ++k) {
      normal(k, k) += weights_[k];
      if (k < 4) continue;
      const double bend = kBend * std::min({weights_[k], weights_[k - 4], 1.0});
      normal(k, k) += bend, normal(k - 4, k - 4) += bend;
      normal(k, k - 4) -= bend, normal(k - 4, k) -= bend;
    }
    apply(normal.ldlt().solve(right));
    return true;
  }

  void apply(const VecX& change) {
    for (std::size_t k = 0; k < taper_.stations().size(); ++k) {
      Taper::Station& s = taper_.stations()[k];
      const Eigen::Index i = 4 * idx(k);
      s.side = std::clamp(s.side + change[i], kThinnest, 1.0);
      s.front = std::clamp(s.front + change[i + 1], kThinnest, 1.0);
      if (rule_.sideways) s.sideways += change[i + 2];
      s.forward += change[i + 3];
    }
  }

  SlimRule rule_;
  Taper& taper_;
  std::vector<Watched> points_;
  Eigen::Index size_;
  VecX weights_;
};

}  // namespace

void slimPart(const SlimRule& rule, const SkinDepth& skin, std::vector<Watched> points,
              Taper& taper) {
  PartSlimmer(rule, taper, std::move(points)).run(skin);
}

}  // namespace pneuma::fit::internal
