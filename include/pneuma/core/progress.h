#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace pneuma {

/// Told about the advance of long work. Implementations decide how to show it.
/// Calls come from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Starts a task of `total` units (0: unknown).
  virtual void begin(const std::string& title, double total) = 0;
  /// Units done so far; cheap, may be called at every step.
  virtual void update(double done) = 0;
  virtual void end() = 0;
};

/// Shows nothing.
class SilentProgress final : public Progress {
 public:
  void begin(const std::string&, double) override {}
  void update(double) override {}
  void end() override {}
};

/// A bar with rate and remaining time on a terminal; elsewhere a plain line every ten seconds, so
/// that logs stay readable.
class ConsoleProgress final : public Progress {
 public:
  /// `unit` names what is counted ("s simulated", "frames"); without one no rate is shown.
  explicit ConsoleProgress(std::FILE* stream = stderr, std::string unit = "");
  ~ConsoleProgress() override;
  void begin(const std::string& title, double total) override;
  void update(double done) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now, bool last);

  std::FILE* stream_;
  std::string unit_;
  bool terminal_;
  bool lineOpen_ = false;  ///< the cursor stands behind a bar
  std::string title_;
  double total_ = 0;
  double done_ = 0;
  Clock::time_point start_;
  Clock::time_point lastShown_;
};

}  // namespace pneuma
