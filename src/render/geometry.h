#pragma once

#include <embree3/rtcore.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pneuma/render/renderer.h"
#include "render/vec.h"

namespace pneuma::render::internal {

struct Ray {
  Vec3f origin, direction;
  float near = 0, far = std::numeric_limits<float>::infinity();

  Vec3f at(float t) const { return origin + t * direction; }
};

/// A material as the inner loop wants it: linear light, single precision.
struct Shading {
  Rgb color, scatter, capColor;
  float opacity, roughness, specular, softness, depth, gloss;
  bool smooth, shellOpacity, lit, castsShadow, cut, capped;
};
Shading makeShading(const Material& material);

/// What of the lights reaches a place (Renderer::keepLight).
struct KeptLight {
  float key = -1;         ///< part of the lamp that is seen; below 0: not known
  float open = 0;         ///< part of the surroundings that is seen
  Rgb sky = Rgb::Zero();  ///< their light
};

/// A surface or a line, and what is needed to shade a hit on it.
struct Part {
  bool isLine = false;
  bool closed = false;  ///< caps make sense
  Shading shading;
  std::span<Eigen::Vector4f> vertices;  ///< in the geometry's one list; w: radius of a line's point
  std::uint32_t firstVertex = 0, firstPrimitive = 0;  ///< in what Embree holds
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> segments;  ///< first vertices of a line's segments
  std::vector<Vec3f> normals;
  std::vector<Vec3f> softNormals;             ///< averaged over the depth of the material, or empty
  std::vector<Eigen::Vector4f> restVertices;  ///< before the first moveSurface
  std::vector<Vec3f> restNormals, restSoftNormals;
  std::vector<Rgb> colors;     ///< per vertex, or empty
  std::vector<float> scalars;  ///< per vertex in [0, 1] of the scale, or empty
  const std::vector<Rgb>* scale = nullptr;
  std::shared_ptr<const Texture> texture;  ///< or null
  std::vector<KeptLight> kept;             ///< of each vertex, or empty

  Rgb scaleColor(float t) const;
};

struct Hit {
  float t = 0;
  std::uint32_t part = 0, primitive = 0;
  float u = 0, v = 0;
  Vec3f lineNormal = Vec3f::Zero();
};

/// A point ready for shading. Normals look to the side the ray came from.
struct SurfacePoint {
  Vec3f position;  ///< on the surface
  Vec3f
      shadowPosition;  ///< lifted onto the smooth surface, so facets throw no shadow on themselves
  Vec3f normal;        ///< for shading
  Vec3f softNormal;    ///< of what light below the surface sees
  Vec3f guideNormal;   ///< without the relief of a texture, for the denoiser
  Vec3f geometricNormal;
  bool backFace = false;
  Rgb color;
  KeptLight kept;
};

struct Plane {
  Vec3f normal;
  float offset;
  bool removes(const Vec3f& p) const { return normal.dot(p) > offset; }
};

/// The scene inside Embree: all surfaces are one of its geometries, all lines another. A thousand
/// geometries of a few triangles each would overlap in its hierarchy and cost several times as much
/// per ray.
class Geometry {
 public:
  explicit Geometry(const Scene& scene);
  ~Geometry();
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;

  void updateSurface(const Scene& scene, std::size_t index);
  /// Moves a surface rigidly from where it was when the scene was made.
  void moveSurface(std::size_t index, const Pose& pose);
  void updateScalars(const Scene& scene, std::size_t index);
  void updateMaterial(const Scene& scene, std::size_t index);
  void updateLine(const Scene& scene, std::size_t index);
  void updateLineMaterial(const Scene& scene, std::size_t index);
  /// Brings the hierarchy up to date when something moved, and fixes the cut for the queries that
  /// follow.
  void commit(const std::optional<CutPlane>& cut);
  /// From now on the hierarchy is fitted to what moves instead of being built anew: good as long as
  /// neighbours stay neighbours.
  void keepHierarchy() { hardlyMoves_ = true; }
  Part& part(std::uint32_t index) { return *parts_[index]; }

  bool intersect(const Ray& ray, Hit& hit) const;
  /// The innermost closed part around the start of a ray (that is left first), or false.
  bool findContainer(const Ray& ray, std::uint32_t& part) const;
  /// Whether light from `ray` is blocked. Translucent parts block it with the probability of their
  /// opacity squared, drawn from `seed`.
  bool occluded(const Ray& ray, std::uint32_t seed) const;
  SurfacePoint surfacePoint(const Ray& ray, const Hit& hit) const;

  const Part& part(std::uint32_t index) const { return *parts_[index]; }
  /// The part of one of Embree's primitives.
  std::uint32_t partOf(std::uint32_t kind, std::uint32_t primitive) const {
    return partOf_[kind][primitive];
  }
  std::uint32_t partCount() const { return static_cast<std::uint32_t>(parts_.size()); }
  const std::optional<Plane>& cut() const { return cut_; }
  bool cutsAll() const { return cutsAll_; }
  const Box& bounds() const { return bounds_; }
  float epsilon() const { return epsilon_; }  ///< least useful distance along a ray [m]

 private:
  void addSurface(const Surface& surface, std::size_t firstVertex);
  void addLine(const Polyline& line, std::size_t firstVertex);
  void attach();
  void build();
  bool keepUncut(Ray& ray) const;
  void smoothNormals(const Ray& ray, const Part& part, const Hit& hit, SurfacePoint& s) const;

  RTCDevice device_ = nullptr;
  RTCScene scene_ = nullptr;
  std::vector<std::unique_ptr<Part>> parts_;  ///< surfaces, then lines
  std::vector<Eigen::Vector4f> vertices_;     ///< of all parts, in their order
  std::vector<Triangle> triangles_;           ///< of all surfaces
  std::vector<std::uint32_t> segments_;       ///< of all lines
  enum Kind : std::uint32_t { kSurfaces, kLines, kKinds };
  std::array<RTCGeometry, kKinds> handles_{};  ///< null where there are none
  std::array<std::vector<std::uint32_t>, kKinds> partOf_;
  std::array<bool, kKinds> moved_{};  ///< since the last commit
  std::size_t surfaceCount_ = 0;
  std::vector<std::vector<Rgb>> scaleTables_;  ///< per surface
  std::optional<Plane> cut_;
  bool built_ = false, moving_ = false, hardlyMoves_ = false;
  bool filtersShadows_ = false, closednessKnown_ = false;
  bool cutsAll_ = false;  ///< no part escapes the cut: rays can be shortened instead of filtered
  Box bounds_;
  float epsilon_ = 1e-5f;
};

}  // namespace pneuma::render::internal
