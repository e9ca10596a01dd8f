#include "pneuma/muscle/excitation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/random.h"
#include "pneuma/core/types.h"

namespace pneuma::muscle {

namespace {

constexpr double kRandomStrength = 0.3;

[[noreturn]] void fail(std::string message, std::string expected, std::string nearest = {}) {
  throw InputError(Diagnostic{.subject = "activations",
                              .message = std::move(message),
                              .expected = std::move(expected),
                              .nearest = std::move(nearest)});
}

double checked(double value, const std::string& what) {
  if (!(value >= 0 && value <= 1)) fail(fmt::format("{} is {}", what, value), "a number in 0..1");
  return value;
}

bool parseNumber(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Lines of that name, of the muscle of that name (of both sides where it names none), or of the
/// group of that name.
std::vector<int> linesNamed(const std::string& name, const MuscleModel& lines) {
  std::vector<int> found;
  for (int m = 0; m < lines.count(); ++m) {
    const std::string& muscle = lines.muscles[m];
    if (lines.names[m] == name || lines.groups[m] == name || muscle == name ||
        muscle == name + "_l" || muscle == name + "_r")
      found.push_back(m);
  }
  if (!found.empty()) return found;
  std::vector<std::string> known = lines.names;
  for (const auto* more : {&lines.muscles, &lines.groups})
    known.insert(known.end(), more->begin(), more->end());
  fail(fmt::format("unknown muscle or group '{}'", name), "a name of the body",
       nearestName(name, known));
}

}  // namespace

Excitation::Excitation(const std::string& text, const MuscleModel& muscles, std::uint64_t seed)
    : constant_(muscles.count(), 0.0) {
  double value = 0;
  if (text == "rest") return;
  if (text == "random") {
    Random random(seed);
    for (int m = 0; m < muscles.count(); ++m) {
      phase_.push_back(random.uniform(0, 2 * kPi));
      frequency_.push_back(random.uniform(0.1, 0.5));
    }
  } else if (parseNumber(text, value)) {
    std::fill(constant_.begin(), constant_.end(), checked(value, "the constant"));
  } else if (text.find('=') != std::string::npos) {
    readPairs(text, muscles);
  } else if (text.find('.') != std::string::npos || text.find('/') != std::string::npos) {
    readFile(text, muscles);
  } else {
    static const std::vector<std::string> kWords = {"rest", "random"};
    fail(fmt::format("cannot read '{}'", text),
         "rest, random, a number, NAME=NUMBER or a file that ends in .csv",
         nearestName(text, kWords));
  }
}

std::string Excitation::hash() const {
  Hash64 h;
  const auto add = [&](const std::vector<double>& v) {
    h.bytes(v.data(), v.size() * sizeof(double));
  };
  add(signals_.times);
  for (const io::SignalChannel& channel : signals_.channels) {
    h.text(channel.name);
    add(channel.values);
  }
  return h.hex();
}

void Excitation::readPairs(const std::string& text, const MuscleModel& muscles) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string pair = text.substr(at, comma - at);
    const std::size_t equals = pair.find('=');
    double value = 0;
    if (equals == std::string::npos || !parseNumber(pair.substr(equals + 1), value))
      fail(fmt::format("cannot read '{}'", pair), "NAME=NUMBER");
    const std::string name = pair.substr(0, equals);
    for (int m : linesNamed(name, muscles)) constant_[m] = checked(value, name);
    at = comma + 1;
  }
}

void Excitation::readFile(const std::string& path, const MuscleModel& muscles) {
  signals_ = io::readSignals(path).valueOrThrow();
  if (signals_.times.empty()) fail(fmt::format("'{}' holds no samples", path), "at least one");
  for (const io::SignalChannel& channel : signals_.channels) {
    targets_.push_back(linesNamed(channel.name, muscles));
    for (double value : channel.values) checked(value, fmt::format("column '{}'", channel.name));
  }
}

void Excitation::evaluate(double time, std::vector<double>& out) const {
  out = constant_;
  for (std::size_t m = 0; m < phase_.size(); ++m)
    out[m] = 0.5 * kRandomStrength * (1 + std::sin(phase_[m] + 2 * kPi * frequency_[m] * time));
  if (signals_.times.empty()) return;
  const auto& times = signals_.times;
  const std::size_t after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  const std::size_t b = std::min(after, times.size() - 1), a = after == 0 ? 0 : after - 1;
  const double part = a == b ? 0 : std::clamp((time - times[a]) / (times[b] - times[a]), 0.0, 1.0);
  for (std::size_t c = 0; c < targets_.size(); ++c) {
    const std::vector<double>& v = signals_.channels[c].values;
    for (int m : targets_[c]) out[m] = v[a] + part * (v[b] - v[a]);
  }
}

}  // namespace pneuma::muscle
