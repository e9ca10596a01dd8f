#pragma once

#include <Eigen/Cholesky>
#include <array>

#include "pneuma/breath/torso_step.h"

/// The rigid part: spine, ribs jointed to it, free sternum.
///
/// Generalised velocity: spine (linear, angular, at its origin, world axes), ribs (relative spin:
/// about the neck axis, or three numbers in world axes), sternum (as the spine).
namespace pneuma::breath::internal {

/// Where the parts of a generalised vector begin.
struct RigidIndex {
  explicit RigidIndex(const TorsoModel& model)
      : perRib(model.config.ribJoint == RibJoint::Neck ? 1 : 3) {}
  int perRib;
  int spine() const { return 0; }
  int rib(int body) const { return 6 + perRib * (body - 1); }
  int sternum() const { return 6 + perRib * 2 * kRibCount; }
  int size() const { return sternum() + 6; }
};

/// World placement of the bodies of a state.
struct RigidPlacement {
  std::array<Mat3, kBodyCount> rotation;
  std::array<Vec3, kBodyCount> origin, velocity, spin;
  std::array<Vec3, 2 * kRibCount> axis;  ///< neck axes

  void update(const TorsoModel& model, const TorsoState& state);
};

/// h D + h^2/2 K of all springs, pins and joints at rest, for a step h.
MatX computeRigidGains(const TorsoModel& model, double h);

/// Inertia of the rigid part in a placement plus constant gains, factored.
class RigidInertia {
 public:
  void factor(const TorsoModel& model, const RigidPlacement& placement, const MatX& gains);
  void solve(VecX& rhs) const { factor_.solveInPlace(rhs); }

 private:
  MatX matrix_;
  Eigen::LLT<MatX> factor_;
};

/// Adds what inertia itself asks for: gyroscopic and centripetal forces.
void addBias(const TorsoModel& model, const RigidPlacement& placement, VecX& force);

/// Adds a force at a body's origin and a torque about it.
void addWrench(const RigidIndex& index, const RigidPlacement& placement, int body,
               const Vec3& force, const Vec3& torque, VecX& out);

/// v += dv, then x += h v.
void advance(const TorsoModel& model, const VecX& dv, double h, TorsoState& state);

}  // namespace pneuma::breath::internal
