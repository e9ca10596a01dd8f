#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace pneuma::muscle {

/// Parameters of many muscles of one kind, stored field by field, so that a loop over muscles reads
/// contiguous memory. P is a plain struct of doubles.
template <class P>
class ParameterTable {
 public:
  static constexpr std::size_t kFields = sizeof(P) / sizeof(double);

  void add(const P& parameters) {
    const auto raw = std::bit_cast<std::array<double, kFields>>(parameters);
    for (std::size_t f = 0; f < kFields; ++f) columns_[f].push_back(raw[f]);
  }
  std::size_t size() const { return columns_[0].size(); }

  P operator[](std::size_t i) const {
    std::array<double, kFields> raw;
    for (std::size_t f = 0; f < kFields; ++f) raw[f] = columns_[f][i];
    return std::bit_cast<P>(raw);
  }
  void set(std::size_t i, const P& parameters) {
    const auto raw = std::bit_cast<std::array<double, kFields>>(parameters);
    for (std::size_t f = 0; f < kFields; ++f) columns_[f][i] = raw[f];
  }

 private:
  std::array<std::vector<double>, kFields> columns_;
};

}  // namespace pneuma::muscle
