#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flesh/embedded/block_matrix.h"
#include "flesh/embedded/element_batches.h"

namespace pneuma::flesh::embedded {

/// Energy, gradient and matrix of the elements over all nodes, T-junctions included.
///
/// Elements are worked on in chunks of neighbours. Chunks are coloured so that those of one colour
/// share no node: they add to the same arrays from several threads without meeting, and in an order
/// that does not depend on the threads.
template <class Real>
class Assembly {
 public:
  using Scalar = typename LaneTraits<Real>::Scalar;

  explicit Assembly(const FleshModel& model);

  /// Parts of the elements, by the rows (free nodes) that they move.
  enum class Part {
    Active,    ///< some of those last activated
    Border,    ///< some of them and others, too
    Inactive,  ///< none of them
  };
  /// From now on only batches of elements that move one of these rows are looked at, unless said
  /// otherwise.
  void activate(const RowMask& rows);

  void setActivations(std::span<const double> activations) {
    elements_.setActivations(activations);
  }
  /// One per tetrahedron [Pa]; empty: none.
  void setPressures(std::span<const float> pressures);
  /// Sum of energies [J]; adds dE/dx [N] to `gradient` (three per node).
  double energy(const double* x, const KernelSettings& settings, double* gradient,
                Part part = Part::Active);
  /// How many of the elements last looked at have less than kFlat of their volume.
  static constexpr double kFlat = 0.2;
  std::size_t flat() const;
  /// Upper blocks of the projected second derivatives, column by column; those of nodes that hang
  /// on inactive rows are not complete.
  void stiffness(const double* x, const KernelSettings& settings);

  const std::vector<BlockPlace>& blocks() const { return blocks_; }
  /// They are not needed any more.
  void forgetBlocks() { std::vector<BlockPlace>().swap(blocks_); }
  const std::vector<Scalar>& values() const { return values_; }

 private:
  void colour(std::size_t nodeCount);
  void numberBlocks(const FleshModel& model);
  void numberGroups(const FleshModel& model);
  void addStiffness(const BatchStiffness<Real>& element, std::size_t batch);
  void clearStiffness(std::size_t batch);
  Pressures<Real> pressuresOf(std::size_t batch) const {
    return pressures_.empty() ? nullptr
                              : pressures_.data() + batch * std::size_t(LaneTraits<Real>::kCount);
  }
  /// Calls visit(chunk, batch) for batches of that part, chunks of one colour in parallel.
  template <class Visit>
  void eachBatch(Part part, Visit&& visit) const;
  template <class Visit>
  void eachGroup(std::size_t batch, Visit&& visit) const;

  ElementBatches<Real> elements_;
  std::vector<Scalar> pressures_;  ///< of all lanes; empty while none acts
  std::size_t tetCount_ = 0;
  std::vector<std::vector<std::int32_t>> colours_;     ///< chunks
  std::vector<std::array<std::int32_t, 10>> blockOf_;  ///< by tet and pair of corners
  std::vector<BlockPlace> blocks_;
  std::vector<Scalar> values_;
  std::vector<double> energies_;                   ///< by chunk
  std::vector<std::int32_t> flat_;                 ///< elements, by chunk
  std::vector<std::int32_t> groupStart_, groups_;  ///< of rows, by batch
  std::vector<std::uint8_t> active_;               ///< by batch; kBorder: not all its rows
  static constexpr std::uint8_t kInner = 1, kBorder = 2;
};

}  // namespace pneuma::flesh::embedded
