#include <algorithm>
#include <map>

#include "flesh/embedded/flesh_system.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

void FreePoints::add(const Lattice& lattice, const LatticePlace& place) {
  std::map<std::int32_t, double> sum;
  const SparseRows& s = lattice.bindings;
  for (int k = 0; k < 4; ++k) {
    const std::int32_t n = lattice.tets[place.tet][k];
    for (std::int32_t e = s.start[n]; e < s.start[n + 1]; ++e)
      sum[s.column[e]] += place.weights[k] * double(s.weight[e]);
  }
  for (const auto& [n, w] : sum) node.push_back(n), weight.push_back(w);
  start.push_back(static_cast<std::int32_t>(node.size()));
}

Vec3 FreePoints::at(std::size_t point, const VecX& y) const {
  Vec3 p = Vec3::Zero();
  for (std::int32_t k = start[point]; k < start[point + 1]; ++k)
    p += weight[k] * y.segment<3>(3 * node[k]);
  return p;
}

Attachments::Attachments(const FleshModel& model) : fixed_(model.fixed) {
  for (const Anchor& a : model.anchors) {
    const std::size_t begin = anchors_.node.size();
    anchors_.add(*model.lattice, a.place);
    stiffness_.push_back(a.stiffness);
    for (std::size_t i = begin; i < anchors_.node.size(); ++i)
      for (std::size_t j = begin; j < anchors_.node.size(); ++j)
        couplings_.push_back({anchors_.node[i], anchors_.node[j],
                              a.stiffness * anchors_.weight[i] * anchors_.weight[j]});
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
  contacts_.assign(inputs.contacts.begin(), inputs.contacts.end());
  contactPoints_.clear();
  for (const ContactPlane& c : contacts_) contactPoints_.add(*model.lattice, c.place);
  nodeStiffness_.assign(inputs.nodeStiffness.begin(), inputs.nodeStiffness.end());
  nodeTargets_.assign(inputs.nodeTargets.begin(), inputs.nodeTargets.end());
  loads_.setZero();
  for (std::size_t i = 0; i < inputs.loads.size(); ++i) loads_.segment<3>(3 * i) = inputs.loads[i];
  if (inputs.gravity.isZero() || model.density.empty()) return;
  const std::vector<double> mass = nodeMasses(model);
  for (std::size_t n = 0; n < mass.size(); ++n)
    loads_.segment<3>(3 * n) += mass[n] * inputs.gravity;
}

double Attachments::contactEnergy(const VecX& y, VecX* gradient) const {
  double sum = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ContactPlane& plane = contacts_[c];
    const double depth = plane.normal.dot(contactPoints_.at(c, y)) - plane.offset;
    if (depth >= 0) continue;
    sum += 0.5 * plane.stiffness * depth * depth;
    if (gradient == nullptr) continue;
    for (std::int32_t k = contactPoints_.start[c]; k < contactPoints_.start[c + 1]; ++k)
      gradient->segment<3>(3 * contactPoints_.node[k]) +=
          plane.stiffness * depth * contactPoints_.weight[k] * plane.normal;
  }
  return sum;
}

double Attachments::nodeEnergy(const VecX& y, VecX* gradient) const {
  double sum = 0;
  for (std::size_t n = 0; n < nodeStiffness_.size(); ++n) {
    const Vec3 off = y.segment<3>(3 * n) - nodeTargets_[n];
    sum += 0.5 * nodeStiffness_[n] * off.squaredNorm();
    if (gradient != nullptr) gradient->segment<3>(3 * n) += nodeStiffness_[n] * off;
  }
  return sum;
}

double Attachments::energy(const VecX& y, VecX* gradient) const {
  double sum = contactEnergy(y, gradient) + nodeEnergy(y, gradient);
  for (std::size_t a = 0; a < stiffness_.size(); ++a) {
    const Vec3 off = anchors_.at(a, y) - targets_[a];
    sum += 0.5 * stiffness_[a] * off.squaredNorm();
    if (gradient == nullptr) continue;
    for (std::int32_t k = anchors_.start[a]; k < anchors_.start[a + 1]; ++k)
      gradient->segment<3>(3 * anchors_.node[k]) += stiffness_[a] * anchors_.weight[k] * off;
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
