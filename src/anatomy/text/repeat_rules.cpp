#include "anatomy/text/repeat_rules.h"

#include <charconv>

namespace pneuma::anatomy::internal {

void Substitute::text(const FieldSpec& spec, std::string& s) {
  if (s.find('{') == std::string::npos) return;
  std::string result;
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t close = s[i] == '{' ? s.find('}', i) : std::string::npos;
    if (close == std::string::npos) {
      result += s[i++];
      continue;
    }
    const std::string placeholder = s.substr(i + 1, close - i - 1);
    if (const auto filled = value(placeholder))
      result += *filled;
    else
      problems_.push_back({std::string(spec.name), placeholder});
    i = close + 1;
  }
  s = std::move(result);
}

std::optional<std::string> Substitute::value(std::string_view placeholder) const {
  const std::size_t sign = placeholder.find_first_of("+-");
  const std::string_view name = placeholder.substr(0, sign);
  int steps = 0;
  if (sign != std::string_view::npos) {
    const std::string_view digits = placeholder.substr(sign + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), steps);
    if (error != std::errc() || end != digits.data() + digits.size() || steps < 0 || steps > 1000)
      return std::nullopt;
    if (placeholder[sign] == '-') steps = -steps;
  }
  for (const SeriesVariable& v : *variables_) {
    if (v.name != name || v.values.empty()) continue;
    if (sign == std::string_view::npos) return v.values[n_];
    return shiftLevel(v.values[n_], steps);
  }
  return std::nullopt;
}

}  // namespace pneuma::anatomy::internal
