#include <algorithm>
#include <map>

#include "flesh/embedded/flesh_system.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

FreeWeights freeWeights(const Lattice& lattice, const LatticePlace& place) {
  std::map<std::int32_t, double> sum;
  const SparseRows& s = lattice.bindings;
  for (int k = 0; k < 4; ++k) {
    const std::int32_t n = lattice.tets[place.tet][k];
    for (std::int32_t e = s.start[n]; e < s.start[n + 1]; ++e)
      sum[s.column[e]] += place.weights[k] * double(s.weight[e]);
  }
  return {sum.begin(), sum.end()};
}

Attachments::Attachments(const FleshModel& model) : fixed_(model.fixed) {
  for (const Anchor& a : model.anchors) {
    const FreeWeights weights = freeWeights(*model.lattice, a.place);
    for (const auto& [node, w] : weights) node_.push_back(node), weight_.push_back(w);
    start_.push_back(static_cast<std::int32_t>(node_.size()));
    stiffness_.push_back(a.stiffness);
    for (const auto& [r, wr] : weights)
      for (const auto& [c, wc] : weights) couplings_.push_back({r, c, a.stiffness * wr * wc});
  }
  // One entry for each pair of nodes, in the order of the anchors.
  std::stable_sort(couplings_.begin(), couplings_.end(), [](const Coupling& a, const Coupling& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < couplings_.size(); ++i) {
    const Coupling& c = couplings_[i];
    if (c.row == couplings_[last].row && c.column == couplings_[last].column)
      couplings_[last].stiffness += c.stiffness;
    else
      couplings_[++last] = c;
  }
  if (!couplings_.empty()) couplings_.resize(last + 1);
  loads_ = VecX::Zero(3 * model.lattice->freeCount);
}

void Attachments::setInputs(const FleshModel& model, const FleshInputs& inputs) {
  targets_.assign(inputs.targets.begin(), inputs.targets.end());
  loads_.setZero();
  for (std::size_t i = 0; i < inputs.loads.size(); ++i) loads_.segment<3>(3 * i) = inputs.loads[i];
  if (inputs.gravity.isZero() || model.density.empty()) return;
  const Lattice& l = *model.lattice;
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const Vec3 quarter =
        0.25 * double(model.density[t]) * double(l.share[t]) * l.volume(t) * inputs.gravity;
    for (const std::int32_t n : l.tets[t])
      for (std::int32_t e = l.bindings.start[n]; e < l.bindings.start[n + 1]; ++e)
        loads_.segment<3>(3 * l.bindings.column[e]) += double(l.bindings.weight[e]) * quarter;
  }
}

Vec3 Attachments::anchorPoint(std::size_t anchor, const VecX& y) const {
  Vec3 p = Vec3::Zero();
  for (std::int32_t k = start_[anchor]; k < start_[anchor + 1]; ++k)
    p += weight_[k] * y.segment<3>(3 * node_[k]);
  return p;
}

double Attachments::energy(const VecX& y, VecX* gradient) const {
  double sum = 0;
  for (std::size_t a = 0; a < stiffness_.size(); ++a) {
    const Vec3 off = anchorPoint(a, y) - targets_[a];
    sum += 0.5 * stiffness_[a] * off.squaredNorm();
    if (gradient == nullptr) continue;
    for (std::int32_t k = start_[a]; k < start_[a + 1]; ++k)
      gradient->segment<3>(3 * node_[k]) += stiffness_[a] * weight_[k] * off;
  }
  if (gradient != nullptr) *gradient -= loads_;
  return sum - loads_.dot(y);
}

void spread(const SparseRows& bindings, const VecX& y, std::vector<double>& x) {
  x.resize(3 * bindings.rows());
  parallelFor(bindings.rows(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      Vec3 p = Vec3::Zero();
      for (std::int32_t k = bindings.start[n]; k < bindings.start[n + 1]; ++k)
        p += double(bindings.weight[k]) * y.segment<3>(3 * bindings.column[k]);
      for (int c = 0; c < 3; ++c) x[3 * n + c] = p[c];
    }
  });
}

}  // namespace pneuma::flesh::embedded
