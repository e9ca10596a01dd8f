#pragma once

#include <span>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/renderer.h"

/// What pictures and films of a breath say besides the body: its outline before, and how far chest
/// and belly have come.
namespace pneuma::stage::internal {

inline const render::Color kMarkColor = render::Color::hex(0xffffff);
/// Sizes of marks are given for pictures of 720 lines.
inline double markScale(const render::Image& image) {
  return image.height / 720.0;
}

class BreathMarks {
 public:
  /// `before` are the vertices of the surface at the end of a breath out. The surface must outlive
  /// the marks.
  BreathMarks(const anatomy::SkinSurface& surface, std::vector<Vec3> before);

  void outline(render::Image& image, const render::Camera& camera) const;
  /// Millimetres forwards of chest and belly, from the left or nearly so, with leaders to where
  /// they are read; `decimals` of them.
  void travels(render::Image& image, const render::Camera& camera, std::span<const Vec3> after,
               int decimals) const;
  /// A large line in the upper left corner, and a small one below.
  static void title(render::Image& image, const std::string& large, const std::string& small);

 private:
  const anatomy::SkinSurface& surface_;
  TriangleMesh before_;
};

}  // namespace pneuma::stage::internal
