#include "tests/support/count_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

// The malloc family is replaced by counting wrappers (Eigen allocates with malloc, not with new).
// Under a sanitizer the real functions must stay, and the counter stays at zero.
namespace {
std::atomic<std::size_t> allocations{0};
}

namespace pneuma::test {
std::size_t allocationCount() {
  return allocations.load(std::memory_order_relaxed);
}
}  // namespace pneuma::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(p, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  *result = memalign(alignment, size);
  return *result != nullptr ? 0 : 12;  // ENOMEM
}
}
#endif
