#pragma once

#include <string_view>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skeleton {

/// The elementary motions a joint is made of. Each hinge or slide has one coordinate and one
/// velocity; a ball has a unit quaternion (w, x, y, z) and an angular velocity in the axes of the
/// moved frame.
enum class MotionKind { Hinge, Slide, Ball };

/// One elementary motion. `axis` is a unit vector in the joint frame, as moved by the motions
/// before it; unused for Ball.
struct Motion {
  MotionKind kind = MotionKind::Hinge;
  Vec3 axis = Vec3::UnitX();
};

/// Kinds of joints by their elementary motions; Chain is any other sequence of them.
enum class JointKind { Fixed, Hinge, Slide, Universal, ThreeHinge, Ball, Free, Chain };

/// How a link may move against its parent: elementary motions applied one after the other, starting
/// from the parent's side. Axes need not be normalised; zero or non-finite axes are an InputError
/// when the model is built.
struct Joint {
  JointKind kind = JointKind::Fixed;
  std::vector<Motion> motions;

  static Joint fixed();
  static Joint hinge(const Vec3& axis);
  static Joint slide(const Vec3& axis);
  static Joint universal(const Vec3& first, const Vec3& second);
  static Joint threeHinge(const Vec3& first = Vec3::UnitX(), const Vec3& second = Vec3::UnitY(),
                          const Vec3& third = Vec3::UnitZ());
  /// Any rotation, without singularity.
  static Joint ball();
  /// Three slides along the axes of the joint frame, then a ball: position and velocity of the
  /// link's origin in the joint frame, orientation, angular velocity in the link's own axes.
  static Joint free();
  /// Any other sequence, for example three slides and three hinges.
  static Joint chain(std::vector<Motion> motions);

  int dofCount() const;       ///< entries in the velocity v
  int positionCount() const;  ///< entries in the configuration q
};

std::string_view toString(JointKind kind);

}  // namespace pneuma::skeleton
