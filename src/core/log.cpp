#include "pneuma/core/log.h"

#include <mutex>
#include <utility>

namespace pneuma {
namespace {

std::mutex& sinkMutex() {
  static std::mutex mutex;
  return mutex;
}

LogSink& sink() {
  static LogSink instance;
  return instance;
}

}  // namespace

LogSink setLogSink(LogSink replacement) {
  const std::lock_guard lock(sinkMutex());
  return std::exchange(sink(), std::move(replacement));
}

void log(LogLevel level, std::string_view message) {
  const std::lock_guard lock(sinkMutex());
  if (sink()) sink()(level, message);
}

}  // namespace pneuma
