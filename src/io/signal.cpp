#include "pneuma/io/signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace {

/// A polyline through samples, read by rising time.
class Line {
 public:
  Line(const std::vector<double>& times, const std::vector<double>& values)
      : times_(times), values_(values) {}

  double at(double t) {
    while (i_ + 2 < times_.size() && times_[i_ + 1] <= t) ++i_;
    while (i_ > 0 && times_[i_] > t) --i_;
    const double s = std::clamp((t - times_[i_]) / (times_[i_ + 1] - times_[i_]), 0.0, 1.0);
    return values_[i_] + s * (values_[i_ + 1] - values_[i_]);
  }

  /// Exact mean between two times.
  double mean(double from, double to) {
    double sum = 0, last = from, lastValue = at(from);
    const auto next = std::upper_bound(times_.begin(), times_.end(), from);
    for (auto it = next; it != times_.end() && *it < to; ++it) {
      const double value = values_[static_cast<std::size_t>(it - times_.begin())];
      sum += 0.5 * (value + lastValue) * (*it - last);
      last = *it;
      lastValue = value;
    }
    sum += 0.5 * (at(to) + lastValue) * (to - last);
    return sum / (to - from);
  }

 private:
  const std::vector<double>& times_;
  const std::vector<double>& values_;
  std::size_t i_ = 0;
};

}  // namespace

bool Signals::uniform() const {
  if (times.size() < 3) return true;
  const double step = duration() / static_cast<double>(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i)
    if (std::abs(times[i] - times[i - 1] - step) > 0.01 * step) return false;
  return true;
}

double Signals::rate() const {
  return times.size() < 2 ? 0 : static_cast<double>(times.size() - 1) / duration();
}

const SignalChannel& Signals::channel(std::string_view name) const {
  std::vector<std::string> names;
  for (const SignalChannel& c : channels) {
    if (c.name == name) return c;
    names.push_back(c.name);
  }
  throw InputError(Diagnostic{.message = fmt::format("unknown signal '{}'", name),
                              .expected = fmt::format("one of {}", fmt::join(names, ", ")),
                              .nearest = nearestName(name, names)});
}

Result<Signals> readSignals(const std::filesystem::path& path, const CsvConfig& config) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".wav") return readWav(path);
  if (ending == ".csv" || ending == ".tsv" || ending == ".txt") return readCsvSignals(path, config);
  const std::vector<std::string> known{".csv", ".tsv", ".txt", ".wav"};
  Diagnostic d = fileError(path.string(), "unknown signal format " + quotedWord(ending),
                           fmt::format("{}", fmt::join(known, " ")));
  d.nearest = nearestName(ending, known);
  return d;
}

Signals resampled(const Signals& signals, double rate) {
  if (!(rate > 0) || !std::isfinite(rate))
    throw InputError(Diagnostic{
        .field = "rate", .message = fmt::format("is {}", rate), .expected = "a rate > 0 [Hz]"});
  constexpr double kMostSamples = 1e8;
  const double wanted = signals.duration() * rate;
  if (wanted > kMostSamples)
    throw InputError(
        fmt::format("{} samples per second for {} s are too many", rate, signals.duration()));
  if (signals.sampleCount() < 2) return signals;

  const double start = signals.times.front(), end = signals.times.back();
  const auto count = static_cast<std::size_t>(std::floor(wanted * (1 + 1e-12) + 1e-9)) + 1;
  // Only a falling rate needs the mean; a rising one would blur for nothing.
  const bool averages = rate < signals.rate() * (1 - 1e-9);
  Signals result;
  for (std::size_t i = 0; i < count; ++i)
    result.times.push_back(start + static_cast<double>(i) / rate);
  for (const SignalChannel& channel : signals.channels) {
    SignalChannel& out = result.channels.emplace_back();
    out.name = channel.name;
    out.unit = channel.unit;
    out.values.reserve(count);
    Line line(signals.times, channel.values);
    for (const double t : result.times)
      out.values.push_back(
          averages ? line.mean(std::max(start, t - 0.5 / rate), std::min(end, t + 0.5 / rate))
                   : line.at(t));
  }
  return result;
}

}  // namespace pneuma::io
