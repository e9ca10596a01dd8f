#include "render/tracer.h"

namespace pneuma::render::internal {
namespace {

constexpr int kMaxLayers = 128;        // surfaces crossed by one ray
constexpr float kClearEnough = 4e-3f;  // remaining transparency that no longer shows
constexpr float kFloorShadowDepth = 0.68f;

/// Keeps highlights from clipping: the identity below 0.75, then a smooth shoulder to 1.
Rgb compress(const Rgb& light) {
  constexpr float knee = 0.75f;
  return light.unaryExpr([](float x) {
    return x <= knee ? x : knee + (1 - knee) * (1 - std::exp(-(x - knee) / (1 - knee)));
  });
}

/// A film seen at an angle is crossed on a longer way.
float opacityAt(const Shading& m, float cosine) {
  if (m.opacity >= 1 || !m.shellOpacity) return m.opacity;
  return 1 - std::pow(1 - m.opacity, 1 / std::max(0.08f, std::abs(cosine)));
}

/// Looks at a coarse grid of pixels.
bool floorIsSeen(const Tracer& tracer, const FloorShadow& floor, const RenderOptions& options) {
  constexpr int n = 48;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      if (floor.meets(tracer.makeRay(static_cast<float>(options.width * i) / n,
                                     static_cast<float>(options.height * j) / n)))
        return true;
  return false;
}

}  // namespace

Tracer::Tracer(const Geometry& geometry, const Camera& camera, const RenderOptions& options,
               const Lighting* kept)
    : geometry_(geometry),
      options_(options),
      lighting_(kept != nullptr ? *kept : Lighting(camera, options)),
      kept_(kept != nullptr),
      eye_(toFloat(camera.position)),
      forward_(toFloat(camera.forward())),
      right_(toFloat(camera.right())),
      up_(right_.cross(forward_)),
      parallel_(camera.orthographicHeight > 0),
      backgroundLight_(toLinear(options.background)),
      mask_(geometry, camera, options.width, options.height) {
  halfHeight_ = static_cast<float>(parallel_ ? camera.orthographicHeight / 2
                                             : std::tan(camera.verticalFieldOfView / 2));
  const Box& box = geometry.bounds();
  if (box.empty() || !options.ground) return;
  const FloorShadow floor(box, static_cast<float>(options.groundHeight.value_or(box.min.y())));
  if (!floorIsSeen(*this, floor, options)) return;
  floor_ = floor;
  // A picture of few samples, such as one of a film, gets a shadow of the same standing.
  const bool quick = options.samples < 8;
  floor_.compute(geometry, lighting_, std::clamp(options.height / (quick ? 6 : 3), 48, 256),
                 quick ? 16 : 48);
}

Ray Tracer::makeRay(float x, float y) const {
  const auto w = static_cast<float>(options_.width), h = static_cast<float>(options_.height);
  const float sx = (2 * x - w) / h * halfHeight_, sy = (1 - 2 * y / h) * halfHeight_;
  const Vec3f across = sx * right_ + sy * up_;
  if (parallel_) return {eye_ + across, forward_};
  return {eye_, (forward_ + across).normalized()};
}

Rgb Tracer::background(float x, float y) const {
  if (!options_.vignette) return backgroundLight_;
  const float dx = x / static_cast<float>(options_.width) - 0.5f;
  const float dy = y / static_cast<float>(options_.height) - 0.42f;
  return backgroundLight_ * (1.04f - 0.26f * (dx * dx + dy * dy));
}

Rgb Tracer::behind(const Ray& ray, float x, float y) const {
  return (1 - kFloorShadowDepth * floor_.along(ray)) * background(x, y);
}

Radiance Tracer::trace(float x, float y, Sampler& sampler) const {
  Radiance result;
  Ray ray = makeRay(x, y);
  float clear = 1;  // part of the light behind that still gets through
  const auto composite = [&](const Part& part, const SurfacePoint& s, float t, float opacity) {
    const Rgb light = lighting_.shade(geometry_, part, s, -ray.direction, sampler);
    result.light += clear * opacity * (part.shading.lit ? compress(light) : light);
    result.normal += clear * opacity * s.guideNormal;
    result.color += clear * opacity * s.color;
    result.depth += clear * opacity * t;
    result.touched = true;
    clear *= 1 - opacity;
  };

  // Where the ray comes out of the removed half, if it starts in it.
  float capDistance = -1;
  if (const auto& cut = geometry_.cut(); cut && (cut->removes(ray.origin) || parallel_)) {
    const float rate = cut->normal.dot(ray.direction);
    if (rate < 0) capDistance = (cut->offset - cut->normal.dot(ray.origin)) / rate;
  }

  const int layers = mask_.mayHit(x, y) ? kMaxLayers : 0;
  for (int layer = 0; layer < layers && clear > kClearEnough; ++layer) {
    Hit hit;
    const bool found = geometry_.intersect(ray, hit);
    if (capDistance > 0 && (!found || hit.t > capDistance)) {
      std::uint32_t id = 0;
      if (geometry_.findContainer({ray.origin, ray.direction, capDistance}, id)) {
        const Part& part = geometry_.part(id);
        SurfacePoint s;
        s.position = s.shadowPosition = ray.at(capDistance);
        s.normal = s.softNormal = s.guideNormal = s.geometricNormal = geometry_.cut()->normal;
        s.color = part.shading.capColor;
        composite(part, s, capDistance, part.shading.opacity);
      }
      capDistance = -1;
      if (clear <= kClearEnough) break;
    }
    if (!found) break;
    const Part& part = geometry_.part(hit.part);
    const SurfacePoint s = geometry_.surfacePoint(ray, hit);
    composite(part, s, hit.t, opacityAt(part.shading, s.normal.dot(ray.direction)));
    ray.near = hit.t + geometry_.epsilon();
  }

  if (clear > kClearEnough) result.light += clear * behind(ray, x, y);
  return result;
}

}  // namespace pneuma::render::internal
