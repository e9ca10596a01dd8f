#pragma once

#include "pneuma/render/camera.h"
#include "render/geometry.h"
#include "render/sampler.h"

namespace pneuma::render::internal {

/// The lamps of a picture. They stand around the camera, not around the body, so that a back view
/// is lit as well as a front view.
class Lighting {
 public:
  Lighting(const Camera& camera, const RenderOptions& options);

  /// Light that a surface point sends towards the eye; `toEye` is a unit vector.
  Rgb shade(const Geometry& geometry, const Part& part, const SurfacePoint& point,
            const Vec3f& toEye, Sampler& sampler) const;

  /// What reaches a place that faces along `normal`, by `rays` each to lamp and surroundings.
  KeptLight reaching(const Geometry& geometry, const Vec3f& position, const Vec3f& normal,
                     std::uint32_t rays, Sampler& sampler) const;

  /// Part of key light and sky that does not reach a point of the floor, in [0, 1].
  float groundShadow(const Geometry& geometry, const Vec3f& point, Sampler& sampler) const;

 private:
  Rgb sky(const Vec3f& direction) const;
  /// Whether the lamp's light enters tissue at a place within its depth around a point, chosen by
  /// chance: seen from above the small forms, never along the surface.
  bool entersAround(const Geometry& geometry, const Shading& m, const SurfacePoint& p,
                    const Vec3f& l, Sampler& sampler) const;
  Rgb shadeKey(const Geometry& geometry, const Shading& m, const SurfacePoint& p, const Rgb& albedo,
               const Vec3f& toEye, Sampler& sampler) const;
  Rgb shadeSky(const Geometry& geometry, const Shading& m, const SurfacePoint& p, const Rgb& albedo,
               const Vec3f& toEye, Sampler& sampler) const;

  Vec3f key_, fill_, rim_;  ///< unit directions towards the lamps
  float exposure_, keyLight_, skyLight_;
};

}  // namespace pneuma::render::internal
