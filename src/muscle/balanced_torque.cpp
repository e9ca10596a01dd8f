#include "muscle/balanced_torque.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pneuma::muscle::internal {
namespace {

constexpr int kGoldenSteps = 48;  // the bracket shrinks by 1e-10
constexpr double kGolden = 0.6180339887498949;
constexpr double kWidestPrice = 1024;  // of an off-axis newton metre, in wanted ones
constexpr double kNoTorque = 1e-12;    // [N m]

/// The dual over one price: sum of max(0, w_i - mu o_i).
class PriceSearch {
 public:
  explicit PriceSearch(std::size_t size) { breaks_.reserve(size); }

  /// Least value over mu, and where, for w_i = wanted - outer * first.
  std::pair<double, double> minimise(std::span<const MuscleTorque> all, double outer, int axis) {
    // Slope just left of all breakpoints: muscles with o > 0 pay nothing there and are active.
    double slope = 0;
    breaks_.clear();
    for (const MuscleTorque& m : all) {
      const double o = m.other[axis];
      if (std::abs(o) < kNoTorque) continue;
      breaks_.push_back({worth(m, outer, axis) / o, std::abs(o)});
      if (o > 0) slope -= o;
    }
    std::sort(breaks_.begin(), breaks_.end());
    double mu = 0;
    for (const auto& [at, step] : breaks_) {
      mu = at;
      if ((slope += step) >= 0) break;
    }
    return {value(all, outer, mu, axis), mu};
  }

  static double value(std::span<const MuscleTorque> all, double outer, double mu, int axis) {
    double sum = 0;
    for (const MuscleTorque& m : all)
      sum += std::max(worth(m, outer, axis) - mu * m.other[axis], 0.0);
    return sum;
  }

 private:
  static double worth(const MuscleTorque& m, double outer, int axis) {
    return axis == 0 ? m.wanted : m.wanted - outer * m.other[0];
  }
  std::vector<std::pair<double, double>> breaks_;
};

BalancedTorque result(std::span<const MuscleTorque> all, double torque, double l0, double l1) {
  BalancedTorque r{torque, {}};
  for (const MuscleTorque& m : all)
    r.fullyActive.push_back(m.wanted - l0 * m.other[0] - l1 * m.other[1] > 0 ? 1 : 0);
  return r;
}

}  // namespace

BalancedTorque balancedTorque(std::span<const MuscleTorque> muscles, int others) {
  if (others <= 0) {
    double sum = 0;
    for (const MuscleTorque& m : muscles) sum += std::max(m.wanted, 0.0);
    return result(muscles, sum, 0, 0);
  }
  PriceSearch search(muscles.size());
  if (others == 1) {
    const auto [torque, mu] = search.minimise(muscles, 0, 0);
    return result(muscles, torque, mu, 0);
  }
  const auto inner = [&](double outer) { return search.minimise(muscles, outer, 1).first; };
  // Widen the bracket until the least value lies inside, then close it.
  double low = -1, high = 1;
  while (high < kWidestPrice && inner(high) < inner(0.5 * high)) high *= 2;
  while (low > -kWidestPrice && inner(low) < inner(0.5 * low)) low *= 2;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double fa = inner(a), fb = inner(b);
  for (int i = 0; i < kGoldenSteps; ++i) {
    if (fa <= fb) {
      high = b, b = a, fb = fa;
      a = high - kGolden * (high - low), fa = inner(a);
    } else {
      low = a, a = b, fa = fb;
      b = low + kGolden * (high - low), fb = inner(b);
    }
  }
  const double outer = 0.5 * (low + high);
  const auto [torque, mu] = search.minimise(muscles, outer, 1);
  return result(muscles, torque, outer, mu);
}

}  // namespace pneuma::muscle::internal
