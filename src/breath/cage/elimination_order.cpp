#include "breath/cage/elimination_order.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <bit>
#include <cstdint>

namespace pneuma::breath::internal {
namespace {

constexpr int kMostForLeastFill = 1000;  // sets of neighbours are bits: their size squared

/// Blocks that are not eliminated yet, and who is coupled to whom.
class OpenBlocks {
 public:
  OpenBlocks(int size, std::span<const std::pair<int, int>> pairs)
      : words_((static_cast<std::size_t>(size) + 63) / 64),
        neighbours_(static_cast<std::size_t>(size), Set(words_, 0)),
        fill_(neighbours_.size()),
        open_(neighbours_.size(), true) {
    for (const auto& [a, b] : pairs) {
      insert(neighbours_[static_cast<std::size_t>(a)], static_cast<std::size_t>(b));
      insert(neighbours_[static_cast<std::size_t>(b)], static_cast<std::size_t>(a));
    }
    for (std::size_t i = 0; i < fill_.size(); ++i) fill_[i] = fillOf(i);
  }

  /// The one that couples the fewest pairs anew, the first of equals.
  std::size_t next() const {
    std::size_t best = open_.size();
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (open_[i] && (best == open_.size() || fill_[i] < fill_[best])) best = i;
    return best;
  }

  /// Couples all its neighbours.
  void eliminate(std::size_t block) {
    open_[block] = false;
    const Set own = neighbours_[block];
    Set touched = own;
    forEach(own, [&](std::size_t i) {
      Set& set = neighbours_[i];
      for (std::size_t w = 0; w < words_; ++w) set[w] |= own[w];
      erase(set, i);
      erase(set, block);
      for (std::size_t w = 0; w < words_; ++w) touched[w] |= set[w];
    });
    forEach(touched, [&](std::size_t i) { fill_[i] = fillOf(i); });
  }

 private:
  using Set = std::vector<std::uint64_t>;

  static void insert(Set& set, std::size_t i) { set[i / 64] |= std::uint64_t{1} << (i % 64); }
  static void erase(Set& set, std::size_t i) { set[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  template <class Visit>
  static void forEach(const Set& set, const Visit& visit) {
    for (std::size_t w = 0; w < set.size(); ++w)
      for (std::uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  /// Pairs of neighbours that are not coupled, each counted twice.
  int fillOf(std::size_t i) const {
    const Set& own = neighbours_[i];
    int count = 0, coupled = 0;
    forEach(own, [&](std::size_t j) {
      ++count;
      for (std::size_t w = 0; w < words_; ++w) coupled += std::popcount(own[w] & neighbours_[j][w]);
    });
    return count * (count - 1) - coupled;
  }

  std::size_t words_;
  std::vector<Set> neighbours_;
  std::vector<int> fill_;
  std::vector<bool> open_;
};

std::vector<int> leastFill(int size, std::span<const std::pair<int, int>> pairs) {
  OpenBlocks blocks(size, pairs);
  std::vector<int> place(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const std::size_t block = blocks.next();
    place[block] = i;
    blocks.eliminate(block);
  }
  return place;
}

/// Approximate minimum degree of the graph of blocks.
std::vector<int> minimumDegree(int size, std::span<const std::pair<int, int>> pairs) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, 1.0);
  for (const auto& [a, b] : pairs) {
    entries.emplace_back(a, b, 1.0);
    entries.emplace_back(b, a, 1.0);
  }
  Eigen::SparseMatrix<double> graph(size, size);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  std::vector<int> place(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) place[static_cast<std::size_t>(order.indices()[i])] = i;
  return place;
}

}  // namespace

std::vector<int> eliminationOrder(int size, std::span<const std::pair<int, int>> pairs) {
  return size <= kMostForLeastFill ? leastFill(size, pairs) : minimumDegree(size, pairs);
}

}  // namespace pneuma::breath::internal
