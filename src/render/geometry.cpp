#include "render/geometry.h"

#include <algorithm>

#include "core/embree_device.h"

namespace pneuma::render::internal {
namespace {

constexpr int kScaleEntries = 256;

std::vector<Rgb> makeScaleTable(const ColorScale& scale) {
  std::vector<Rgb> table(kScaleEntries);
  for (int i = 0; i < kScaleEntries; ++i)
    table[static_cast<std::size_t>(i)] =
        toLinear(sample(scale.map, static_cast<double>(i) / (kScaleEntries - 1)));
  return table;
}

std::vector<Rgb> linearColors(const std::vector<Color>& colors) {
  std::vector<Rgb> linear;
  linear.reserve(colors.size());
  for (const Color& c : colors) linear.push_back(internal::toLinear(c));
  return linear;
}

/// Light that spreads below the surface does not see its smallest forms: normals averaged with
/// their neighbours until the average reaches over `depth` (normals per colour, [Ma07]).
std::vector<Vec3f> softened(const TriangleMesh& mesh, std::vector<Vec3f> normals, double depth) {
  constexpr int kMostPasses = 24;
  double edges = 0;
  for (const Triangle& t : mesh.triangles)
    edges += (mesh.positions[static_cast<std::size_t>(t[0])] -
              mesh.positions[static_cast<std::size_t>(t[1])])
                 .norm();
  const double edge = edges / static_cast<double>(std::max<std::size_t>(1, mesh.triangleCount()));
  const int passes =
      std::clamp(static_cast<int>(std::lround(std::pow(depth / edge, 2))), 1, kMostPasses);
  std::vector<Vec3f> sum;
  for (int pass = 0; pass < passes; ++pass) {
    sum = normals;
    for (const Triangle& t : mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        sum[static_cast<std::size_t>(t[k])] +=
            0.5f * (normals[static_cast<std::size_t>(t[(k + 1) % 3])] +
                    normals[static_cast<std::size_t>(t[(k + 2) % 3])]);
    for (Vec3f& n : sum)
      if (n.squaredNorm() > 0) n.normalize();
    std::swap(normals, sum);
  }
  return normals;
}

void setVertices(Part& part, const Surface& surface) {
  part.normals.resize(surface.mesh.positions.size());
  const std::vector<Vec3> normals = vertexNormals(surface.mesh);
  for (std::size_t i = 0; i < part.vertices.size(); ++i) {
    part.vertices[i] << toFloat(surface.mesh.positions[i]), 0.0f;
    part.normals[i] = toFloat(normals[i]);
  }
  if (part.shading.depth > 0)
    part.softNormals = softened(surface.mesh, part.normals, part.shading.depth);
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
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const double radius = line.radii.size() == 1 ? line.radii[0] : line.radii[i];
    part.vertices[i] << toFloat(line.points[i]), static_cast<float>(radius);
  }
  part.colors = linearColors(line.colors);
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
  s.depth = static_cast<float>(m.depth), s.gloss = static_cast<float>(m.gloss);
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
  device_ = newEmbreeDevice(nullptr);
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST |
                                                      RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
  surfaceCount_ = scene.surfaces.size();
  scaleTables_.resize(surfaceCount_);
  std::size_t count = 0;
  for (const Surface& s : scene.surfaces) count += s.mesh.positions.size();
  for (const Polyline& line : scene.lines) count += line.points.size();
  vertices_.resize(count + 1, Eigen::Vector4f::Zero());  // Embree reads 16 bytes at the last
  std::size_t first = 0;
  for (std::size_t i = 0; i < surfaceCount_; ++i) {
    if (scene.surfaces[i].scale) scaleTables_[i] = makeScaleTable(*scene.surfaces[i].scale);
    addSurface(scene.surfaces[i], first);
    parts_.back()->scale = &scaleTables_[i];
    first += parts_.back()->vertices.size();
  }
  for (const Polyline& line : scene.lines) {
    addLine(line, first);
    first += parts_.back()->vertices.size();
  }
  attach();
}

Geometry::~Geometry() {
  for (RTCGeometry g : handles_)
    if (g) rtcReleaseGeometry(g);
  if (scene_) rtcReleaseScene(scene_);
  if (device_) rtcReleaseDevice(device_);
}

void Geometry::addSurface(const Surface& surface, std::size_t firstVertex) {
  auto part = std::make_unique<Part>();
  part->shading = makeShading(surface.material);
  part->triangles = surface.mesh.triangles;
  part->firstVertex = static_cast<std::uint32_t>(firstVertex);
  part->firstPrimitive = static_cast<std::uint32_t>(triangles_.size());
  part->vertices = std::span(vertices_).subspan(firstVertex, surface.mesh.positions.size());
  setVertices(*part, surface);
  setScalars(*part, surface);
  part->colors = linearColors(surface.colors);
  part->texture = surface.texture;
  const auto offset = static_cast<std::int32_t>(firstVertex);
  for (const Triangle& t : part->triangles)
    triangles_.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  partOf_[kSurfaces].resize(triangles_.size(), static_cast<std::uint32_t>(parts_.size()));
  parts_.push_back(std::move(part));
}

void Geometry::addLine(const Polyline& line, std::size_t firstVertex) {
  auto part = std::make_unique<Part>();
  part->isLine = true;
  part->shading = makeShading(line.material);
  part->firstVertex = static_cast<std::uint32_t>(firstVertex);
  part->firstPrimitive = static_cast<std::uint32_t>(segments_.size());
  part->vertices = std::span(vertices_).subspan(firstVertex, line.points.size());
  setPoints(*part, line);
  for (std::uint32_t i = 0; i + 1 < line.points.size(); ++i) {
    part->segments.push_back(i);
    segments_.push_back(part->firstVertex + i);
  }
  partOf_[kLines].resize(segments_.size(), static_cast<std::uint32_t>(parts_.size()));
  parts_.push_back(std::move(part));
}

void Geometry::attach() {
  const auto add = [this](Kind kind, RTCGeometryType type, RTCFormat vertex, RTCFormat index,
                          const void* primitives, std::size_t size, std::size_t count) {
    if (count == 0) return;
    RTCGeometry g = rtcNewGeometry(device_, type);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, vertex, vertices_.data(), 0,
                               sizeof(Eigen::Vector4f), vertices_.size() - 1);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, index, primitives, 0, size, count);
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(scene_, g, kind);
    handles_[kind] = g;
  };
  add(kSurfaces, RTC_GEOMETRY_TYPE_TRIANGLE, RTC_FORMAT_FLOAT3, RTC_FORMAT_UINT3, triangles_.data(),
      sizeof(Triangle), triangles_.size());
  add(kLines, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE, RTC_FORMAT_FLOAT4, RTC_FORMAT_UINT,
      segments_.data(), sizeof(std::uint32_t), segments_.size());
}

void Geometry::updateSurface(const Scene& scene, std::size_t index) {
  setVertices(*parts_[index], scene.surfaces[index]);
  moved_[kSurfaces] = true;
}

void Geometry::moveSurface(std::size_t index, const Pose& pose) {
  Part& part = *parts_[index];
  if (part.restVertices.empty()) {
    part.restVertices.assign(part.vertices.begin(), part.vertices.end());
    part.restNormals = part.normals;
    part.restSoftNormals = part.softNormals;
  }
  const Eigen::Matrix3f R = pose.rotation.cast<float>();
  const Vec3f x = toFloat(pose.position);
  for (std::size_t i = 0; i < part.vertices.size(); ++i)
    part.vertices[i].head<3>() = R * part.restVertices[i].head<3>() + x;
  for (std::size_t i = 0; i < part.normals.size(); ++i) part.normals[i] = R * part.restNormals[i];
  for (std::size_t i = 0; i < part.softNormals.size(); ++i)
    part.softNormals[i] = R * part.restSoftNormals[i];
  moved_[kSurfaces] = true;
}

/// What has been kept together is fitted to its new places; else a new hierarchy is built, which
/// costs less than rays through one that no longer suits.
void Geometry::build() {
  if (built_ && hardlyMoves_ && !moving_) {
    // Embree fits only in a scene of low quality, which keeps a hierarchy for each geometry (two
    // here); with the flag alone it built anew for every frame of a film, half of its time.
    rtcSetSceneFlags(scene_,
                     static_cast<RTCSceneFlags>(rtcGetSceneFlags(scene_) | RTC_SCENE_FLAG_DYNAMIC));
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    moving_ = true;
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!moved_[kind] || !handles_[kind]) continue;
    if (moving_) rtcSetGeometryBuildQuality(handles_[kind], RTC_BUILD_QUALITY_REFIT);
    rtcUpdateGeometryBuffer(handles_[kind], RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(handles_[kind]);
  }
  rtcCommitScene(scene_);
  checkEmbreeMemory(device_);
  moved_ = {};
  built_ = true;
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
  moved_[kLines] = true;
}

void Geometry::updateLineMaterial(const Scene& scene, std::size_t index) {
  parts_[surfaceCount_ + index]->shading = makeShading(scene.lines[index].material);
}

void Geometry::commit(const std::optional<CutPlane>& cut) {
  if (!built_ || moved_[kSurfaces] || moved_[kLines]) {
    build();
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

}  // namespace pneuma::render::internal
