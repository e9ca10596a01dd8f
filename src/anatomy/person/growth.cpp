#include "pneuma/anatomy/growth.h"

#include <algorithm>
#include <array>

#include "pneuma/core/interpolate.h"

namespace pneuma::anatomy {
namespace {

/// One age of the tables in growth.h.
struct Year {
  double age;
  double stature;     ///< median [m]
  double massIndex;   ///< median [kg/m^2]
  double sitting;     ///< height over stature
  double cranium;     ///< over the adult's, absolute
  double faceHeight;  ///< over the adult's, absolute
};

constexpr std::array<Year, 9> kBoys{{{5, 1.092, 15.42, 0.562, 0.915, 0.80},
                                     {6, 1.157, 15.38, 0.556, 0.925, 0.82},
                                     {8, 1.281, 15.78, 0.541, 0.943, 0.86},
                                     {10, 1.388, 16.6, 0.530, 0.957, 0.89},
                                     {12, 1.493, 17.8, 0.525, 0.972, 0.925},
                                     {14, 1.641, 19.2, 0.523, 0.988, 0.965},
                                     {16, 1.734, 20.6, 0.523, 0.997, 0.99},
                                     {18, 1.762, 21.9, 0.523, 1, 1},
                                     {20, 1.768, 23.0, 0.523, 1, 1}}};
constexpr std::array<Year, 9> kGirls{{{5, 1.080, 15.2, 0.562, 0.94, 0.84},
                                      {6, 1.149, 15.2, 0.556, 0.95, 0.86},
                                      {8, 1.276, 15.8, 0.541, 0.967, 0.90},
                                      {10, 1.383, 16.9, 0.530, 0.98, 0.935},
                                      {12, 1.514, 18.1, 0.525, 0.99, 0.97},
                                      {14, 1.605, 19.4, 0.523, 1, 0.99},
                                      {16, 1.626, 20.5, 0.523, 1, 1},
                                      {18, 1.631, 21.3, 0.523, 1, 1},
                                      {20, 1.633, 21.7, 0.523, 1, 1}}};
constexpr double kSitting = 0.523;  ///< of adults
constexpr double kShortArms = 0.9675, kArmsShort = 6,
                 kArmsLong = 14;  ///< arms catch up between [y]
constexpr double kGirlsMature[2] = {9, 16}, kBoysMature[2] = {11, 18};  ///< [years]

using Years = std::array<Year, 9>;

const Years& yearsOf(Sex sex) {
  return sex == Sex::Male ? kBoys : kGirls;
}

/// A column of the table between its years, at its ends outside of them.
double valueAt(const Years& years, double age, double Year::*value) {
  std::size_t k = 0;
  while (k + 2 < years.size() && years[k + 1].age < age) ++k;
  const Year &a = years[k], &b = years[k + 1];
  const double t = std::clamp((age - a.age) / (b.age - a.age), 0.0, 1.0);
  return a.*value + t * (b.*value - a.*value);
}

}  // namespace

Medians mediansOf(Sex sex, double age) {
  const Years& years = yearsOf(sex);
  return {valueAt(years, age, &Year::stature), valueAt(years, age, &Year::massIndex)};
}

Growth growthOf(Sex sex, double age) {
  const Years& years = yearsOf(sex);
  const Year& grown = years.back();
  if (age >= grown.age) return {};
  const auto at = [&](double Year::*value) { return valueAt(years, age, value); };
  Growth g;
  g.stature = at(&Year::stature) / grown.stature;
  g.massIndex = at(&Year::massIndex) / grown.massIndex;
  if (age >= kGrownAge) return g;
  g.legs = (1 - at(&Year::sitting)) / (1 - kSitting);
  g.arms = kShortArms +
           (1 - kShortArms) * std::clamp((age - kArmsShort) / (kArmsLong - kArmsShort), 0.0, 1.0);
  // Sizes of the head over the body's own: the head is ahead of the height. What is left of the
  // growth in height at 18 does not count.
  const double body = at(&Year::stature) / years[years.size() - 2].stature;
  g.cranium = at(&Year::cranium) / body;
  g.faceHeight = at(&Year::faceHeight) / body;
  g.faceBreadth = 0.5 * (g.cranium + g.faceHeight);
  const double(&mature)[2] = sex == Sex::Male ? kBoysMature : kGirlsMature;
  g.maturity = smoothStep(mature[0], mature[1], age);
  return g;
}

const char* wordFor(Sex sex, double age) {
  if (age < kGrownAge) return sex == Sex::Male ? "boy" : "girl";
  return sex == Sex::Male ? "man" : "woman";
}

}  // namespace pneuma::anatomy
