#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/fit/landmarks.h"

namespace pneuma::fit {
namespace {

constexpr double kHold = 0.6;         // r: how much the other's proportions count
constexpr double kDepthWeight = 1.0;  // of depths against areas
constexpr double kFirstStep = 0.02;   // of the search, of the neck's height
constexpr double kFootShare = 0.06;   // cuts below show feet, which may point anywhere

/// Logarithms of a profile, less their means above the feet.
struct LogProfile {
  std::vector<double> area, depth;

  explicit LogProfile(const std::vector<ProfileCut>& cuts) {
    constexpr double kLeast = 1e-6;
    for (const ProfileCut& c : cuts) {
      area.push_back(0.5 * std::log(std::max(c.area, kLeast * kLeast)));
      depth.push_back(std::log(std::max(c.depth, kLeast)));
    }
    center(area), center(depth);
  }
  static void center(std::vector<double>& f) {
    const auto first = static_cast<std::size_t>(kFootShare * static_cast<double>(f.size()));
    double sum = 0;
    for (std::size_t i = first; i < f.size(); ++i) sum += f[i];
    for (double& x : f) x -= sum / static_cast<double>(f.size() - first);
  }
  static double at(const std::vector<double>& f, double share) {
    const double k = std::clamp(share * static_cast<double>(f.size()) - 0.5, 0.0,
                                static_cast<double>(f.size() - 1));
    const auto low = std::min(static_cast<std::size_t>(k), f.size() - 2);
    return f[low] + (k - static_cast<double>(low)) * (f[low + 1] - f[low]);
  }
};

/// Value at y of the piecewise linear function through (x_k, h_k), from (0, 0) to (1, 1).
double piecewise(const std::vector<double>& x, const std::vector<double>& h, double y) {
  double x0 = 0, h0 = 0;
  for (std::size_t k = 0; k <= x.size(); ++k) {
    const double x1 = k < x.size() ? x[k] : 1, h1 = k < x.size() ? h[k] : 1;
    if (y <= x1) return h0 + (h1 - h0) * (y - x0) / (x1 - x0);
    x0 = x1, h0 = h1;
  }
  return 1;
}

}  // namespace

std::vector<double> alignHeights(const BodyMeasures& from, const std::vector<double>& known,
                                 const BodyMeasures& to) {
  const auto neckHeight = [](const BodyMeasures& m) { return m.neck.y() - (m.top.y() - m.height); };
  const LogProfile f(from.profile), g(to.profile);
  std::vector<double> x;
  for (const double y : known) x.push_back(y / neckHeight(from));
  PNEUMA_CHECK(std::ranges::is_sorted(x) && !x.empty() && x.front() > 0 && x.back() < 1,
               "{} heights", x.size());
  const auto cost = [&](const std::vector<double>& h) {
    double last = 0.02, sum = 0, count = 0;
    for (const double v : h) {
      if (v < last + 0.02) return 1e300;
      last = v;
    }
    if (last > 0.98) return 1e300;
    for (std::size_t i = 0; i < f.area.size(); i += 2) {
      const double y = (static_cast<double>(i) + 0.5) / static_cast<double>(f.area.size());
      if (y < kFootShare) continue;
      const double there = piecewise(x, h, y);
      sum += std::pow(f.area[i] - LogProfile::at(g.area, there), 2) +
             kDepthWeight * std::pow(f.depth[i] - LogProfile::at(g.depth, there), 2);
      count += 1;
    }
    double held = 0;
    for (std::size_t k = 0; k < x.size(); ++k) held += std::pow(h[k] - x[k], 2);
    return sum / count + kHold * held;
  };
  // Pattern search: every height in turn, from several starts, steps halved when none helps.
  std::vector<double> best = x;
  double least = cost(best);
  for (const double stretch : {1.0, 0.85, 0.7, 0.55, 1.1}) {
    std::vector<double> h;
    for (const double v : x) h.push_back(stretch * v);
    double now = cost(h);
    for (double step = kFirstStep; step > 1e-3;) {
      bool better = false;
      for (std::size_t k = 0; k < h.size(); ++k)
        for (const double move : {step, -step}) {
          std::vector<double> trial = h;
          trial[k] += move;
          if (const double c = cost(trial); c < now) h = trial, now = c, better = true;
        }
      if (!better) step *= 0.5;
    }
    if (now < least) least = now, best = h;
  }
  for (double& v : best) v *= neckHeight(to);
  return best;
}

}  // namespace pneuma::fit
