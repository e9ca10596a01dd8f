#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skin::internal {

/// Free points of a net that take the shape of least bending between the fixed ones.
///
///   min over free x   sum_i | D_i(x) - b_i |^2       D_i(x) = mean of i's neighbours - x_i
///
/// b_i is the offset that point i has by nature: zero for a thin plate, its offset at rest turned
/// with the body in a pose. The sum runs over the free points and their neighbours, so that the
/// result joins the fixed points with a continuous tangent. [Sorkine et al. 2004, Laplacian surface
/// editing, with turned offsets]
///
/// Linear: factorised once, then two triangular solves for each pose.
class PlateSolver {
 public:
  using Neighbours = std::vector<std::vector<std::int32_t>>;

  /// Throws InternalError when a free point is connected to no fixed one.
  PlateSolver(const Neighbours& neighbours, const std::vector<bool>& free);
  ~PlateSolver();
  PlateSolver(PlateSolver&&) noexcept;

  /// Points whose offset counts: the free ones and their neighbours.
  const std::vector<std::int32_t>& rows() const { return rows_; }
  /// Overwrites the free points of `x`; `offsets` belongs to rows().
  void solve(std::span<const Vec3> offsets, std::vector<Vec3>& x);

 private:
  struct Impl;
  std::vector<std::int32_t> rows_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::skin::internal
