#pragma once

#include <vector>

#include "render/lighting.h"

namespace pneuma::render::internal {

/// The soft shadow of a scene on an unseen floor, computed once per picture on a square grid. The
/// floor fills much of a picture and its shadow is smooth: a grid costs a fifth of tracing it at
/// every pixel, and has no grain.
class FloorShadow {
 public:
  FloorShadow() = default;
  /// A floor at `height` [m] below the scene, without its shadow yet.
  FloorShadow(const Box& scene, float height);
  /// `cells` per side of the grid.
  void compute(const Geometry& geometry, const Lighting& lighting, int cells,
               std::uint32_t samples);

  /// Part of the light that is missing where a ray meets the floor, in [0, 1].
  float along(const Ray& ray) const;
  /// Whether the ray meets the floor where it may be dark.
  bool meets(const Ray& ray) const;

 private:
  bool project(const Ray& ray, Vec3f& point) const;
  float fade(const Vec3f& point) const;

  std::size_t side_ = 0;
  std::vector<float> cells_;  ///< side_ * side_, rows along +X
  float height_ = 0, radius_ = 0;
  Vec3f center_ = Vec3f::Zero();
};

}  // namespace pneuma::render::internal
