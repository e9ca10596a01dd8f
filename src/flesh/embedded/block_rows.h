#pragma once

#include "flesh/embedded/block_matrix.h"
#include "flesh/embedded/lanes.h"

/// Rows of float blocks times vectors, a block's column in a register of four: its fourth lane is
/// of no use. No wider registers, so bits do not depend on the machine.
namespace pneuma::flesh::embedded {

using Float4 = float __attribute__((vector_size(16)));

PNEUMA_LANE_INLINE Float4 blockTimes(const float* block, const float* v) {
  return load<Float4>(block) * v[0] + load<Float4>(block + 3) * v[1] +
         load<Float4>(block + 6) * v[2];
}

PNEUMA_LANE_INLINE Float4 loadThree(const float* from) {
  return Float4{from[0], from[1], from[2], 0};
}
PNEUMA_LANE_INLINE void storeThree(float* to, const Float4& v) {
  std::memcpy(to, &v, 3 * sizeof(float));
}

/// Sum over blocks [first, last) of a row. Two sums, so that additions need not wait.
PNEUMA_LANE_INLINE Float4 rowTimes(const BlockMatrix<float>& a, std::int32_t first,
                                   std::int32_t last, const float* x) {
  const float* value = a.value.data();
  const std::int32_t* column = a.column.data();
  const auto term = [&](std::int32_t k) {
    return blockTimes(value + 9 * std::size_t(k), x + 3 * std::size_t(column[k]));
  };
  Float4 even{}, odd{};
  std::int32_t k = first;
  for (; k + 1 < last; k += 2) even += term(k), odd += term(k + 1);
  if (k < last) even += term(k);
  return even + odd;
}

}  // namespace pneuma::flesh::embedded
