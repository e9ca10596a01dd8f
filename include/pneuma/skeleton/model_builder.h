#pragma once

#include <string>
#include <vector>

#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// A link as described: everything is stated in the body frame at rest (world axes).
struct LinkDescription {
  std::string name;    ///< unique, not empty
  std::string parent;  ///< name of a link added before, or empty: the world
  Joint joint = Joint::fixed();
  Pose jointPose;                         ///< joint frame in the body frame at rest
  RigidInertia inertia;                   ///< in the body frame at rest
  DofRole role = DofRole::Driven;         ///< of all degrees of freedom of the joint
  std::vector<DofResistance> resistance;  ///< empty, one for all, or one per degree of freedom
};

/// Collects links and compiles them. Bad input (unknown parent, doubled name, mass <= 0 under a
/// moving joint, axis zero, ...) is collected and thrown together as an InputError by build().
class ModelBuilder {
 public:
  ModelBuilder& add(LinkDescription link);
  ModelBuilder& setGravity(const Vec3& gravity);

  Model build() const;

 private:
  std::vector<LinkDescription> links_;
  Vec3 gravity_ = {0, -kGravity, 0};
};

}  // namespace pneuma::skeleton
