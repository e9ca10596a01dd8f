#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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
  std::vector<Shape> envelope;  ///< skin_trunk, skin_head, skin_arm_l...
  std::vector<Shape> muscles;   ///< by the muscle's name
};
/// Those of an expanded body, middle and left side. Throws InputError when it has none.
SkinModel skinModelOf(const Body& body);

/// Volume within the skin [m^3]: tissue at its density by the share of fat, and the gas of FRC.
double skinVolume(const Person& person);

/// Settings of the skin's surface.
struct SkinConfig {
  int triangles = 80000;  ///< wanted, at most; 20k, 80k and 300k are the usual levels
};

/// A closed skin, symmetric to the last bit, even triangles (finer on face, hands and feet).
struct SkinSurface {
  TriangleMesh mesh;
  std::vector<SkinPart> parts;  ///< one per vertex
};

/// Builds the skin of a person from the expanded body of the subject (not yet fitted):
///
///   trunk, head and legs, and each arm: the measured envelope scaled to the person, joined with
///   superficial muscles, smoothed, moved outwards by w(place, sex) t;
///   joined at the shoulders (below the armpits arm and trunk only touch) and with the bones under
///   3.5 mm of skin; women: own head, breasts, narrower waist, wider hips, slimmer neck.
///
/// The fat thickness t is found so that the enclosed volume is skinVolume(person); thin people lack
/// tissue where the subject's is thick, by 30 mm at most. Deterministic; kept in `cache`.
SkinSurface makeSkinSurface(const SkinModel& model, const Body& body, const Person& person,
                            const SkinConfig& config, const GeometryCache& cache);

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
