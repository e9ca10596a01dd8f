#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"

/// The skin of a person: a level set over what lies under it.
namespace pneuma::anatomy {

/// Where a piece of skin is. Left and right share a label; x tells the side.
enum class SkinPart : std::uint8_t {
  Head,
  Neck,
  Chest,
  Abdomen,
  Back,
  Pelvis,
  Shoulder,
  UpperArm,
  Forearm,
  Hand,
  Thigh,
  Shank,
  Foot
};
inline constexpr int kSkinParts = 13;
std::string_view name(SkinPart part);

/// What the skin is made from, as measured: envelope pieces and muscle solids (both sides), in the
/// subject's size.
struct SkinModel {
  std::vector<Shape> envelope;  ///< skin_trunk, skin_arm_l..., tables of heads and relief
  std::vector<Shape> muscles;   ///< by the muscle's name
};
/// Those of an expanded body, middle and left side. Throws InputError when it has none.
SkinModel skinModelOf(const Body& body);

/// Volume within the skin [m^3]: tissue at its density by the share of fat, and the gas of FRC.
double skinVolume(const Person& person);

/// Changes whenever the same body text gives other triangles, vertex order, UVs or labels. What was
/// learned on, or painted for, one topology must refuse another: compare SkinTopology::id.
inline constexpr std::uint32_t kSkinTopologyVersion = 7;

/// Levels of detail. Each triangle of one is cut into four at the next, so vertices, parts and UVs
/// of a coarser level are the first of a finer one.
inline constexpr int kSkinLevels = 3;
/// Triangles asked for at a level: 20,000, 80,000, 320,000 (a few less may come out).
constexpr int skinTriangles(int level) {
  return 20000 << (2 * level);
}
/// The level whose count is nearest in ratio: 300,000 gives the finest.
int skinLevelOf(int triangles);

/// Where each piece of skin lies in a texture: charts in [0, 1]^2 that neither overlap nor turn
/// over, mirrored about u = 1/2 (left and right have texels of their own). A vertex on a seam has
/// several places: *render vertices* are vertices with one place each. The first vertexCount of
/// them are the vertices themselves, in order; those after are further places at seams.
struct SkinAtlas {
  std::vector<Vec2> uv;                ///< per render vertex; v up, as in OBJ
  std::vector<std::int32_t> vertexOf;  ///< the vertex of each render vertex
  std::vector<Triangle> triangles;     ///< in render vertices, in the order of the surface's
  std::vector<std::uint8_t> charts;    ///< chart of each triangle
  std::vector<std::string> chartNames;

  /// Values per vertex (positions, normals, weights) as values per render vertex.
  template <class T>
  std::vector<T> expanded(std::span<const T> perVertex) const {
    std::vector<T> result;
    result.reserve(vertexOf.size());
    for (const std::int32_t v : vertexOf) result.push_back(perVertex[static_cast<std::size_t>(v)]);
    return result;
  }
};

/// What every person and every pose shares at one level. It depends on the body text alone.
struct SkinTopology {
  int level = 0;
  std::uint64_t id = 0;  ///< hash of version, triangles, labels and atlas
  std::vector<Triangle> triangles;
  std::vector<std::int32_t> mirror;  ///< image of each vertex; a vertex of the mid-plane is its own
  std::vector<SkinPart> parts;       ///< one per vertex
  std::vector<Vec3> places;          ///< of each vertex on the measured man [m]
  SkinAtlas atlas;
};

/// Settings of the skin's surface.
struct SkinConfig {
  int triangles = 80000;  ///< wanted; skinLevelOf() chooses among the three levels
};

/// A closed skin of genus 0, symmetric to the last bit, even triangles (finer on face, hands,
/// feet).
struct SkinSurface {
  TriangleMesh mesh;                             ///< triangles are those of the topology
  std::vector<SkinPart> parts;                   ///< one per vertex
  std::shared_ptr<const SkinTopology> topology;  ///< empty only for a surface made elsewhere
};

/// The skin of a person, from the expanded body of the subject (not yet fitted):
///
///   trunk, head and legs, and each arm: the measured envelope scaled to the person, joined with
///   superficial muscles, smoothed, moved outwards by w(place, sex) t;
///   joined at the shoulders (below the armpits arm and trunk only touch) and with the bones under
///   3.5 mm of skin (the cage under 5); women: own head, breasts, narrower waist, wider hips,
///   slimmer neck.
///
/// The fat thickness t is found so that the enclosed volume is skinVolume(person); thin people lack
/// tissue where the subject's is thick, by 30 mm at most.
///
/// Topology: the subject is meshed once (some 10 s, then kept in `cache`); its vertices are carried
/// to the person and drawn onto that person's level set, the fat laid on in steps, so that a vertex
/// is the same place of the skin in everyone. Another body text has a topology of its own.
/// Deterministic, same bits for any thread count; kept in `cache`.
SkinSurface makeSkinSurface(const SkinModel& model, const Body& body, const Person& person,
                            const SkinConfig& config, const GeometryCache& cache);

/// The topology alone.
std::shared_ptr<const SkinTopology> makeSkinTopology(const SkinModel& model, const Body& body,
                                                     int level, const GeometryCache& cache);

/// Shape of a triangle: longest edge over 2 sqrt(3) times the radius of the inscribed circle; 1 for
/// equal sides, infinite without area.
double triangleAspect(const Vec3& a, const Vec3& b, const Vec3& c);

/// Tangent of each render vertex along growing u, orthogonal to the normal, unit length; w is the
/// sign of the bitangent cross(normal, tangent) w (growing v), as glTF wants it.
std::vector<Vec4> skinTangents(const SkinAtlas& atlas, std::span<const Vec3> positions);

/// Signed distance to a person's skin at any place, negative inside: the level set that the surface
/// is drawn onto, without a mesh. Takes some seconds to make and is safe to ask from many threads.
class SkinDistance {
 public:
  SkinDistance(const SkinModel& model, const Body& body, const Person& person);
  ~SkinDistance();
  double operator()(const Vec3& p) const;
  /// Where a ray from within leaves the skin: distance from `from`, at most `most` [m].
  double exit(const Vec3& from, const Vec3& direction, double most) const;
  double fat() const;  ///< thickness of the layer that was found [m]

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

/// The muscle solids of a person, named, in the person's size.
std::vector<Shape> personMuscles(const SkinModel& model, const Body& body, const Person& person);

}  // namespace pneuma::anatomy
