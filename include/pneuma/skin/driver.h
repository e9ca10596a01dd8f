#pragma once

#include <span>
#include <string_view>

#include "pneuma/core/types.h"

/// The one skin mesh in motion: what moves it, and how its drivers are called.
///
/// The mesh is the person's own (anatomy::makeSkinSurface): the same triangles in every pose and
/// for every driver. A driver is bound once to the mesh at rest and to the bones of the body, never
/// to the links of an articulation; the same driver thus serves every articulation that moves these
/// bones.
namespace pneuma::skin {

/// A set of points that skin follows where no bone tells its motion: the abdominal wall, soft
/// bodies. The driver is bound to the points at rest and later finds the set by its name.
struct PointTrace {
  std::string_view name;
  std::span<const Vec3> rest;  ///< [m], body frame at rest; read when a driver is bound
  std::span<const Vec3> now;   ///< [m], world; read when it poses
};

/// What a driver may look at in one moment.
struct SkinInputs {
  /// Motion of each bone of Body::bones from its place at rest: x_now = bones[b] x_rest. The
  /// identity at rest.
  std::span<const Pose> bones;
  /// The same without breath: the posture alone, ribs and sternum as their vertebrae carry them,
  /// shoulders unlifted. What `bones` adds to it is breath and is shown as a shape of the rest
  /// pose. Empty: the motions of the joint groups' carriers are the posture.
  std::span<const Pose> posture;
  std::span<const PointTrace> traces;
  /// Of points under the skin, from where the posture carries them to where they are [m], world:
  /// muscles that swing. Empty: none.
  std::span<const Vec3> swings;
  double gas = 0;                       ///< volume of gas in the lungs now, less that at rest [m^3]
  std::span<const double> activations;  ///< of muscle lines, 0 .. 1; empty: all relaxed
  double time = 0;                      ///< [s], for what a driver has to say
};

/// Moves the one mesh. Deterministic: the same bits for any number of threads; no allocation after
/// the first call when a single thread is used (others hand their work to a scheduler).
class SkinDriver {
 public:
  virtual ~SkinDriver() = default;
  /// Writes the place of every vertex. Throws InputError when the inputs do not fit what the driver
  /// was bound to: fewer bones, a trace that is missing or of another size.
  virtual void pose(const SkinInputs& inputs, std::span<Vec3> positions) = 0;
};

/// The pose part of a driver: a rigid motion for each vertex,
///
///   x_v = X_v (p_v + d_v)
///
/// p_v at rest, d_v a displacement in the rest pose (breath and other shapes). What acts in the
/// rest pose is thus carried by every pose in the same way: shapes first, then the pose.
class PoseDriver {
 public:
  virtual ~PoseDriver() = default;
  /// `bones` as in SkinInputs: the posture when it is known.
  virtual void carry(std::span<const Pose> bones, std::span<Pose> motions) = 0;
};

}  // namespace pneuma::skin
