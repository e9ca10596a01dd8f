#pragma once

// Included before every file: what our sources use of C++20's library and libc++ 14 does not have.
#ifdef __EMSCRIPTEN__
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// As the standard has it, for texts of numbers: no leading space, no leading plus.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  if (text.empty() || (text[0] != '-' && text[0] != '.' && (text[0] < '0' || text[0] > '9')))
    return {first, errc::invalid_argument};
  char* end = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* stopped = first + (end - text.c_str());
  if (errno == ERANGE) return {stopped, errc::result_out_of_range};
  value = read;
  return {stopped, errc()};
}

namespace ranges {

template <class Range, class Test, class Projection = identity>
constexpr auto find_if(Range&& range, Test test, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](auto&& x) { return std::invoke(test, std::invoke(projection, x)); });
}
template <class Range, class Value, class Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](auto&& x) { return std::invoke(projection, x) == value; });
}
template <class Range, class Test, class Projection = identity>
constexpr bool any_of(Range&& range, Test test, Projection projection = {}) {
  return ranges::find_if(range, test, projection) != std::end(range);
}
template <class Range, class Test, class Projection = identity>
constexpr bool none_of(Range&& range, Test test, Projection projection = {}) {
  return !ranges::any_of(range, test, projection);
}
template <class Range, class Test, class Projection = identity>
constexpr bool all_of(Range&& range, Test test, Projection projection = {}) {
  return ranges::none_of(
      range, [&](auto&& x) { return !std::invoke(test, x); }, projection);
}
template <class Range, class Test, class Projection = identity>
constexpr auto count_if(Range&& range, Test test, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](auto&& x) { return std::invoke(test, std::invoke(projection, x)); });
}
template <class Range, class Value, class Projection = identity>
constexpr auto count(Range&& range, const Value& value, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](auto&& x) { return std::invoke(projection, x) == value; });
}
template <class Range, class Out>
constexpr auto copy(Range&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Value>
constexpr void replace(Range&& range, const Value& from, const Value& to) {
  std::replace(std::begin(range), std::end(range), from, to);
}
template <class Range>
constexpr void reverse(Range&& range) {
  std::reverse(std::begin(range), std::end(range));
}

/// Compares what is projected.
template <class Compare, class Projection>
constexpr auto projected_by(Compare& compare, Projection& projection) {
  return [&](auto&& a, auto&& b) {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  };
}
template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr auto min_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), projected_by(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr auto max_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), projected_by(compare, projection));
}
template <class Range>
constexpr auto max(Range&& range) {
  return *std::max_element(std::begin(range), std::end(range));
}
template <class Value>
struct min_max_result {
  Value min, max;
};
template <class Range>
constexpr auto minmax(Range&& range) {
  const auto found = std::minmax_element(std::begin(range), std::end(range));
  return min_max_result<std::decay_t<decltype(*found.first)>>{*found.first, *found.second};
}
template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), projected_by(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), projected_by(compare, projection));
}
template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Compare compare = {},
                           Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](auto&& x, auto&& v) {
    return std::invoke(compare, std::invoke(projection, x), v);
  });
}
template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {},
                           Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](auto&& v, auto&& x) {
    return std::invoke(compare, v, std::invoke(projection, x));
  });
}

}  // namespace ranges
}  // namespace std
#endif
