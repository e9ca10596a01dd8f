#pragma once

#include <string_view>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

namespace pneuma::render {

/// Standard views of a body that faces +Z. Left and Right show the body's own left and right side.
enum class View { Front, Back, Left, Right, ThreeQuarter, ThreeQuarterBack, Top };

/// "front", "three-quarter"...; an unknown name throws InputError with the nearest one.
View viewFromName(std::string_view name);
std::string_view name(View view);

/// How a camera is placed around what it shows.
struct FramingOptions {
  double aspect = 16.0 / 9.0;         ///< width / height of the picture
  double margin = 0.06;               ///< empty border, part of the picture's half size
  double verticalFieldOfView = 0.42;  ///< [rad]; a long lens keeps bodies undistorted
  bool orthographic = false;
};

/// A pinhole or orthographic camera.
struct Camera {
  Vec3 position{0, 1, 5};
  Vec3 target{0, 1, 0};
  Vec3 up{0, 1, 0};
  double verticalFieldOfView = 0.42;  ///< [rad]
  double orthographicHeight = 0;      ///< > 0: parallel rays, this height of view [m]

  /// Places a camera so that the whole box is seen. The fit is exact for its eight corners.
  static Camera frame(const Box& box, View view, const FramingOptions& options = {});
  /// The same from any direction (from the box towards the camera).
  static Camera frame(const Box& box, const Vec3& direction, const FramingOptions& options = {});
  /// Moves closer on a point: `size` metres fill the height of the picture.
  static Camera closeUp(const Vec3& center, double size, View view,
                        const FramingOptions& options = {});

  Vec3 forward() const { return (target - position).normalized(); }
  Vec3 right() const { return forward().cross(up).normalized(); }
  /// Pixel coordinates (x right, y down) and depth [m] of a point.
  Vec3 project(const Vec3& point, int width, int height) const;
};

/// Outward direction from the subject to the camera.
Vec3 direction(View view);

}  // namespace pneuma::render
