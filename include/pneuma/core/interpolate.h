#pragma once

#include <algorithm>
#include <cstddef>

/// Smooth ways between numbers and points.
namespace pneuma {

/// 0 below 0, 1 above 1, between them the cubic 3 s^2 - 2 s^3 with level ends.
constexpr double smoothStep(double s) {
  const double x = std::clamp(s, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// The same from `low` to `high`.
constexpr double smoothStep(double low, double high, double v) {
  return smoothStep((v - low) / (high - low));
}

/// The quintic 10 s^3 - 15 s^4 + 6 s^5: level and without curvature at both ends.
constexpr double smootherStep(double s) {
  const double x = std::clamp(s, 0.0, 1.0);
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

/// Catmull-Rom: the cubic through p1 (u = 0) and p2 (u = 1) with the slopes (p2 - p0) / 2 and
/// (p3 - p1) / 2.
template <class T>
T catmullRom(const T& p0, const T& p1, const T& p2, const T& p3, double u) {
  return p1 +
         0.5 * u * (p2 - p0 + u * (2 * p0 - 5 * p1 + 4 * p2 - p3 + u * (3 * (p1 - p2) + p3 - p0)));
}

/// Catmull-Rom through `count` >= 2 values at equal spacing, `s` in [0, count - 1]; straight beyond
/// the ends. `get(i)` gives value i.
template <class T, class Get>
T interpolateEven(std::size_t count, double s, Get&& get) {
  const auto last = static_cast<double>(count - 1);
  const double x = std::clamp(s, 0.0, last);
  const auto i = std::min(static_cast<std::size_t>(x), count - 2);
  const T p1 = get(i), p2 = get(i + 1);
  const T p0 = i > 0 ? T(get(i - 1)) : T(2 * p1 - p2);
  const T p3 = i + 2 < count ? T(get(i + 2)) : T(2 * p2 - p1);
  return catmullRom<T>(p0, p1, p2, p3, x - static_cast<double>(i));
}

}  // namespace pneuma
