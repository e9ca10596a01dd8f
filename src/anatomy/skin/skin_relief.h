#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pneuma/anatomy/bone_shape.h"

/// Relief of the skin: navel, nipples, collar bones, folds, knee caps, ankles. What smoothing takes
/// from the measured skin is put back from tables of heights.
namespace pneuma::anatomy::internal {

/// How a table of heights lies on the measured man: rows at equal steps of height above the sole,
/// columns at equal steps of angle about an axis, from the front (z) over the left side (x). Where
/// the ray from the axis leaves the skin, the skin lies `height` [m] outside of its own smoothed
/// surface (a Gaussian of its distances of 6 mm).
struct ReliefFrame {
  std::string_view piece;  ///< of the envelope
  bool arm;                ///< of the arm's solid
  double low, high;        ///< heights of the first and last row [m]
  bool half;               ///< angles end at the back, the other half is the mirror image
  int rows, columns;
  std::array<Vec3, 4> axis;  ///< from below, heights growing [m]

  Vec3 axisAt(double height) const;
  double angleOf(int column) const;
  /// Column and row of a place, not rounded; a full turn of columns is periodic.
  Vec2 placeOf(const Vec3& p) const;
};
std::span<const ReliefFrame> reliefFrames();

/// A table as a part of body text: a surface without thickness whose points are heights of three
/// columns at a time (the last may be one or two), so that it stands packed.
ShapePart packedHeights(const ReliefFrame& frame, std::span<const double> heights);
std::vector<double> unpackedHeights(const ReliefFrame& frame, const ShapePart& part);

/// Heights of the relief above a smoothed skin [m].
class SkinRelief {
 public:
  SkinRelief() = default;
  /// From the tables of the arm, or of all else, and the marks among `pieces`.
  SkinRelief(std::span<const std::pair<std::string, BoneShape>> pieces, bool arm);

  /// At a place of the measured man's, anywhere near the skin.
  double at(const Vec3& measured) const;
  /// Height of navel and nipples: pieces "skin_mark...", whose ellipsoids raise the skin (or lower
  /// it: subtract) along their third axis, by (1 - r^2)^2 of the third radius at r = 1 on their
  /// rim.
  double marks(const Vec3& subject) const;
  /// Puts the nipple elsewhere.
  void moveNipple(const Vec3& to, const Vec3& outwards);

 private:
  struct Mark {
    ShapePart part;
    bool nipple;
  };
  struct Table {
    const ReliefFrame* frame;
    std::vector<double> heights;  ///< row by row
  };
  static double height(const Table& table, const Vec3& p);
  std::vector<Table> tables_;
  std::vector<Mark> marks_;
};

}  // namespace pneuma::anatomy::internal
