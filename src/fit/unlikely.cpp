#include "pneuma/fit/unlikely.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace pneuma::fit {
namespace {

constexpr double kGrownUp = 18;  // years

/// Parts between joints, by what people call them.
struct Limb {
  const char* name;
  std::array<Vec3, 2> FigureJoints::*begin;
  std::array<Vec3, 2> FigureJoints::*end;
};
using J = FigureJoints;
constexpr std::array<Limb, 4> kLimbs{{{"upper arms", &J::shoulder, &J::elbow},
                                      {"forearms", &J::elbow, &J::wrist},
                                      {"thighs", &J::hip, &J::knee},
                                      {"shanks", &J::knee, &J::ankle}}};

}  // namespace

std::vector<std::string> unlikelyOf(const FittedFigure& fitted, const CarriedAnatomy& inside) {
  std::vector<std::string> warnings;
  const anatomy::Person& p = fitted.person;
  if (p.height > kTallestPerson || (p.age >= kGrownUp && p.height < kSmallestAdult))
    warnings.push_back(fmt::format("hardly anybody is {:.2f} m tall", p.height));
  const double index = p.mass / (p.height * p.height);
  if (index < kLeastMassIndex || index > kMostMassIndex)
    warnings.push_back(
        fmt::format("hardly anybody of {:.2f} m weighs {:.0f} kg", p.height, p.mass));
  const auto judge = [&](const char* name, double size) {
    if (size < kShortestBone || size > kLongestBone)
      warnings.push_back(fmt::format(
          "the bones of its {} are {:.2f} times as long as those of people of its stature", name,
          size));
  };
  const FigureJoints &ours = fitted.figure->joints, &its = inside.joints;
  for (const Limb& limb : kLimbs) {
    double there = 0, here = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      there += ((its.*limb.begin)[s] - (its.*limb.end)[s]).norm();
      here += ((ours.*limb.begin)[s] - (ours.*limb.end)[s]).norm();
    }
    judge(limb.name, there / here);
  }
  if (const AffineMap* skull = inside.find("skull"))
    judge("head", std::cbrt(std::abs(skull->linear.determinant())));
  return warnings;
}

}  // namespace pneuma::fit
