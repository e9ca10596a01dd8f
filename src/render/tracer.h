#pragma once

#include "render/floor_shadow.h"
#include "render/lighting.h"
#include "render/tile_mask.h"

namespace pneuma::render::internal {

/// Light of one sample, and whether anything but plain background contributed to it.
struct Radiance {
  Rgb light = Rgb::Zero();
  bool touched = false;
  // What was seen, weighted like the light.
  Vec3f normal = Vec3f::Zero();
  Rgb color = Rgb::Zero();
  float depth = 0;
};

/// Follows rays from the eye through translucent surfaces, cut faces and the floor.
class Tracer {
 public:
  /// `kept`: lights that were kept for the geometry, or null.
  Tracer(const Geometry& geometry, const Camera& camera, const RenderOptions& options,
         const Lighting* kept = nullptr);

  /// Ray through pixel coordinates.
  Ray makeRay(float x, float y) const;
  /// A sample at pixel coordinates (x right, y down, in pixels).
  Radiance trace(float x, float y, Sampler& sampler) const;
  /// False: no ray through the pixel meets a part.
  bool mayHit(float x, float y) const { return mask_.mayHit(x, y); }
  /// Backdrop and floor, seen past all parts.
  Rgb behind(float x, float y) const { return behind(makeRay(x, y), x, y); }
  bool lightIsKept() const { return kept_; }

 private:
  Rgb background(float x, float y) const;
  Rgb behind(const Ray& ray, float x, float y) const;

  const Geometry& geometry_;
  const RenderOptions& options_;
  Lighting lighting_;
  bool kept_;
  Vec3f eye_, forward_, right_, up_;
  float halfHeight_;  ///< of the view at distance 1, or in metres when parallel
  bool parallel_;
  Rgb backgroundLight_;
  TileMask mask_;
  FloorShadow floor_;
};

}  // namespace pneuma::render::internal
