#include "pneuma/core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pneuma {
namespace {

std::string remaining(double seconds) {
  if (!std::isfinite(seconds) || seconds > 359999) return "--:--";
  const int s = static_cast<int>(std::ceil(seconds));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{:02}:{:02}", s / 60, s % 60);
}

/// A terminal that has gone, or a full disk behind it, must not stop the work.
template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> text, Values&&... values) {
  std::fputs(fmt::format(text, std::forward<Values>(values)...).c_str(), stream);
}

/// Columns of the terminal; 80 when it does not say.
std::size_t columnsOf(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ConsoleProgress::ConsoleProgress(std::FILE* stream, std::string unit)
    : stream_(stream), unit_(std::move(unit)), terminal_(isatty(fileno(stream)) != 0) {}

ConsoleProgress::~ConsoleProgress() {
  if (lineOpen_) say(stream_, "\n");  // what comes next is an error: not behind the bar
}

void ConsoleProgress::begin(const std::string& title, double total) {
  title_ = title;
  total_ = total;
  done_ = 0;
  start_ = lastShown_ = Clock::now();
  if (terminal_)
    show(start_, false);  // work that only ends is seen too
  else
    say(stream_, "{}\n", title_);
}

void ConsoleProgress::update(double done) {
  done_ = done;
  const auto now = Clock::now();
  const auto interval =
      terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000);
  if (now - lastShown_ >= interval) show(now, false);
}

void ConsoleProgress::end() {
  show(Clock::now(), true);
}

void ConsoleProgress::show(Clock::time_point now, bool last) {
  lastShown_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = elapsed > 0 ? done_ / elapsed : 0;
  const double fraction = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0;
  // Slow work is counted by the minute.
  const std::string speed = unit_.empty() ? ""
                            : rate < 1 && elapsed > 1
                                ? fmt::format(", {:.3g} {}/min", 60 * rate, unit_)
                                : fmt::format(", {:.3g} {}/s", rate, unit_);
  if (terminal_) {
    constexpr int kWidth = 30;
    const int filled = last ? kWidth : static_cast<int>(fraction * kWidth);
    const std::string bar =
        fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(filled), '#'),
                    std::string(static_cast<std::size_t>(kWidth - filled), '.'));
    const std::string percent = fmt::format("{:3.0f} %", last ? 100.0 : 100 * fraction);
    const std::string rest = fmt::format(
        "{}, {} ", speed,
        last ? fmt::format("done in {:.1f} s", elapsed) : remaining((total_ - done_) / rate));
    // A line that wraps cannot be overwritten: leave out the bar, then cut.
    const std::size_t room = columnsOf(stream_) - 1;
    std::string line = title_ + " " + bar + percent + rest;
    if (line.size() > room) line = title_ + " " + percent + rest;
    say(stream_, "\r{}\x1b[K{}", line.substr(0, room), last ? "\n" : "");
    lineOpen_ = !last;
  } else if (last) {
    say(stream_, "{}: done in {:.1f} s{}\n", title_, elapsed, speed);
  } else {
    say(stream_, "{}: {:.0f} %{}, {} left\n", title_, 100 * fraction, speed,
        remaining((total_ - done_) / rate));
  }
  std::fflush(stream_);
}

}  // namespace pneuma
