#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

/// Parallel loops whose result has the same bits for any number of threads: work is cut into chunks
/// whose bounds depend only on the number of items, never on the threads; reductions combine the
/// chunks in order.
namespace pneuma {

/// Threads used from now on (0: as many as the machine has). Returns the count in force.
int setThreadCount(int threads);
int threadCount();

namespace internal {
/// Runs body(chunk) for chunk in [0, chunks).
void runChunks(std::size_t chunks, const std::function<void(std::size_t)>& body);
}  // namespace internal

/// Calls body(begin, end) for disjoint ranges that cover [0, count). Ranges hold `grain` items (the
/// last one fewer). The body must only write to items of its own range.
template <class Body>
void parallelFor(std::size_t count, std::size_t grain, Body&& body) {
  const std::size_t chunks = (count + grain - 1) / grain;
  if (chunks <= 1 || threadCount() == 1) {
    for (std::size_t c = 0; c < chunks; ++c) body(c * grain, std::min(count, (c + 1) * grain));
    return;
  }
  internal::runChunks(chunks,
                      [&](std::size_t c) { body(c * grain, std::min(count, (c + 1) * grain)); });
}

/// Sum (or any combination) of body(begin, end) over the same ranges, combined from left to right.
template <class T, class Body, class Combine = std::plus<T>>
T parallelReduce(std::size_t count, std::size_t grain, T initial, Body&& body,
                 Combine combine = {}) {
  const std::size_t chunks = (count + grain - 1) / grain;
  std::vector<T> partial(chunks, initial);
  internal::runChunks(chunks, [&](std::size_t c) {
    partial[c] = body(c * grain, std::min(count, (c + 1) * grain));
  });
  T result = initial;
  for (const T& p : partial) result = combine(result, p);
  return result;
}

}  // namespace pneuma
