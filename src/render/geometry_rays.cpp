#include <algorithm>
#include <array>
#include <cmath>

#include "render/geometry.h"
#include "render/sampler.h"

/// What rays find in the geometry.
namespace pneuma::render::internal {
namespace {

constexpr float kCreaseCosine = 0.64f;  // 50 degrees

std::uint32_t partOf(const Geometry& geometry, const RTCFilterFunctionNArguments* a) {
  return geometry.partOf(RTCHitN_geomID(a->hit, 1, 0), RTCHitN_primID(a->hit, 1, 0));
}

/// What a filter callback must know beside the ray.
struct QueryContext {
  RTCIntersectContext embree;
  const Geometry* geometry;
  std::uint32_t seed;
};

bool removedByCut(const Geometry& geometry, const Part& part,
                  const RTCFilterFunctionNArguments* a) {
  if (!geometry.cut() || !part.shading.cut || geometry.cutsAll()) return false;
  const float t = RTCRayN_tfar(a->ray, 1, 0);
  const Vec3f p(RTCRayN_org_x(a->ray, 1, 0) + t * RTCRayN_dir_x(a->ray, 1, 0),
                RTCRayN_org_y(a->ray, 1, 0) + t * RTCRayN_dir_y(a->ray, 1, 0),
                RTCRayN_org_z(a->ray, 1, 0) + t * RTCRayN_dir_z(a->ray, 1, 0));
  return geometry.cut()->removes(p);
}

void filterVisible(const RTCFilterFunctionNArguments* a) {
  const auto* context = reinterpret_cast<const QueryContext*>(a->context);
  const Part& part = context->geometry->part(partOf(*context->geometry, a));
  if (removedByCut(*context->geometry, part, a)) a->valid[0] = 0;
}

void filterShadow(const RTCFilterFunctionNArguments* a) {
  const auto* context = reinterpret_cast<const QueryContext*>(a->context);
  const std::uint32_t id = partOf(*context->geometry, a);
  const Part& part = context->geometry->part(id);
  if (!part.shading.castsShadow || removedByCut(*context->geometry, part, a)) {
    a->valid[0] = 0;
    return;
  }
  // The choice belongs to this triangle, so the order in which hits arrive cannot change it. The
  // square keeps what lies inside a clear skin bright.
  if (part.shading.opacity < 1) {
    const std::uint32_t h =
        hashPair(hashPair(context->seed, id), RTCHitN_primID(a->hit, 1, 0) - part.firstPrimitive);
    const float blocking = part.shading.opacity * part.shading.opacity;
    if (Sampler::toUnit(h) >= blocking) a->valid[0] = 0;
  }
}

/// First crossing of each closed part by a ray.
struct Crossing {
  std::uint32_t part;
  float t;
  bool leaves;  ///< through the inner side: the ray began inside
};

struct CrossingContext {
  RTCIntersectContext embree;
  const Geometry* geometry;
  int count = 0;
  std::array<Crossing, 96> crossings;
};

/// Notes every crossing and lets the ray go on, so that one walk through the hierarchy finds all.
void collectCrossing(const RTCFilterFunctionNArguments* a) {
  auto* context = reinterpret_cast<CrossingContext*>(a->context);
  a->valid[0] = 0;
  const std::uint32_t id = partOf(*context->geometry, a);
  const Part& part = context->geometry->part(id);
  if (!part.closed || !part.shading.cut || !part.shading.capped) return;
  const float along = RTCHitN_Ng_x(a->hit, 1, 0) * RTCRayN_dir_x(a->ray, 1, 0) +
                      RTCHitN_Ng_y(a->hit, 1, 0) * RTCRayN_dir_y(a->ray, 1, 0) +
                      RTCHitN_Ng_z(a->hit, 1, 0) * RTCRayN_dir_z(a->ray, 1, 0);
  const Crossing now{id, RTCRayN_tfar(a->ray, 1, 0), along > 0};
  const auto begin = context->crossings.begin(), end = begin + context->count;
  const auto known = std::find_if(begin, end, [&](const Crossing& c) { return c.part == id; });
  if (known != end) {
    if (now.t < known->t) *known = now;
  } else if (end != context->crossings.end()) {
    context->crossings[static_cast<std::size_t>(context->count++)] = now;
  }
}

RTCRay toEmbree(const Ray& ray) {
  RTCRay r{};
  r.org_x = ray.origin.x(), r.org_y = ray.origin.y(), r.org_z = ray.origin.z();
  r.dir_x = ray.direction.x(), r.dir_y = ray.direction.y(), r.dir_z = ray.direction.z();
  r.tnear = ray.near, r.tfar = ray.far;
  r.mask = 0xffffffffu;
  return r;
}

}  // namespace

/// Shortens a ray to the half that the cut leaves; false when nothing remains. Without this a ray
/// through the removed half would have every one of its hits there thrown away one by one.
bool Geometry::keepUncut(Ray& ray) const {
  if (!cut_ || !cutsAll_) return true;
  const float height = cut_->normal.dot(ray.origin) - cut_->offset;
  const float rate = cut_->normal.dot(ray.direction);
  if (std::abs(rate) < 1e-12f) return height <= 0;
  const float t = -height / rate;
  if (rate > 0) ray.far = std::min(ray.far, t);
  if (rate < 0) ray.near = std::max(ray.near, t);
  return ray.near < ray.far;
}

bool Geometry::intersect(const Ray& whole, Hit& hit) const {
  Ray ray = whole;
  if (!keepUncut(ray)) return false;
  QueryContext context{{}, this, 0};
  rtcInitIntersectContext(&context.embree);
  if (cut_ && !cutsAll_) context.embree.filter = filterVisible;
  RTCRayHit rh{toEmbree(ray), {}};
  rh.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene_, &context.embree, &rh);
  if (rh.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const std::uint32_t id = partOf(rh.hit.geomID, rh.hit.primID);
  hit = {rh.ray.tfar, id,       rh.hit.primID - parts_[id]->firstPrimitive,
         rh.hit.u,    rh.hit.v, Vec3f(rh.hit.Ng_x, rh.hit.Ng_y, rh.hit.Ng_z)};
  return true;
}

bool Geometry::findContainer(const Ray& ray, std::uint32_t& part) const {
  CrossingContext context;
  context.geometry = this;
  rtcInitIntersectContext(&context.embree);
  context.embree.filter = collectCrossing;
  RTCRayHit rh{toEmbree(ray), {}};
  rh.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene_, &context.embree, &rh);
  const Crossing* best = nullptr;
  for (int i = 0; i < context.count; ++i) {
    const Crossing& c = context.crossings[static_cast<std::size_t>(i)];
    if (c.leaves && (!best || c.t < best->t || (c.t == best->t && c.part < best->part))) best = &c;
  }
  if (best) part = best->part;
  return best != nullptr;
}

bool Geometry::occluded(const Ray& whole, std::uint32_t seed) const {
  Ray ray = whole;
  if (!keepUncut(ray)) return false;
  QueryContext context{{}, this, seed};
  rtcInitIntersectContext(&context.embree);
  if (filtersShadows_) context.embree.filter = filterShadow;
  RTCRay r = toEmbree(ray);
  rtcOccluded1(scene_, &context.embree, &r);
  return r.tfar < 0;
}

/// Normals between those of the corners, and where shadow rays start.
void Geometry::smoothNormals(const Ray& ray, const Part& part, const Hit& hit,
                             SurfacePoint& s) const {
  const Triangle& t = part.triangles[hit.primitive];
  const float w[3] = {1 - hit.u - hit.v, hit.u, hit.v};
  const float side = s.backFace ? -1.0f : 1.0f;
  Vec3f n = Vec3f::Zero(), soft = Vec3f::Zero(), lifted = Vec3f::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto corner = static_cast<std::size_t>(t[k]);
    // A corner whose normal is far from the facet's lies on a crease: keep the facet there.
    Vec3f nk = side * part.normals[corner];
    if (nk.dot(s.geometricNormal) < kCreaseCosine) nk = s.geometricNormal;
    const Vec3f vk = part.vertices[corner].head<3>();
    n += w[k] * nk;
    if (!part.softNormals.empty()) soft += w[k] * side * part.softNormals[corner];
    // Where the corner's tangent plane lies above the facet, start shadow rays from there.
    lifted += w[k] * (s.position + std::max(0.0f, (vk - s.position).dot(nk)) * nk);
  }
  s.shadowPosition = lifted;
  if (n.squaredNorm() > 1e-12f) s.normal = n.normalized();
  // A smooth normal that looks away from the eye at the rim is bent back just enough.
  const float away = s.normal.dot(ray.direction);
  if (away > 0) s.normal = (s.normal - (away + 1e-3f) * ray.direction).normalized();
  s.softNormal = soft.squaredNorm() > 1e-12f ? Vec3f(soft.normalized()) : s.normal;
}

namespace {

/// Colour and slope of a texture at a hit. The slope is taken at the places of two points beside
/// the hit, so that it lies on the surface as that is now.
void applyTexture(const Part& part, const Hit& hit, SurfacePoint& s) {
  const Texture& texture = *part.texture;
  const Triangle& t = part.triangles[hit.primitive];
  const auto vertex = [&](std::size_t k) -> Vec3f {
    return part.vertices[static_cast<std::size_t>(t[k])].head<3>();
  };
  const auto place = [&](std::size_t k) -> const Vec3& {
    return texture.places[static_cast<std::size_t>(t[k])];
  };
  const Vec3 p1 = place(1) - place(0), p2 = place(2) - place(0);
  const Vec3 at = place(0) + double{hit.u} * p1 + double{hit.v} * p2;
  if (texture.color && part.scalars.empty()) s.color = toLinear(texture.color(at));
  if (!texture.relief) return;
  const Vec3f e1 = vertex(1) - vertex(0), e2 = vertex(2) - vertex(0);
  // Dual edges: a tangent d is (d.f1) e1 + (d.f2) e2.
  const Vec3f n = e1.cross(e2);
  const float area = n.squaredNorm();
  if (area <= 0) return;
  const Vec3f f1 = e2.cross(n) / area, f2 = n.cross(e1) / area;
  const double step = texture.reliefStep, height = texture.relief(at);
  Vec3f a, b;
  makeBasis(s.normal, a, b);
  Vec3f slope = Vec3f::Zero();
  for (const Vec3f& d : {a, b}) {
    const Vec3 moved = at + step * (double{d.dot(f1)} * p1 + double{d.dot(f2)} * p2);
    slope += static_cast<float>((texture.relief(moved) - height) / step) * d;
  }
  s.normal = (s.normal - slope).normalized();
}

}  // namespace

SurfacePoint Geometry::surfacePoint(const Ray& ray, const Hit& hit) const {
  const Part& part = *parts_[hit.part];
  SurfacePoint s;
  s.position = s.shadowPosition = ray.at(hit.t);
  s.color = part.shading.color;
  if (part.isLine) {
    s.geometricNormal = s.normal = s.softNormal = s.guideNormal = hit.lineNormal.normalized();
    const std::uint32_t i = part.segments[hit.primitive];
    if (!part.colors.empty()) s.color = (1 - hit.u) * part.colors[i] + hit.u * part.colors[i + 1];
    return s;
  }
  const Triangle& t = part.triangles[hit.primitive];
  const auto corner = [&](int k) {
    return static_cast<std::size_t>(t[static_cast<std::size_t>(k)]);
  };
  const float w[3] = {1 - hit.u - hit.v, hit.u, hit.v};
  const Vec3f a = part.vertices[corner(0)].head<3>(), b = part.vertices[corner(1)].head<3>(),
              c = part.vertices[corner(2)].head<3>();
  s.geometricNormal = (b - a).cross(c - a).normalized();
  s.backFace = s.geometricNormal.dot(ray.direction) > 0;
  if (s.backFace) s.geometricNormal = -s.geometricNormal;
  s.normal = s.softNormal = s.geometricNormal;
  if (part.shading.smooth) smoothNormals(ray, part, hit, s);
  s.guideNormal = s.normal;
  if (!part.scalars.empty()) {
    float value = 0;
    for (int k = 0; k < 3; ++k) value += w[k] * part.scalars[corner(k)];
    s.color = part.scaleColor(value);
  } else if (!part.colors.empty()) {
    s.color.setZero();
    for (int k = 0; k < 3; ++k) s.color += w[k] * part.colors[corner(k)];
  }
  // Light kept at the vertices serves only where all three have it.
  const auto lit = [&](int k) { return part.kept[corner(k)].key >= 0; };
  if (!part.kept.empty() && lit(0) && lit(1) && lit(2)) {
    s.kept.key = 0;
    for (int k = 0; k < 3; ++k) {
      const KeptLight& light = part.kept[corner(k)];
      s.kept.key += w[k] * light.key;
      s.kept.open += w[k] * light.open;
      s.kept.sky += w[k] * light.sky;
    }
  }
  if (part.texture) applyTexture(part, hit, s);
  return s;
}

}  // namespace pneuma::render::internal
