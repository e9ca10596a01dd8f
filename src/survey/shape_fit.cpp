#include "survey/shape_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "anatomy/shape/shape_field.h"
#include "pneuma/core/parallel.h"
#include "survey/fit_ellipsoid.h"
#include "survey/fit_samples.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

constexpr int kPerPart = kEllipsoidParameters;

/// Normal equations of one linearisation.
struct System {
  MatX jtj;
  VecX jtr;
  double cost = 0;
};

class ShapeFitter {
 public:
  ShapeFitter(const DistanceVolume& target, const BoneShape& start, const ShapeFitConfig& config)
      : config_(config),
        shape_(start),
        fixed_(start.parts.size()),
        grid_(target, config),
        samples_(grid_.samples),
        values_(samples_.size()) {
    shape_.symmetric = config.symmetric;
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
    part.center = part.center.cwiseMax(grid_.bounds.min).cwiseMin(grid_.bounds.max);
    const Box box = makePartField(part)->bounds();
    Vec3 low = grid_.bounds.min - box.min;
    if (config_.symmetric) low.x() = 0;  // beyond the mid-plane lies the mirror image
    const double over = std::max(low.maxCoeff(), (box.max - grid_.bounds.max).maxCoeff());
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

  /// How much each sample is on the wrong side: > 0 missing, < 0 too much.
  std::vector<double> wrongness() const {
    std::vector<double> wrong(samples_.size());
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const double f = cut(values_[s]), t = samples_[s].target;
      wrong[s] = (f > 0) != (t > 0) ? f - t : 0.0;
    }
    return wrong;
  }

  void addWhereWrong(int count, int& cutsLeft) {
    evaluate();
    WrongRegions regions(grid_, wrongness());
    for (int n = 0; n < count; ++n) {
      const std::optional<WrongRegion> region = regions.takeWorst(cutsLeft > 0);
      if (!region) return;
      const auto parts = mixtureEllipsoids(region->points, region->weights, 1, config_.spacing);
      if (parts.empty()) continue;
      addPart(parts.front(), region->missing ? ShapeOperation::Add : ShapeOperation::Subtract);
      if (!region->missing) --cutsLeft;
    }
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
  SampleGrid grid_;
  const std::vector<FitSample>& samples_;
  std::vector<double> values_, base_;
  std::vector<std::vector<int>> active_;
  std::vector<std::unique_ptr<PartField>> fields_;
};

}  // namespace

BoneShape fitShape(const DistanceVolume& target, const BoneShape& start,
                   const ShapeFitConfig& config, ShapeFitReport* report) {
  return ShapeFitter(target, start, config).run(report);
}

}  // namespace pneuma::survey::internal
