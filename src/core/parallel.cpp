#include "pneuma/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>

namespace pneuma {
namespace {

struct Threads {
  int count = tbb::this_task_arena::max_concurrency();
  std::unique_ptr<tbb::global_control> limit;
  std::unique_ptr<tbb::task_arena>
      arena;  // an arena may hold more threads than cores (tests use 4)
};

Threads& threads() {
  static Threads instance;
  return instance;
}

}  // namespace

int setThreadCount(int count) {
  Threads& t = threads();
  t.arena.reset();
  t.limit.reset();
  if (count <= 0) {
    t.count = tbb::this_task_arena::max_concurrency();
    return t.count;
  }
  t.count = count;
  t.limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(count));
  t.arena = std::make_unique<tbb::task_arena>(count);
  return t.count;
}

int threadCount() {
  return threads().count;
}

namespace internal {

void runChunks(std::size_t chunks, const std::function<void(std::size_t)>& body) {
  if (chunks <= 1 || threadCount() == 1) {
    for (std::size_t c = 0; c < chunks; ++c) body(c);
    return;
  }
  // The loop itself already orders the chunks after what came before and before what comes after.
  // The gate says so once more in our own code, for the thread sanitizer cannot look into libtbb.
  std::atomic<std::size_t> gate{0};
  gate.store(0, std::memory_order_release);
  const auto loop = [&] {
    tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
      gate.load(std::memory_order_acquire);
      body(c);
      gate.fetch_add(1, std::memory_order_release);
    });
  };
  if (threads().arena) {
    threads().arena->execute(loop);
  } else {
    loop();
  }
  gate.load(std::memory_order_acquire);
}

}  // namespace internal
}  // namespace pneuma
