#include "anatomy/shape_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <deque>

#include "anatomy/fit_ellipsoid.h"
#include "anatomy/shape_field.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kPerPart = kEllipsoidParameters;

struct Sample {
  Vec3 position;
  double target;
  double weight;
};

/// Normal equations of one linearisation.
struct System {
  MatX jtj;
  VecX jtr;
  double cost = 0;
};

class ShapeFitter {
 public:
  ShapeFitter(const DistanceVolume& target, const BoneShape& start, const ShapeFitConfig& config)
      : config_(config), shape_(start), fixed_(start.parts.size()) {
    shape_.symmetric = config.symmetric;
    collectSamples(target);
    for (const ShapePart& p : shape_.parts) fields_.push_back(makePartField(p));
    cacheFixed();
  }

  BoneShape run(ShapeFitReport* report) {
    const int initial = std::max(1, config_.ellipsoids * 2 / 5);
    addMixture(initial);
    improve(8);
    int cutsLeft = config_.cuts;
    while (added_ < config_.ellipsoids) {
      const int before = added_;
      addWhereWrong(std::min(4, config_.ellipsoids - added_), cutsLeft);
      if (added_ == before) break;
      improve(5);
    }
    improve(config_.finalIterations / 2);
    if (prune()) {
      addWhereWrong(config_.ellipsoids - added_, cutsLeft);
      improve(config_.finalIterations / 2);
      prune();
    }
    improve(config_.finalIterations / 2);
    if (report) *report = {nearSurfaceRms(), iterations_};
    return shape_;
  }

 private:
  // --- samples -----------------------------------------------------------------------------

  void collectSamples(const DistanceVolume& target) {
    Box box = target.interiorBounds();
    box.min.array() -= 3 * config_.band;
    box.max.array() += 3 * config_.band;
    if (config_.symmetric) box.min.x() = 0;
    bounds_ = box;
    const double h = config_.spacing;
    size_ = ((box.max - box.min) / h).array().ceil().matrix().cast<int>() + Eigen::Vector3i::Ones();
    origin_ = box.min;
    grid_.assign(static_cast<std::size_t>(size_.prod()), -1);
    for (int i = 0; i < size_.x(); ++i)
      for (int j = 0; j < size_.y(); ++j)
        for (int k = 0; k < size_.z(); ++k) {
          const Vec3 p = origin_ + h * Vec3(i, j, k);
          const double d = target.sample(p);
          // Far from the surface every third node is enough to keep parts away.
          const bool near = std::abs(d) < config_.band;
          if (!near && !(i % 3 == 0 && j % 3 == 0 && k % 3 == 0)) continue;
          grid_[flat({i, j, k})] = static_cast<int>(samples_.size());
          samples_.push_back({p, std::clamp(d, -config_.band, config_.band), near ? 1.0 : 4.0});
        }
    values_.resize(samples_.size());
  }

  std::size_t flat(const Eigen::Vector3i& n) const {
    return static_cast<std::size_t>((n.x() * size_.y() + n.y()) * size_.z() + n.z());
  }

  Vec3 folded(const Vec3& p) const { return shape_.symmetric ? foldedPoint(p) : p; }
  double cut(double d) const { return std::clamp(d, -config_.band, config_.band); }

  /// The start's parts never change: keep their combined value per sample.
  void cacheFixed() {
    base_.assign(samples_.size(), ShapeField::kFar);
    parallelFor(samples_.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s)
        for (std::size_t i = 0; i < fixed_; ++i)
          base_[s] =
              combine(base_[s], fields_[i]->distance(folded(samples_[s].position)), shape_.parts[i])
                  .value;
    });
  }

  /// Parts that can matter at each sample, from their boxes.
  void collectActive() {
    active_.assign(samples_.size(), {});
    std::vector<Box> boxes;
    for (std::size_t i = fixed_; i < fields_.size(); ++i) {
      Box b = fields_[i]->bounds();
      const double reach = 2 * config_.band + shape_.parts[i].blend;
      b.min.array() -= reach;
      b.max.array() += reach;
      boxes.push_back(b);
    }
    parallelFor(samples_.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s)
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          const Vec3 p = samples_[s].position;
          if ((p.array() >= boxes[i].min.array()).all() &&
              (p.array() <= boxes[i].max.array()).all())
            active_[s].push_back(static_cast<int>(fixed_ + i));
        }
    });
  }

  double valueAt(std::size_t s) const {
    const Vec3 p = folded(samples_[s].position);
    double v = base_[s];
    for (int i : active_[s]) {
      const auto k = static_cast<std::size_t>(i);
      v = combine(v, fields_[k]->distance(p), shape_.parts[k]).value;
    }
    return v;
  }

  /// Values at all samples and the weighted sum of squares.
  double evaluate() {
    fields_.resize(fixed_);
    for (std::size_t i = fixed_; i < shape_.parts.size(); ++i)
      fields_.push_back(makePartField(shape_.parts[i]));
    collectActive();
    return parallelReduce(samples_.size(), 1024, 0.0, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t s = begin; s < end; ++s) {
        values_[s] = valueAt(s);
        const double r = cut(values_[s]) - samples_[s].target;
        sum += samples_[s].weight * r * r;
      }
      return sum;
    });
  }

  // --- Levenberg-Marquardt -----------------------------------------------------------------

  /// Derivative of the blended value with respect to each active part's own distance.
  void chainWeights(std::size_t s, std::vector<double>& distances,
                    std::vector<double>& weights) const {
    const Vec3 p = folded(samples_[s].position);
    const std::size_t n = active_[s].size();
    distances.resize(n), weights.resize(n);
    std::vector<double> passOn(n);
    double v = base_[s];
    for (std::size_t a = 0; a < n; ++a) {
      const auto k = static_cast<std::size_t>(active_[s][a]);
      distances[a] = fields_[k]->distance(p);
      const Blended b = combine(v, distances[a], shape_.parts[k]);
      v = b.value, weights[a] = b.weightB, passOn[a] = b.weightA;
    }
    double after = 1;
    for (std::size_t a = n; a-- > 0;) weights[a] *= after, after *= passOn[a];
  }

  System linearise() {
    const auto n = static_cast<Eigen::Index>(shape_.parts.size() - fixed_) * kPerPart;
    std::vector<std::vector<std::unique_ptr<PartField>>> shifted;
    for (std::size_t i = fixed_; i < shape_.parts.size(); ++i)
      shifted.push_back(shiftedFields(shape_.parts[i]));
    System zero{MatX::Zero(n, n), VecX::Zero(n), 0};
    const std::size_t grain = (samples_.size() + 7) / 8;  // few chunks: each holds a matrix
    const auto add = [](System a, const System& b) {
      a.jtj += b.jtj, a.jtr += b.jtr, a.cost += b.cost;
      return a;
    };
    return parallelReduce(
        samples_.size(), grain, zero,
        [&](std::size_t begin, std::size_t end) {
          System sys = zero;
          for (std::size_t s = begin; s < end; ++s) addRow(s, shifted, sys);
          return sys;
        },
        add);
  }

  void addRow(std::size_t s, const std::vector<std::vector<std::unique_ptr<PartField>>>& shifted,
              System& sys) const {
    if (std::abs(values_[s]) > config_.band || active_[s].empty()) return;
    const double r = cut(values_[s]) - samples_[s].target, weight = samples_[s].weight;
    std::vector<double> distances, weights;
    chainWeights(s, distances, weights);
    const Vec3 p = folded(samples_[s].position);
    std::vector<std::pair<Eigen::Index, Eigen::Matrix<double, kPerPart, 1>>> row;
    for (std::size_t a = 0; a < active_[s].size(); ++a) {
      if (std::abs(weights[a]) < 1e-3) continue;
      const std::size_t i = static_cast<std::size_t>(active_[s][a]) - fixed_;
      Eigen::Matrix<double, kPerPart, 1> g;
      for (int k = 0; k < kPerPart; ++k)
        g[k] = weights[a] * (shifted[i][static_cast<std::size_t>(k)]->distance(p) - distances[a]) /
               kEllipsoidStep;
      row.emplace_back(static_cast<Eigen::Index>(i) * kPerPart, g);
    }
    for (const auto& [i, gi] : row) {
      sys.jtr.segment<kPerPart>(i) += weight * r * gi;
      for (const auto& [j, gj] : row)
        sys.jtj.block<kPerPart, kPerPart>(i, j) += weight * gi * gj.transpose();
    }
  }

  void improve(int iterations) {
    double cost = evaluate(), lambda = 1e-2;
    for (int it = 0; it < iterations; ++it) {
      const System sys = linearise();
      bool better = false;
      for (int attempt = 0; attempt < 4 && !better; ++attempt) {
        const BoneShape before = shape_;
        step(sys, lambda);
        const double now = evaluate();
        ++iterations_;
        if (now < cost) {
          better = cost - now > 3e-5 * cost;
          cost = now;
          lambda = std::max(lambda / 4, 1e-5);
          if (!better) return;
        } else {
          shape_ = before;
          lambda *= 6;
        }
      }
      if (!better) break;
    }
    evaluate();
  }

  void step(const System& sys, double lambda) {
    MatX a = sys.jtj;
    const double floor = 1e-3 * (1 + sys.jtj.diagonal().mean());
    a.diagonal() = a.diagonal() * (1 + lambda) + VecX::Constant(a.rows(), floor * lambda + 1e-9);
    const VecX delta = -a.ldlt().solve(sys.jtr);
    if (!delta.allFinite()) return;
    for (std::size_t i = fixed_; i < shape_.parts.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i - fixed_) * kPerPart;
      ShapePart& part = shape_.parts[i];
      part = movedEllipsoid(shape_.parts[i], delta.segment<kPerPart>(row), config_.thinnest,
                            config_.band);
      keepWithinSamples(part);
    }
  }

  /// Where no samples are, nothing would hold a part back.
  void keepWithinSamples(ShapePart& part) const {
    part.center = part.center.cwiseMax(bounds_.min).cwiseMin(bounds_.max);
    const Box box = makePartField(part)->bounds();
    Vec3 low = bounds_.min - box.min;
    if (config_.symmetric) low.x() = 0;  // beyond the mid-plane lies the mirror image
    const double over = std::max(low.maxCoeff(), (box.max - bounds_.max).maxCoeff());
    if (over <= 0) return;
    int longest;
    part.radii.maxCoeff(&longest);
    part.radii[longest] = std::max(part.radii[longest] - over, config_.thinnest);
  }

  // --- new parts ---------------------------------------------------------------------------

  /// Takes out parts that the others do without: hidden rods whose tips stick out, for example.
  bool prune() {
    double cost = evaluate();
    bool any = false;
    for (std::size_t i = shape_.parts.size(); i-- > fixed_;) {
      const ShapePart part = shape_.parts[i];
      shape_.parts.erase(shape_.parts.begin() + static_cast<std::ptrdiff_t>(i));
      const double without = evaluate();
      if (without < cost * (1 + 2e-4)) {
        cost = without;
        any = true;
        --added_;
      } else {
        shape_.parts.insert(shape_.parts.begin() + static_cast<std::ptrdiff_t>(i), part);
      }
    }
    evaluate();
    return any;
  }

  void addPart(ShapePart part, ShapeOperation operation) {
    part.operation = operation;
    part.blend = config_.blend;
    // Added parts come before cut ones, so that no cut is filled again.
    auto at = shape_.parts.end();
    if (operation == ShapeOperation::Add)
      while (at != shape_.parts.begin() + static_cast<std::ptrdiff_t>(fixed_) &&
             (at - 1)->operation == ShapeOperation::Subtract)
        --at;
    shape_.parts.insert(at, part);
    ++added_;
  }

  void addMixture(int count) {
    std::vector<Vec3> points;
    std::vector<double> weights;
    for (std::size_t s = 0; s < samples_.size(); ++s)
      if (samples_[s].target < 0 && base_[s] > 0) {
        points.push_back(samples_[s].position);
        weights.push_back(samples_[s].weight > 1 ? 27 : 1);
      }
    for (const ShapePart& part : mixtureEllipsoids(points, weights, count, config_.spacing))
      addPart(part, ShapeOperation::Add);
  }

  /// How much a sample is on the wrong side: > 0 missing, < 0 too much.
  double wrongness(std::size_t s) const {
    const double f = cut(values_[s]), t = samples_[s].target;
    return (f > 0) != (t > 0) ? f - t : 0.0;
  }

  void addWhereWrong(int count, int& cutsLeft) {
    evaluate();
    std::vector<char> used(samples_.size(), 0);
    for (int n = 0; n < count; ++n) {
      const int seed = worstSample(used, cutsLeft > 0);
      if (seed < 0) return;
      const bool missing = wrongness(static_cast<std::size_t>(seed)) > 0;
      const std::vector<int> cluster = grow(seed, used);
      std::vector<Vec3> points;
      std::vector<double> weights;
      for (int s : cluster) {
        points.push_back(samples_[static_cast<std::size_t>(s)].position);
        weights.push_back(std::abs(wrongness(static_cast<std::size_t>(s))));
      }
      const auto parts = mixtureEllipsoids(points, weights, 1, config_.spacing);
      if (parts.empty()) continue;
      addPart(parts.front(), missing ? ShapeOperation::Add : ShapeOperation::Subtract);
      if (!missing) --cutsLeft;
    }
  }

  /// Sum of the wrongness in the neighbourhood, the peak of which seeds a new part.
  double blurredWrongness(const Eigen::Vector3i& n) const {
    double sum = 0;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        for (int k = -2; k <= 2; ++k) {
          const Eigen::Vector3i m = n + Eigen::Vector3i(i, j, k);
          if ((m.array() < 0).any() || (m.array() >= size_.array()).any()) continue;
          const int s = grid_[flat(m)];
          if (s >= 0) sum += wrongness(static_cast<std::size_t>(s));
        }
    return sum;
  }

  Eigen::Vector3i node(int s) const {
    return ((samples_[static_cast<std::size_t>(s)].position - origin_) / config_.spacing)
        .array()
        .round()
        .matrix()
        .cast<int>();
  }

  int worstSample(const std::vector<char>& used, bool cutsAllowed) const {
    int worst = -1;
    double most = 2 * config_.spacing;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const double w = wrongness(s);
      if (used[s] || w == 0 || (w < 0 && !cutsAllowed)) continue;
      const double sum = blurredWrongness(node(static_cast<int>(s)));
      if (sum * w > 0 && std::abs(sum) > most) most = std::abs(sum), worst = static_cast<int>(s);
    }
    return worst;
  }

  /// Connected samples of the same kind of wrongness around the seed.
  std::vector<int> grow(int seed, std::vector<char>& used) const {
    const double sign = wrongness(static_cast<std::size_t>(seed)) > 0 ? 1 : -1;
    const Eigen::Vector3i center = node(seed);
    std::vector<int> cluster;
    std::deque<int> open{seed};
    used[static_cast<std::size_t>(seed)] = 1;
    while (!open.empty()) {
      const int s = open.front();
      open.pop_front();
      cluster.push_back(s);
      for (int axis = 0; axis < 6; ++axis) {
        Eigen::Vector3i m = node(s);
        m[axis / 2] += axis % 2 ? 1 : -1;
        if ((m.array() < 0).any() || (m.array() >= size_.array()).any()) continue;
        if ((m - center).cast<double>().norm() > 7) continue;
        const int t = grid_[flat(m)];
        if (t < 0 || used[static_cast<std::size_t>(t)]) continue;
        if (wrongness(static_cast<std::size_t>(t)) * sign <= 0) continue;
        used[static_cast<std::size_t>(t)] = 1;
        open.push_back(t);
      }
    }
    return cluster;
  }

  double nearSurfaceRms() const {
    double sum = 0, count = 0;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      if (std::abs(samples_[s].target) > config_.spacing) continue;
      const double r = cut(values_[s]) - samples_[s].target;
      sum += r * r, count += 1;
    }
    return std::sqrt(sum / std::max(count, 1.0));
  }

  ShapeFitConfig config_;
  BoneShape shape_;
  std::size_t fixed_;
  int added_ = 0, iterations_ = 0;
  Box bounds_;  ///< of the samples
  Eigen::Vector3i size_;
  Vec3 origin_;
  std::vector<int> grid_;  ///< sample at a node, -1: none
  std::vector<Sample> samples_;
  std::vector<double> base_, values_;
  std::vector<std::vector<int>> active_;
  std::vector<std::unique_ptr<PartField>> fields_;
};

}  // namespace

BoneShape fitShape(const DistanceVolume& target, const BoneShape& start,
                   const ShapeFitConfig& config, ShapeFitReport* report) {
  return ShapeFitter(target, start, config).run(report);
}

}  // namespace pneuma::anatomy::internal
