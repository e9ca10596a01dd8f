#pragma once

#include <algorithm>
#include <concepts>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "anatomy/text/units.h"
#include "pneuma/anatomy/body.h"

/// How a field of a body file is described to a visitor: its specification, the spellings of
/// enumerations, and types written as rows of numbers. See body_fields.h.
namespace pneuma::anatomy::internal {

/// What a text means, for checking and for the mirror and series rules.
enum class Role {
  Text,       ///< free text: never changed
  Name,       ///< gives the entry its name
  Reference,  ///< names another entry
  Path        ///< a file
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct FieldSpec {
  std::string_view name;
  std::string_view meaning;
  Unit unit = Unit::None;
  bool required = false;
  double min = -kNoLimit;  ///< [SI]
  double max = kNoLimit;   ///< [SI]
  bool aboveMin = false;   ///< the minimum itself is not allowed
  Role role = Role::Text;
  std::size_t minCount = 0;  ///< of a list
  std::size_t maxCount = std::numeric_limits<std::size_t>::max();
};

/// The body lies within 5 m of the origin; a larger number is a unit mistake.
inline constexpr double kFar = 5.0;

/// Spellings of an enumeration in the order of its values.
template <class E>
struct EnumNames;
#define PNEUMA_ENUM_NAMES(Type, ...)                           \
  template <>                                                  \
  struct EnumNames<Type> {                                     \
    static constexpr std::string_view names[] = {__VA_ARGS__}; \
  }
PNEUMA_ENUM_NAMES(BoneKind, "bone", "cartilage", "set");
PNEUMA_ENUM_NAMES(BodyRegion, "head", "neck", "thorax", "abdomen", "pelvis", "arm", "leg");
PNEUMA_ENUM_NAMES(MuscleRegion, "head_neck", "trunk", "arm", "leg");
PNEUMA_ENUM_NAMES(LinkRegion, "head_neck_trunk", "arm", "leg");
PNEUMA_ENUM_NAMES(DofKind, "rotation", "translation");
PNEUMA_ENUM_NAMES(JointType, "fixed", "sequence", "ball", "free");
PNEUMA_ENUM_NAMES(BoneCount, "bones", "bodies");
PNEUMA_ENUM_NAMES(Sex, "male", "female");
PNEUMA_ENUM_NAMES(SkinPieceKind, "torso_front", "torso_back", "hip", "arm", "leg");
PNEUMA_ENUM_NAMES(ShapeKind, "sweep", "ellipsoid", "plate", "profile");
PNEUMA_ENUM_NAMES(ShapeOperation, "add", "subtract");
#undef PNEUMA_ENUM_NAMES

/// The value that a spelling stands for, or none.
template <class E>
std::optional<E> enumValue(std::string_view spelling) {
  const auto& names = EnumNames<E>::names;
  const auto it = std::find(std::begin(names), std::end(names), spelling);
  if (it == std::end(names)) return std::nullopt;
  return static_cast<E>(it - std::begin(names));
}

/// A node of a plate's grid, as it stands in the file: [x, y, z, thickness].
struct PlateNode {
  Vec3 point = Vec3::Zero();
  double thickness = 0;
};

/// A row of a radial table, as it stands in the file.
struct RadiusRow {
  std::vector<double> radii;
};
/// The rows of a table; none when its radii do not fill rows.
std::vector<RadiusRow> toRows(const RadialTable& table);

/// Types written as a row of plain numbers.
std::vector<double> toRow(const SweepSection& s);
std::vector<double> toRow(const ProfileSection& s);
std::vector<double> toRow(const PlateNode& n);
std::vector<double> toRow(const RadiusRow& r);
void fromRow(const std::vector<double>& row, SweepSection& s);
void fromRow(const std::vector<double>& row, ProfileSection& s);
void fromRow(const std::vector<double>& row, PlateNode& n);
void fromRow(const std::vector<double>& row, RadiusRow& r);
template <class T>
concept Row = requires(const T& t) {
  toRow(t);
};
/// How many numbers a row may have, and how many of them (the first ones) are lengths.
template <class T>
struct RowShape;
template <>
struct RowShape<SweepSection> {
  static constexpr std::size_t min = 5, max = 8, lengths = 5;
  static constexpr std::string_view text = "[x, y, z, radius A, radius B] or with a direction";
  static bool valid(std::size_t n) { return n == 5 || n == 8; }
};
template <>
struct RowShape<ProfileSection> {
  static constexpr std::size_t min = 4, max = 64, lengths = 64;
  static constexpr std::string_view text = "[x, y, z, mean radius, c1, s1, ...]";
  static bool valid(std::size_t n) { return n >= 4 && n <= 64 && n % 2 == 0; }
};
template <>
struct RowShape<PlateNode> {
  static constexpr std::size_t min = 4, max = 4, lengths = 4;
  static constexpr std::string_view text = "[x, y, z, thickness]";
  static bool valid(std::size_t n) { return n == 4; }
};

template <>
struct RowShape<RadiusRow> {
  static constexpr std::size_t min = 1, max = 512, lengths = 512;
  static constexpr std::string_view text = "[r, r, ...]";
  static bool valid(std::size_t n) { return n >= min && n <= max; }
};

/// Rotation vector (axis times angle) of a rotation, and back.
Vec3 rotationVector(const Mat3& rotation);
Mat3 rotationMatrix(const Vec3& vector);

/// Base of visitors: whether they change what they visit.
struct ChangingVisitor {
  template <class T>
  using Ref = T&;
  static constexpr bool kChanges = true;
};
struct ReadingVisitor {
  template <class T>
  using Ref = const T&;
  static constexpr bool kChanges = false;
};

}  // namespace pneuma::anatomy::internal
