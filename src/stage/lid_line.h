#pragma once

namespace pneuma::stage {

/// Where the closed lids of the measured man's left eye meet, seen from the front: a sagging arc
/// from the inner corner to the outer one, found on his skin. x is the distance from his middle
/// [m].
struct LidLine {
  static constexpr double kHeight = 1.549, kSag = 0.0135, kInner = 0.0165, kOuter = 0.0465;  // [m]

  /// 0 at the inner corner, 1 at the outer one.
  static constexpr double along(double x) { return (x - kInner) / (kOuter - kInner); }
  /// Height of the line above the floor [m] at `u` of along().
  static constexpr double height(double u) { return kHeight - kSag * u * (1 - u); }
};

}  // namespace pneuma::stage
