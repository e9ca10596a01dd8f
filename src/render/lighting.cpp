#include "render/lighting.h"

namespace pneuma::render::internal {
namespace {

constexpr float kKeyCosine = 0.978f;  // half angle 12 degrees: a large soft box
constexpr float kKeyStrength = 0.95f;
constexpr float kShineInside = 0.15f;  // of a mirrored sky where the neighbourhood is closed
constexpr float kBounce = 0.42f;       // light that reaches a hidden direction by other surfaces
constexpr float kBounceTint = 0.45f;   // how much it has taken on of their colour
constexpr float kSoftened = 0.6f;      // how much of a normal is averaged for the farthest channel
constexpr float kGlossy = 0.55f;       // roughness of the sharper highlight, against the other's
constexpr float kAround = 1.5f;        // from how far scattered light comes in, in depths
constexpr float kScatteredRise = 0.05f;  // sine of the least height at which it does
constexpr float kWarmth = 0.1f;          // share of the scatter's colour that surroundings take on
constexpr float kWrap = 0.28f;           // sine of how far below the horizon the reddest reaches
const Rgb kKeyTint(1.0f, 0.985f, 0.965f);

float power(float x, int n) {
  float r = 1;
  for (; n > 0; --n) r *= x;
  return r;
}

float fresnel(float f0, float cosine) {
  return f0 + (1 - f0) * power(1 - clamp01(cosine), 5);
}

/// What other surfaces of that colour throw back into a hidden direction. Light goes back and forth
/// between the walls of a fold, but part of it came straight from the room: with the wall's full
/// colour folds of skin were red gashes.
Rgb bounced(const Rgb& albedo) {
  const float grey = albedo.mean();
  return kBounce * (grey + kBounceTint * (albedo - grey));
}

/// Light of the surroundings comes out of tissue redder than it went in; without this what only the
/// sky reaches was as grey as clay.
Rgb warmth(const Shading& m) {
  const float mean = std::max(1e-3f, m.scatter.mean());
  return 1 + kWarmth * m.softness * (m.scatter / mean - 1);
}

/// Microfacet highlight (GGX, height-correlated shadowing by Hammon's fit), times n.l.
float highlight(const Vec3f& n, const Vec3f& l, const Vec3f& v, float roughness, float f0) {
  const float nl = n.dot(l), nv = std::max(1e-3f, n.dot(v));
  if (nl <= 0) return 0;
  const Vec3f h = (l + v).normalized();
  const float a = roughness * roughness, nh = n.dot(h);
  const float d = nh * nh * (a * a - 1) + 1;
  const float distribution = a * a / (static_cast<float>(kPi) * d * d);
  const float visibility = 0.5f / ((1 - a) * 2 * nl * nv + a * (nl + nv));
  return distribution * visibility * fresnel(f0, v.dot(h)) * nl * static_cast<float>(kPi);
}

}  // namespace

Lighting::Lighting(const Camera& camera, const RenderOptions& options)
    : exposure_(static_cast<float>(options.exposure)),
      keyLight_(static_cast<float>(options.keyLight)),
      skyLight_(static_cast<float>(options.skyLight)) {
  const Vec3f up = Vec3f::UnitY();
  Vec3f heading = toFloat(camera.position - camera.target);
  if (std::abs(heading.normalized().y()) > 0.95f) heading = -toFloat(camera.up);
  heading.y() = 0;
  heading.normalize();
  const Vec3f right = up.cross(heading);
  key_ = (0.70f * heading - 0.75f * right + 0.85f * up).normalized();
  fill_ = (0.60f * heading + 0.90f * right + 0.15f * up).normalized();
  rim_ = (-0.75f * heading + 0.70f * right + 0.40f * up).normalized();
}

Rgb Lighting::sky(const Vec3f& d) const {
  const float height = d.y();
  const Rgb horizon(0.46f, 0.475f, 0.50f), zenith(0.72f, 0.735f, 0.76f),
      floor(0.34f, 0.335f, 0.33f);
  Rgb light = height > 0 ? Rgb(horizon + (zenith - horizon) * std::sqrt(height))
                         : Rgb(horizon + (floor - horizon) * smoothstep(0, 0.35f, -height));
  light += 0.22f * power(std::max(0.0f, d.dot(fill_)), 3) * Rgb(0.93f, 0.97f, 1.0f);
  light += 0.85f * power(std::max(0.0f, d.dot(rim_)), 6) * Rgb(0.96f, 0.98f, 1.0f);
  return skyLight_ * light;
}

bool Lighting::entersAround(const Geometry& geometry, const Shading& m, const SurfacePoint& p,
                            const Vec3f& l, Sampler& sampler) const {
  const auto [u, v] = sampler.next2();
  const float r = kAround * m.depth * std::sqrt(u), phi = 2 * static_cast<float>(kPi) * v;
  Vec3f a, b;
  makeBasis(p.softNormal, a, b);
  const Vec3f start =
      p.shadowPosition + m.depth * p.softNormal + r * std::cos(phi) * a + r * std::sin(phi) * b;
  const float lack = std::max(0.0f, kScatteredRise - p.softNormal.dot(l));
  return !geometry.occluded({start, (l + lack * p.softNormal).normalized(), geometry.epsilon()},
                            sampler.decision());
}

Rgb Lighting::shadeKey(const Geometry& geometry, const Shading& m, const SurfacePoint& p,
                       const Rgb& albedo, const Vec3f& toEye, Sampler& sampler) const {
  const bool kept = p.kept.key >= 0;
  const Vec3f l = kept ? key_ : coneDirection(key_, kKeyCosine, sampler.next2());
  const std::uint32_t seed = kept ? 0 : sampler.decision();
  // Tissue scatters light around the terminator, red farthest: each channel wraps by its own angle
  // and sees the surface averaged over its own way.
  const Rgb spread = m.softness * m.scatter / std::max(1e-3f, m.scatter.maxCoeff());
  const Rgb wrap = kWrap * spread;
  const Rgb nl = p.normal.dot(l) + kSoftened * spread * (p.softNormal.dot(l) - p.normal.dot(l));
  const Rgb diffuse = ((nl + wrap) / ((1 + wrap) * (1 + wrap))).max(0.0f);
  if (diffuse.maxCoeff() <= 0 || (kept && p.kept.key <= 0)) return Rgb::Zero();
  const Rgb strength = keyLight_ * kKeyStrength * kKeyTint;
  float shine = highlight(p.normal, l, toEye, m.roughness, m.specular);
  if (m.gloss > 0)
    shine += m.gloss * (highlight(p.normal, l, toEye, kGlossy * m.roughness, m.specular) - shine);
  if (kept) return p.kept.key * strength * (albedo * diffuse + shine);
  // What has spread below the surface knows no sharp shadow: it is asked for by itself, so that
  // neither a dent nor the edge of a facet draws a line where red alone is left.
  const bool scatters = m.depth > 0;
  const Rgb direct = scatters ? Rgb((nl / ((1 + wrap) * (1 + wrap))).max(0.0f)) : diffuse;
  Rgb light = Rgb::Zero();
  if (scatters && entersAround(geometry, m, p, l, sampler)) light += albedo * (diffuse - direct);
  if (direct.maxCoeff() <= 0) return strength * light;
  // Below the horizon the surface would always shadow itself; ask along the horizon instead. Tissue
  // that lets light through is asked a little above it, or its dents would throw hard shadows.
  Vec3f toLight = l;
  const float below = p.geometricNormal.dot(l), horizon = 0.02f + 0.16f * m.softness;
  if (below < horizon) {
    if (m.softness <= 0 && below <= 0) return strength * light;
    toLight = (l + (horizon - below) * p.geometricNormal).normalized();
  }
  const Ray ray{p.shadowPosition + geometry.epsilon() * p.geometricNormal, toLight,
                geometry.epsilon()};
  if (!geometry.occluded(ray, seed)) light += albedo * direct + shine;
  return strength * light;
}

Rgb Lighting::shadeSky(const Geometry& geometry, const Shading& m, const SurfacePoint& p,
                       const Rgb& albedo, const Vec3f& toEye, Sampler& sampler) const {
  if (p.kept.key >= 0) {
    const Vec3f mirrored = 2 * p.normal.dot(toEye) * p.normal - toEye;
    const float shine = fresnel(m.specular, p.normal.dot(toEye)) * (1 - m.roughness) *
                        (kShineInside + (1 - kShineInside) * p.kept.open);
    return albedo * warmth(m) * (p.kept.sky + (1 - p.kept.open) * skyLight_ * bounced(albedo)) +
           shine * sky(mirrored);
  }
  const Vec3f d = cosineDirection(p.normal, sampler.next2());
  const std::uint32_t seed = sampler.decision();
  const Ray ray{p.shadowPosition + geometry.epsilon() * p.geometricNormal, d, geometry.epsilon()};
  const bool open = p.geometricNormal.dot(d) > 0 && !geometry.occluded(ray, seed);
  const Rgb light = open ? sky(d) : Rgb(skyLight_ * bounced(albedo));
  // The mirror direction sees the same sky, dimmed where the neighbourhood is closed.
  const Vec3f mirrored = 2 * p.normal.dot(toEye) * p.normal - toEye;
  const float shine =
      fresnel(m.specular, p.normal.dot(toEye)) * (1 - m.roughness) * (open ? 1.0f : kShineInside);
  return albedo * warmth(m) * light + shine * sky(mirrored);
}

Rgb Lighting::shade(const Geometry& geometry, const Part& part, const SurfacePoint& point,
                    const Vec3f& toEye, Sampler& sampler) const {
  if (!part.shading.lit) return point.color;
  return exposure_ * (shadeKey(geometry, part.shading, point, point.color, toEye, sampler) +
                      shadeSky(geometry, part.shading, point, point.color, toEye, sampler));
}

KeptLight Lighting::reaching(const Geometry& geometry, const Vec3f& position, const Vec3f& normal,
                             std::uint32_t rays, Sampler& sampler) const {
  KeptLight light{.key = 0};
  const float part = 1 / static_cast<float>(rays), lift = 4 * geometry.epsilon();
  const Vec3f start = position + lift * normal;
  for (std::uint32_t i = 0; i < rays; ++i) {
    sampler.start(i);
    const Vec3f l = coneDirection(key_, kKeyCosine, sampler.next2());
    // Below the horizon tissue still lets light around: asked along it, as shadeKey does.
    const float below = std::min(0.0f, normal.dot(l) - 0.05f);
    const Ray lamp{start, (l - below * normal).normalized(), lift};
    if (!geometry.occluded(lamp, sampler.decision())) light.key += part;
    const Vec3f d = cosineDirection(normal, sampler.next2());
    if (geometry.occluded({start, d, lift}, sampler.decision())) continue;
    light.open += part;
    light.sky += part * sky(d);
  }
  return light;
}

float Lighting::groundShadow(const Geometry& geometry, const Vec3f& point, Sampler& sampler) const {
  const Vec3f up = Vec3f::UnitY();
  const Vec3f lamp = coneDirection(key_, kKeyCosine, sampler.next2());
  const std::uint32_t lampSeed = sampler.decision();
  const Vec3f open = cosineDirection(up, sampler.next2());
  const std::uint32_t openSeed = sampler.decision();
  const Vec3f start = point + geometry.epsilon() * up;
  float shadow = 0;
  if (geometry.occluded({start, lamp, geometry.epsilon()}, lampSeed)) shadow += 0.42f;
  if (geometry.occluded({start, open, geometry.epsilon()}, openSeed)) shadow += 0.58f;
  return shadow;
}

}  // namespace pneuma::render::internal
