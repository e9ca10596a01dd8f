#include "fit/guess_person.h"

#include <algorithm>
#include <cmath>

namespace pneuma::fit::internal {
namespace {

constexpr double kLeastIndex = 12, kMostIndex = 60;  // body mass index [kg/m^2]
constexpr double kSexSpread = 0.012;                 // s [-]

/// Unlikeness of two trunks, whatever their sizes.
double trunkMisfit(const BodyMeasures& a, const BodyMeasures& b) {
  std::vector<double> width, depth;
  // From above the crotch to below the neck; arms leave rough edges near the armpits.
  for (std::size_t i = 3; i + 3 < a.trunk.size(); ++i) {
    width.push_back(std::log(a.trunk[i].width() / b.trunk[i].width()));
    depth.push_back(std::log(a.trunk[i].depth() / b.trunk[i].depth()));
  }
  const auto variance = [](const std::vector<double>& f) {
    double mean = 0, sum = 0;
    for (const double x : f) mean += x / static_cast<double>(f.size());
    for (const double x : f) sum += (x - mean) * (x - mean);
    return sum / static_cast<double>(f.size());
  };
  return variance(width) + variance(depth);
}

}  // namespace

double massOfVolume(anatomy::Person person, double volume) {
  double low = kLeastIndex * person.height * person.height;
  double high = kMostIndex * person.height * person.height;
  for (int i = 0; i < 60; ++i) {
    person.mass = 0.5 * (low + high);
    (anatomy::skinVolume(person) < volume ? low : high) = person.mass;
  }
  return person.mass;
}

SexGuess guessSex(const BodyMeasures& character, const FigureTemplate& man,
                  const FigureTemplate& woman) {
  const double asMan = trunkMisfit(character, man.measures);
  const double asWoman = trunkMisfit(character, woman.measures);
  const bool isMan = asMan <= asWoman;
  return {isMan ? anatomy::Sex::Male : anatomy::Sex::Female,
          1 / (1 + std::exp(-std::abs(asMan - asWoman) / kSexSpread))};
}

}  // namespace pneuma::fit::internal
