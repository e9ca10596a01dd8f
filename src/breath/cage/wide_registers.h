#pragma once

#include <cstddef>
#include <new>

/// Inner loops compiled twice, for the baseline and for the wide vector registers that nearly every
/// machine has, and chosen when the program runs. Without fused multiply-add both give the same
/// bits.
#if defined(__x86_64__) && defined(__GNUC__)
#define PNEUMA_WIDE __attribute__((target("avx")))
#else
#define PNEUMA_WIDE
#endif
#define PNEUMA_INTO_BOTH inline __attribute__((always_inline))

namespace pneuma::breath::internal {

/// Whether functions marked PNEUMA_WIDE run here.
inline bool hasWideRegisters() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has = __builtin_cpu_supports("avx") != 0;
  return has;
#else
  return false;
#endif
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

}  // namespace pneuma::breath::internal
