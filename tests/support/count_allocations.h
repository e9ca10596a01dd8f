#pragma once

#include <cstddef>

namespace pneuma::test {

/// Heap allocations (operator new and malloc family) of this program so far, all threads.
std::size_t allocationCount();

/// Counts allocations from its construction on:
///   const test::AllocationCount count;  ...  EXPECT_EQ(count.sinceConstruction(), 0u);
/// Link the test with pneuma_test_support.
class AllocationCount {
 public:
  AllocationCount() : start_(allocationCount()) {}
  std::size_t sinceConstruction() const { return allocationCount() - start_; }

 private:
  std::size_t start_;
};

}  // namespace pneuma::test
