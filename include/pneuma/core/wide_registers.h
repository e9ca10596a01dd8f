#pragma once

#include <cstddef>
#include <new>

/// Inner loops compiled twice, for the baseline and for the wide vector registers that nearly every
/// machine has, and chosen when the program runs. Without fused multiply-add both give the same
/// bits.
#if defined(__x86_64__) && defined(__GNUC__)
#define PNEUMA_WIDE __attribute__((target("avx2")))
#else
#define PNEUMA_WIDE
#endif
#define PNEUMA_INLINED __attribute__((always_inline))
#define PNEUMA_INTO_BOTH inline PNEUMA_INLINED

namespace pneuma::internal {

/// Whether functions marked PNEUMA_WIDE run here.
inline bool hasWideRegisters() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

template <class Work>
PNEUMA_WIDE void runWide(const Work& work) {
  work();
}
template <class Work>
void runNarrow(const Work& work) {
  work();
}
/// Calls `work`, compiled for both. It must be inlined all the way down:
/// inRegisters([&]() PNEUMA_INLINED { ... }).
template <class Work>
void inRegisters(const Work& work) {
  hasWideRegisters() ? runWide(work) : runNarrow(work);
}

/// Memory that begins with a cache line: wide registers are then fetched from one line, not from
/// two.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

}  // namespace pneuma::internal
