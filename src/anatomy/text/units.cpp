#include "anatomy/text/units.h"

#include "pneuma/core/types.h"

namespace pneuma::anatomy::internal {
namespace {

struct Spelling {
  Unit unit;
  std::string_view text;
  double factor;
};

constexpr double kDegree = kPi / 180;
constexpr Spelling kSpellings[] = {
    {Unit::Length, "m", 1},          {Unit::Length, "cm", 1e-2},     {Unit::Length, "mm", 1e-3},
    {Unit::Angle, "rad", 1},         {Unit::Angle, "deg", kDegree},  {Unit::Mass, "kg", 1},
    {Unit::Mass, "g", 1e-3},         {Unit::Area, "m2", 1},          {Unit::Area, "cm2", 1e-4},
    {Unit::Area, "mm2", 1e-6},       {Unit::Volume, "m3", 1},        {Unit::Volume, "l", 1e-3},
    {Unit::Volume, "ml", 1e-6},      {Unit::Volume, "cm3", 1e-6},    {Unit::Inertia, "kg m2", 1},
    {Unit::Inertia, "kg cm2", 1e-4}, {Unit::Inertia, "g cm2", 1e-7},
};
constexpr std::string_view kKeys[] = {"length", "angle", "mass", "area", "volume", "inertia"};
constexpr std::string_view kNames[] = {"m",       "rad",       "kg", "m2",  "m3",
                                       "kg m2",   "",          "a",  "N/m", "N s/m",
                                       "N m/rad", "N m s/rad", "N",  "Pa",  "N m"};

bool isDeclared(Unit unit) {
  return static_cast<int>(unit) < kDeclaredUnits;
}

}  // namespace

std::string_view unitName(Unit unit) {
  return kNames[static_cast<int>(unit)];
}

std::string_view unitKey(Unit unit) {
  return isDeclared(unit) ? kKeys[static_cast<int>(unit)] : std::string_view();
}

std::vector<std::string> unitKeys() {
  return {std::begin(kKeys), std::end(kKeys)};
}

std::vector<std::string> unitSpellings(Unit unit) {
  std::vector<std::string> result;
  for (const Spelling& s : kSpellings)
    if (s.unit == unit) result.emplace_back(s.text);
  return result;
}

std::optional<double> unitFactor(Unit unit, std::string_view spelling) {
  for (const Spelling& s : kSpellings)
    if (s.unit == unit && s.text == spelling) return s.factor;
  if (!isDeclared(unit) && spelling == unitName(unit)) return 1.0;
  return std::nullopt;
}

bool UnitTable::declared(Unit unit) const {
  return !isDeclared(unit) || factor[static_cast<std::size_t>(unit)] > 0;
}

double UnitTable::toSi(Unit unit) const {
  return isDeclared(unit) && declared(unit) ? factor[static_cast<std::size_t>(unit)] : 1.0;
}

std::string UnitTable::name(Unit unit) const {
  return isDeclared(unit) && declared(unit) ? spelling[static_cast<std::size_t>(unit)]
                                            : std::string(unitName(unit));
}

const UnitTable& writingUnits() {
  static const UnitTable table = [] {
    UnitTable t;
    t.spelling = {"mm", "deg", "kg", "cm2", "cm3", "kg m2"};
    for (int i = 0; i < kDeclaredUnits; ++i)
      t.factor[static_cast<std::size_t>(i)] =
          *unitFactor(static_cast<Unit>(i), t.spelling[static_cast<std::size_t>(i)]);
    return t;
  }();
  return table;
}

}  // namespace pneuma::anatomy::internal
