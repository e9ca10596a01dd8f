#include "flesh/embedded/balance.h"

#include <algorithm>
#include <cmath>

namespace pneuma::flesh::embedded {
namespace {

/// Patches hang on one another and move farther together than by themselves: sums are judged by
/// this part of the distance. (The coarsest patches are 6 cm wide; a free belly is five times
/// that.)
constexpr double kTogether = 0.5;

std::vector<double> shearStiffness(const FleshModel& model) {
  const Lattice& l = *model.lattice;
  std::vector<double> stiffness(std::size_t(l.freeCount), 0);
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = l.nodes[l.tets[t][k + 1]] - l.nodes[l.tets[t][0]];
    const Mat3 inverse = edges.inverse();
    const double stiff =
        model.tissue[t].shearModulus() * l.volume(t) * double(std::max(l.share[t], kLeastShare));
    for (int k = 0; k < 4; ++k) {
      const Vec3 slope = k == 0 ? Vec3(-inverse.colwise().sum().transpose())
                                : Vec3(inverse.row(k - 1).transpose());
      const std::int32_t n = l.tets[t][k];
      for (std::int32_t e = l.bindings.start[n]; e < l.bindings.start[n + 1]; ++e)
        stiffness[l.bindings.column[e]] +=
            double(l.bindings.weight[e]) * stiff * slope.squaredNorm();
    }
  }
  return stiffness;
}

/// Of patches twice as wide: eight rows give one of twice their stiffness, and a row that the
/// coarser level has as it is keeps its own.
std::vector<double> coarser(const SparseRows& prolong, const std::vector<double>& fine) {
  const std::int32_t count = *std::max_element(prolong.column.begin(), prolong.column.end()) + 1;
  std::vector<double> sum(std::size_t(count), 0), weight(std::size_t(count), 0);
  for (std::size_t r = 0; r < fine.size(); ++r)
    for (std::int32_t k = prolong.start[r]; k < prolong.start[r + 1]; ++k) {
      const double w = double(prolong.weight[k]);
      sum[prolong.column[k]] += w * fine[r], weight[prolong.column[k]] += w;
    }
  for (std::size_t c = 0; c < sum.size(); ++c)
    if (weight[c] > 0) sum[c] /= std::pow(std::max(weight[c], 1.0), 2.0 / 3);
  return sum;
}

}  // namespace

Balance::Balance(const FleshModel& model) : model_(model), stiffness_{shearStiffness(model)} {
  for (const SparseRows& p : model.lattice->prolongations)
    stiffness_.push_back(coarser(p, stiffness_.back()));
}

// Levels are looked at from the finest to the coarsest, while forces are summed, and what moves on
// a coarser one moves all that hangs on it, from the coarsest to the finest.
std::vector<std::int32_t> Balance::moved(const VecX& forces, double distance, bool sums) const {
  const std::vector<SparseRows>& prolong = model_.lattice->prolongations;
  const std::size_t levels = sums ? stiffness_.size() : 1;
  std::vector<std::vector<std::uint8_t>> moves(levels);
  const auto look = [&](const VecX& f, std::size_t level) {
    const std::vector<double>& stiffness = stiffness_[level];
    const double most = level == 0 ? distance : kTogether * distance;
    moves[level].resize(stiffness.size());
    for (std::size_t r = 0; r < stiffness.size(); ++r)
      moves[level][r] = !(f.segment<3>(3 * Eigen::Index(r)).norm() <= most * stiffness[r]);
  };
  look(forces, 0);
  VecX fine, coarse;
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    const VecX& from = l == 0 ? forces : fine;
    coarse = VecX::Zero(3 * Eigen::Index(stiffness_[l + 1].size()));
    for (std::size_t r = 0; r < stiffness_[l].size(); ++r)
      for (std::int32_t k = prolong[l].start[r]; k < prolong[l].start[r + 1]; ++k)
        coarse.segment<3>(3 * prolong[l].column[k]) +=
            double(prolong[l].weight[k]) * from.segment<3>(3 * Eigen::Index(r));
    look(coarse, l + 1);
    std::swap(fine, coarse);
  }
  for (std::size_t l = levels - 1; l-- > 0;)
    for (std::size_t r = 0; r < moves[l].size(); ++r)
      for (std::int32_t k = prolong[l].start[r]; k < prolong[l].start[r + 1]; ++k)
        moves[l][r] |= moves[l + 1][prolong[l].column[k]];
  std::vector<std::int32_t> found;
  for (std::size_t r = 0; r < moves[0].size(); ++r)
    if (moves[0][r] != 0) found.push_back(static_cast<std::int32_t>(r));
  return found;
}

}  // namespace pneuma::flesh::embedded
