#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Units at the boundary of a body file. Inside everything is SI.
namespace pneuma::anatomy::internal {

/// What kind of quantity a field holds. The declared kinds (up to Inertia) take their unit from
/// the file's `units` table; the others are always in the unit of unitName().
enum class Unit {
  Length,
  Angle,
  Mass,
  Area,
  Volume,
  Inertia,
  None,
  Years,
  Stiffness,
  Damping,
  RotaryStiffness,
  RotaryDamping,
  Force,
  Stress,
  Torque
};
inline constexpr int kDeclaredUnits = 6;

/// Spelling of the SI unit of a kind, "" for None: "m", "rad", "kg m2".
std::string_view unitName(Unit unit);
/// Key of a declared kind in the `units` table: "length".
std::string_view unitKey(Unit unit);
/// All keys of the `units` table.
std::vector<std::string> unitKeys();
/// Spellings known for a kind: "m", "cm", "mm".
std::vector<std::string> unitSpellings(Unit unit);
/// SI value of one `spelling` of that kind, or nothing if unknown.
std::optional<double> unitFactor(Unit unit, std::string_view spelling);

/// The units declared by one file.
struct UnitTable {
  std::array<double, kDeclaredUnits> factor{};  ///< 0: not declared
  std::array<std::string, kDeclaredUnits> spelling;

  bool declared(Unit unit) const;
  double toSi(Unit unit) const;  ///< multiply a value of the file by this
  std::string name(Unit unit) const;
};

/// The units that a saved body uses: millimetres, degrees, kilograms, cm2, cm3.
const UnitTable& writingUnits();

}  // namespace pneuma::anatomy::internal
