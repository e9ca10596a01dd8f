#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::stage {

/// Where tapes are laid around a person: across the upper arms halfway along the humerus, as a
/// relaxed arm is measured; where the arm is thickest between there and two thirds down, as a
/// flexed one is; and level around the trunk at the lower end of the sternum's body, at the tip of
/// the xiphoid and at the fourth lumbar vertebra, where the navel is.
enum class TapeSite {
  UpperArmLeft,
  UpperArmRight,
  ThickestArmLeft,
  ThickestArmRight,
  Chest,
  LowerChest,
  Belly
};
inline constexpr std::size_t kTapes = 7;
std::string_view name(TapeSite site);  ///< "upper_arm_l"

/// What is seen of a skin in one pose.
struct SkinReading {
  skin::BoneDepth depth;                ///< of the bones under it
  std::array<double, kTapes> girths{};  ///< [m]; 0: the plane meets no outline around the bone
  /// How far the skin's outline at a tape of the trunk reaches forwards of the vertebra behind it
  /// [m]; 0 at the arms.
  std::array<double, kTapes> fronts{};
};

/// Measures a skin in motion by what it lies on: girths as a tape gives them, in planes that bones
/// carry along, and how deep bones lie under it. Places of bones that lie outside at rest (some
/// of the skull) are left out.
class SkinMeter {
 public:
  /// `rest` is a closed skin of the body, both at rest. A site whose bones the body does not have
  /// reads 0.
  SkinMeter(const anatomy::Body& body, TriangleMesh rest, const anatomy::GeometryCache& cache);

  /// `bones` as in skin::SkinInputs.
  SkinReading read(std::span<const Vec3> positions, std::span<const Pose> bones) const;
  const SkinReading& rest() const { return restReading_; }
  const std::vector<std::string>& boneNames() const { return boneNames_; }
  /// How many places of bones are looked at, and how many were left out.
  std::size_t places() const { return samples_.size(); }
  std::size_t outsideAtRest() const { return outside_; }

 private:
  /// A plane at rest and the bone that carries it.
  struct Site {
    int bone = -1;
    Vec3 point = Vec3::Zero(), normal = Vec3::UnitY();
    double reach = 0;  ///< the thickest place within it down the normal counts [m]
    bool trunk = false;
  };
  void addArm(TapeSite middle, TapeSite thickest, const anatomy::Body& body, const char* bone,
              const anatomy::GeometryCache& cache);
  void addLevel(TapeSite site, const anatomy::Body& body, const char* bone, bool lowest,
                const anatomy::GeometryCache& cache);
  void dropOutside(std::span<const Vec3> rest);

  std::array<Site, kTapes> sites_;
  std::vector<skin::BoneSample> samples_;
  std::size_t outside_ = 0;
  std::vector<std::string> boneNames_;
  std::vector<Triangle> triangles_;
  SkinReading restReading_;
};

}  // namespace pneuma::stage
