#include "render/geometry.h"

#include <algorithm>
#include <array>

#include "pneuma/core/check.h"
#include "render/sampler.h"

namespace pneuma::render::internal {
namespace {

constexpr int kScaleEntries = 256;
constexpr float kCreaseCosine = 0.64f;  // 50 degrees

std::vector<Rgb> makeScaleTable(const ColorScale& scale) {
  std::vector<Rgb> table(kScaleEntries);
  for (int i = 0; i < kScaleEntries; ++i)
    table[static_cast<std::size_t>(i)] =
        toLinear(sample(scale.map, static_cast<double>(i) / (kScaleEntries - 1)));
  return table;
}

std::vector<Rgb> toLinear(const std::vector<Color>& colors) {
  std::vector<Rgb> linear;
  linear.reserve(colors.size());
  for (const Color& c : colors) linear.push_back(internal::toLinear(c));
  return linear;
}

void setVertices(Part& part, const Surface& surface) {
  part.vertices.resize(surface.mesh.positions.size());
  part.normals.resize(surface.mesh.positions.size());
  const std::vector<Vec3> normals = vertexNormals(surface.mesh);
  for (std::size_t i = 0; i < part.vertices.size(); ++i) {
    part.vertices[i] << toFloat(surface.mesh.positions[i]), 0.0f;
    part.normals[i] = toFloat(normals[i]);
  }
}

void setScalars(Part& part, const Surface& surface) {
  part.scalars.clear();
  if (!surface.scale) return;
  const ColorScale& scale = *surface.scale;
  part.scalars.reserve(surface.scalars.size());
  for (const double s : surface.scalars)
    part.scalars.push_back(static_cast<float>((s - scale.min) / (scale.max - scale.min)));
}

void setPoints(Part& part, const Polyline& line) {
  part.vertices.resize(line.points.size());
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const double radius = line.radii.size() == 1 ? line.radii[0] : line.radii[i];
    part.vertices[i] << toFloat(line.points[i]), static_cast<float>(radius);
  }
  part.colors = toLinear(line.colors);
}

void uploadVertices(RTCGeometry geometry, Part& part) {
  const auto format = part.isLine ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3;
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, format, part.vertices.data(), 0,
                             sizeof(Eigen::Vector4f), part.vertices.size());
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
  const Part& part = context->geometry->part(RTCHitN_geomID(a->hit, 1, 0));
  if (removedByCut(*context->geometry, part, a)) a->valid[0] = 0;
}

void filterShadow(const RTCFilterFunctionNArguments* a) {
  const auto* context = reinterpret_cast<const QueryContext*>(a->context);
  const std::uint32_t id = RTCHitN_geomID(a->hit, 1, 0);
  const Part& part = context->geometry->part(id);
  if (!part.shading.castsShadow || removedByCut(*context->geometry, part, a)) {
    a->valid[0] = 0;
    return;
  }
  // The choice belongs to this triangle, so the order in which hits arrive cannot change it. The
  // square keeps what lies inside a clear skin bright.
  if (part.shading.opacity < 1) {
    const std::uint32_t h = hashPair(hashPair(context->seed, id), RTCHitN_primID(a->hit, 1, 0));
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
  const std::uint32_t id = RTCHitN_geomID(a->hit, 1, 0);
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

Shading makeShading(const Material& m) {
  Shading s{};
  s.color = internal::toLinear(m.color);
  s.scatter = internal::toLinear(m.scatter);
  s.capColor = internal::toLinear(m.capColor.value_or(mix(m.color, Color::hex(0x7c2f2a), 0.25)));
  s.opacity = static_cast<float>(m.opacity);
  s.roughness = static_cast<float>(m.roughness);
  s.specular = static_cast<float>(m.specular);
  s.softness = static_cast<float>(m.softness);
  s.smooth = m.smooth, s.shellOpacity = m.shellOpacity, s.lit = m.lit;
  s.castsShadow = m.castsShadow, s.cut = m.cut, s.capped = m.capped;
  return s;
}

Rgb Part::scaleColor(float t) const {
  if (!std::isfinite(t)) return Rgb::Constant(0.2f);
  const float x = clamp01(t) * (kScaleEntries - 1);
  const auto i = std::min(static_cast<std::size_t>(x), std::size_t{kScaleEntries - 2});
  const float f = x - static_cast<float>(i);
  return (1 - f) * (*scale)[i] + f * (*scale)[i + 1];
}

Geometry::Geometry(const Scene& scene) {
  device_ = rtcNewDevice(nullptr);
  PNEUMA_CHECK(device_ != nullptr, "Embree error {}", static_cast<int>(rtcGetDeviceError(nullptr)));
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST |
                                                      RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
  surfaceCount_ = scene.surfaces.size();
  scaleTables_.resize(surfaceCount_);
  for (std::size_t i = 0; i < surfaceCount_; ++i) {
    if (scene.surfaces[i].scale) scaleTables_[i] = makeScaleTable(*scene.surfaces[i].scale);
    addSurface(scene.surfaces[i]);
    parts_.back()->scale = &scaleTables_[i];
  }
  for (const Polyline& line : scene.lines) addLine(line);
}

Geometry::~Geometry() {
  for (RTCGeometry g : handles_) rtcReleaseGeometry(g);
  if (scene_) rtcReleaseScene(scene_);
  if (device_) rtcReleaseDevice(device_);
}

void Geometry::addSurface(const Surface& surface) {
  auto part = std::make_unique<Part>();
  part->shading = makeShading(surface.material);
  part->triangles = surface.mesh.triangles;
  setVertices(*part, surface);
  setScalars(*part, surface);
  part->colors = toLinear(surface.colors);
  RTCGeometry g = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  uploadVertices(g, *part);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, part->triangles.data(),
                             0, sizeof(Triangle), part->triangles.size());
  parts_.push_back(std::move(part));
  attach(g);
}

void Geometry::addLine(const Polyline& line) {
  auto part = std::make_unique<Part>();
  part->isLine = true;
  part->shading = makeShading(line.material);
  setPoints(*part, line);
  for (std::uint32_t i = 0; i + 1 < line.points.size(); ++i) part->segments.push_back(i);
  RTCGeometry g = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
  uploadVertices(g, *part);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, part->segments.data(), 0,
                             sizeof(std::uint32_t), part->segments.size());
  parts_.push_back(std::move(part));
  attach(g);
}

void Geometry::attach(RTCGeometry geometry) {
  rtcCommitGeometry(geometry);
  // The index in our list is the id that Embree reports with a hit.
  rtcAttachGeometryByID(scene_, geometry, static_cast<unsigned>(handles_.size()));
  handles_.push_back(geometry);
}

void Geometry::updateSurface(const Scene& scene, std::size_t index) {
  setVertices(*parts_[index], scene.surfaces[index]);
  commitMoved(index);
}

void Geometry::moveSurface(std::size_t index, const Pose& pose) {
  Part& part = *parts_[index];
  if (part.restVertices.empty()) part.restVertices = part.vertices, part.restNormals = part.normals;
  const Eigen::Matrix3f R = pose.rotation.cast<float>();
  const Vec3f x = toFloat(pose.position);
  for (std::size_t i = 0; i < part.vertices.size(); ++i)
    part.vertices[i].head<3>() = R * part.restVertices[i].head<3>() + x;
  for (std::size_t i = 0; i < part.normals.size(); ++i) part.normals[i] = R * part.restNormals[i];
  commitMoved(index);
}

/// A still scene gets one hierarchy of the best quality. As soon as something moves, every part
/// gets its own, which is then only fitted to the new positions.
void Geometry::commitMoved(std::size_t part) {
  if (!moving_)
    rtcSetSceneFlags(scene_,
                     static_cast<RTCSceneFlags>(rtcGetSceneFlags(scene_) | RTC_SCENE_FLAG_DYNAMIC));
  moving_ = true;
  rtcSetGeometryBuildQuality(handles_[part], RTC_BUILD_QUALITY_REFIT);
  rtcUpdateGeometryBuffer(handles_[part], RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(handles_[part]);
  dirty_ = true;
}

void Geometry::updateScalars(const Scene& scene, std::size_t index) {
  setScalars(*parts_[index], scene.surfaces[index]);
}

void Geometry::updateMaterial(const Scene& scene, std::size_t index) {
  parts_[index]->shading = makeShading(scene.surfaces[index].material);
}

void Geometry::updateLine(const Scene& scene, std::size_t index) {
  const std::size_t part = surfaceCount_ + index;
  setPoints(*parts_[part], scene.lines[index]);
  commitMoved(part);
}

void Geometry::commit(const std::optional<CutPlane>& cut) {
  if (dirty_) {
    rtcCommitScene(scene_);
    bounds_ = Box{};
    for (const auto& part : parts_)
      for (const Eigen::Vector4f& v : part->vertices) {
        const Vec3 p = v.head<3>().cast<double>(), r = Vec3::Constant(static_cast<double>(v.w()));
        bounds_.add(p - r);
        bounds_.add(p + r);
      }
    if (!bounds_.empty()) {
      const double extent = bounds_.size().norm() + bounds_.center().norm();
      epsilon_ = static_cast<float>(std::max(1e-7, 1e-5 * extent));
    }
    dirty_ = false;
  }
  cut_.reset();
  if (cut) {
    const Vec3f n = toFloat(cut->normal.normalized());
    cut_ = Plane{n, n.dot(toFloat(cut->point))};
    // Whether a surface is closed is asked only here: it costs a pass over all edges.
    if (!closednessKnown_)
      for (const auto& part : parts_) {
        if (part->isLine) continue;
        const TriangleMesh mesh{std::vector<Vec3>(part->vertices.size()), part->triangles};
        part->closed = analyzeTopology(mesh).closed();
      }
    closednessKnown_ = true;
  }
  cutsAll_ = true;
  for (const auto& part : parts_) cutsAll_ = cutsAll_ && part->shading.cut;
  filtersShadows_ = cut_ && !cutsAll_;
  for (const auto& part : parts_)
    if (part->shading.opacity < 1 || !part->shading.castsShadow) filtersShadows_ = true;
}

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
  hit = {rh.ray.tfar, rh.hit.geomID, rh.hit.primID,
         rh.hit.u,    rh.hit.v,      Vec3f(rh.hit.Ng_x, rh.hit.Ng_y, rh.hit.Ng_z)};
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

SurfacePoint Geometry::surfacePoint(const Ray& ray, const Hit& hit) const {
  const Part& part = *parts_[hit.part];
  SurfacePoint s;
  s.position = ray.at(hit.t);
  s.color = part.shading.color;
  if (part.isLine) {
    s.geometricNormal = s.normal = hit.lineNormal.normalized();
    s.shadowPosition = s.position;
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
  s.normal = s.geometricNormal;
  s.shadowPosition = s.position;
  if (part.shading.smooth) {
    const float side = s.backFace ? -1.0f : 1.0f;
    Vec3f n = Vec3f::Zero();
    Vec3f lifted = Vec3f::Zero();
    for (int k = 0; k < 3; ++k) {
      // A corner whose normal is far from the facet's lies on a crease: keep the facet there.
      Vec3f nk = side * part.normals[corner(k)];
      if (nk.dot(s.geometricNormal) < kCreaseCosine) nk = s.geometricNormal;
      const Vec3f vk = part.vertices[corner(k)].head<3>();
      n += w[k] * nk;
      // Where the corner's tangent plane lies above the facet, start shadow rays from there.
      lifted += w[k] * (s.position + std::max(0.0f, (vk - s.position).dot(nk)) * nk);
    }
    s.shadowPosition = lifted;
    if (n.squaredNorm() > 1e-12f) s.normal = n.normalized();
    // A smooth normal that looks away from the eye at the rim is bent back just enough.
    const float away = s.normal.dot(ray.direction);
    if (away > 0) s.normal = (s.normal - (away + 1e-3f) * ray.direction).normalized();
  }
  if (!part.scalars.empty()) {
    float value = 0;
    for (int k = 0; k < 3; ++k) value += w[k] * part.scalars[corner(k)];
    s.color = part.scaleColor(value);
  } else if (!part.colors.empty()) {
    s.color.setZero();
    for (int k = 0; k < 3; ++k) s.color += w[k] * part.colors[corner(k)];
  }
  return s;
}

}  // namespace pneuma::render::internal
