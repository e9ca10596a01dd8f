#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/fit/body_frame.h"
#include "pneuma/fit/character.h"

namespace pneuma::fit {

/// What of a character takes the breath of the skin directly. Lengths are shares of the height.
struct TransferConfig {
  double reach = 0.025;      ///< from a vertex to the skin [-], > 0
  double angle = 0.785;      ///< between their normals, 45 degrees [rad]
  double wristBand = 0.02;   ///< behind the wrist, where forearm and hand blend [-]
  double forearm = 0.06;     ///< of the forearm that a hand follows [-]
  double clothReach = 0.15;  ///< from cloth to body where it begins to follow less [-]
  double clothEnd = 0.3;     ///< and where it no longer does [-]
};

/// How each vertex of the body and of the clothes got its motion.
struct TransferReport {
  std::size_t bound = 0;   ///< to the skin
  std::size_t filled = 0;  ///< smoothly between those that are bound
  std::size_t hands = 0;   ///< rigid with the forearm
  std::size_t cloth = 0;   ///< with the body under it
  std::size_t still = 0;   ///< hair, eyes, teeth
};

/// Carries displacements of the one skin to the vertices of a character that it was registered on.
///
/// A vertex of the body is bound to the closest point of the skin when that lies within reach, both
/// face alike, and both belong to the same arm or to none. Hands move as rigid bodies with the end
/// of the forearm (least squares): a registered finger is not to be trusted. The rest (mouth and
/// eye pockets, folds, the wrists) is filled:
///
///   min over free u   sum_i |(L u)_i|^2 / a_i
///
/// L is the cotangent Laplacian, a_i the area around a vertex: the least bending between what is
/// bound, with continuous slope [Abdrashitov 2023 for weights]. Vertices that lie in one place move
/// alike, so seams of the file stay closed.
///
/// Clothes take the displacement of the closest point of the character's own body, smoothed where
/// they hang loose, and never come nearer to the body than they were at rest. Hair, eyes and teeth
/// get nothing; where a character has such pieces its head stays still too, fading in over the
/// neck, or the lids would slide over the eyes.
///
/// Linear in the displacement but for that last guard, which acts target by target: any sum of
/// targets with weights >= 0 keeps clothes on top. Bound and factorised once. Deterministic, same
/// bits for any thread count.
class BreathTransfer {
 public:
  /// `skin` lies on the character in its pose, in the body frame [m]. Throws InputError when less
  /// than half of the trunk can be bound: the skin then does not lie on the character.
  BreathTransfer(const Character& character, const BodyFrame& frame,
                 const anatomy::SkinSurface& skin, const TransferConfig& config = {});
  ~BreathTransfer();
  BreathTransfer(BreathTransfer&&) noexcept;

  /// Offsets of all vertices of Character::surface, in the file's frame and units, for a
  /// displacement of the skin's vertices [m].
  std::vector<Vec3> apply(std::span<const Vec3> displacement) const;

  const TransferReport& report() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace pneuma::fit
