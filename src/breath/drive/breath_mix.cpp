#include "pneuma/breath/breath_mix.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/types.h"

namespace pneuma::breath {
namespace {

constexpr double kMost = 20;        // of a command
constexpr double kGood = 0.002;     // of the wanted volume: no further run
constexpr double kExact = 0.01;     // of it: reached
constexpr double kFirstStep = 0.2;  // relative, for the differences
constexpr double kGrowth = 2;       // of a command in one run at most
constexpr int kRuns = 14;

using Mat2 = Eigen::Matrix2d;

Vec2 toVector(const Compartments& c) {
  return {c.ribCage, c.abdomen};
}
BreathMix toMix(const Vec2& u) {
  return {.diaphragm = u.x(), .ribs = u.y()};
}

/// Keeps a command within its range, and from running away where the response is flat.
Vec2 limited(const Vec2& next, const Vec2& now) {
  Vec2 out;
  for (int k = 0; k < 2; ++k) {
    const double low = now[k] / kGrowth - 0.05, high = now[k] * kGrowth + 0.05;
    out[k] = std::clamp(std::clamp(next[k], low, high), 0.0, kMost);
  }
  return out;
}

/// Volume alone: both commands scale alike, by secant steps.
MixFound solveScale(const std::function<Compartments(const BreathMix&)>& respond, double volume) {
  MixFound best{.mix = {}, .reached = respond({}), .runs = 1};
  double scale = 1, before = 0, volumeBefore = 0;
  const auto error = [&](const Compartments& c) { return std::abs(c.total() - volume) / volume; };
  Compartments now = best.reached;
  while (best.runs < kRuns && error(best.reached) > kGood) {
    const double slope = (now.total() - volumeBefore) / (scale - before);
    double next = slope > 0 ? scale + (volume - now.total()) / slope : kGrowth * scale;
    next = std::clamp(std::clamp(next, scale / kGrowth, scale * kGrowth), 0.0, kMost);
    if (next == scale) break;
    before = scale, volumeBefore = now.total(), scale = next;
    now = respond({scale, scale});
    ++best.runs;
    if (error(now) < error(best.reached)) best.mix = {scale, scale}, best.reached = now;
  }
  best.exact = error(best.reached) <= kExact;
  return best;
}

}  // namespace

Contractions BreathMix::of(const Contractions& c) const {
  Contractions out = c;
  out.diaphragm *= diaphragm;
  for (double* v : {&out.external, &out.scalene, &out.levator}) *v *= ribs;
  return out;
}

MixFound solveMix(const std::function<Compartments(const BreathMix&)>& respond,
                  const BreathWish& wish) {
  if (!wish.share) return solveScale(respond, wish.volume);
  const Vec2 wanted(*wish.share * wish.volume, (1 - *wish.share) * wish.volume);
  MixFound best{.mix = {}, .reached = respond({}), .runs = 1};
  const auto error = [&](const Vec2& y) { return (y - wanted).norm() / wish.volume; };
  // The response to each command, by a difference.
  Vec2 u(1, 1), y = toVector(best.reached);
  Mat2 jacobian;
  for (int k = 0; k < 2; ++k) {
    Vec2 moved = u;
    moved[k] += kFirstStep;
    jacobian.col(k) = (toVector(respond(toMix(moved))) - y) / kFirstStep;
    ++best.runs;
  }
  while (best.runs < kRuns && error(toVector(best.reached)) > kGood) {
    if (!(std::abs(jacobian.determinant()) > 1e-9 * jacobian.squaredNorm())) break;
    const Vec2 next = limited(u + jacobian.inverse() * (wanted - y), u);
    const Vec2 du = next - u;
    if (du.norm() < 1e-9) break;
    const Vec2 found = toVector(respond(toMix(next)));
    ++best.runs;
    jacobian += (found - y - jacobian * du) * du.transpose() / du.squaredNorm();
    u = next, y = found;
    if (error(y) < error(toVector(best.reached)))
      best.mix = toMix(u), best.reached = {y.x(), y.y()};
  }
  best.exact = error(toVector(best.reached)) <= kExact;
  return best;
}

}  // namespace pneuma::breath
