#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pneuma {

enum class LogLevel { Debug, Info, Warning, Error };  ///< how much a message matters

/// Receives every message of the library. The library itself never prints.
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Replaces the sink and returns the former one. An empty sink (the default) drops messages.
/// Not to be called while other threads log.
LogSink setLogSink(LogSink sink);

/// Thread-safe: calls of the sink are serialised.
void log(LogLevel level, std::string_view message);
inline void logInfo(std::string_view message) {
  log(LogLevel::Info, message);
}
inline void logWarning(std::string_view message) {
  log(LogLevel::Warning, message);
}

}  // namespace pneuma
