#include "pneuma/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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
  const auto loop = [&] {
    tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) { body(c); });
  };
  if (threads().arena) {
    threads().arena->execute(loop);
  } else {
    loop();
  }
}

}  // namespace internal
}  // namespace pneuma
