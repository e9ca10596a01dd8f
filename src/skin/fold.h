#pragma once

#include <vector>

#include "skin/control_net.h"

namespace pneuma::skin::internal {

/// Joints whose skin folds (elbow, knee): neither side passes the plane half-way between both
/// links.
///
///   n = u - w             u, w  unit vectors from the joint to the other end of the parent and of
///   d = s (x - c) . n           the link; c the joint; s = 1 on the parent's side, -1 on the
///   link's d >= min(gap, d at rest)
///
/// A surface whose control points lie on one side of a plane lies on that side itself, for its
/// weights are positive with sum 1. So both sides of a closed fold lie flat on each other
/// (figure_skin_test, ABentLimbDoesNotPassIntoItself).
class Folds {
 public:
  Folds(const anatomy::Body& body, const BoneLinks& links, const skeleton::Model& model,
        const ControlNet& net);
  void apply(const skeleton::Kinematics& kinematics, std::vector<Vec3>& control) const;

 private:
  struct Point {
    std::int32_t index;
    double side, limit;
  };
  struct Fold {
    Vec3 center, root, tip;            // at rest
    std::size_t parent = 0, link = 0;  // in the model
    Vec3 parentCenter;                 // of the parent's frame at rest
    std::vector<Point> points;
  };
  void addPoints(Fold& fold, double gap, const skeleton::Model& model) const;
  /// Even spacing of the points that lie on the plane: a part of the way to their neighbours.
  void relax(const std::vector<std::int32_t>& held, std::vector<Vec3>& control) const;

  const ControlNet& net_;
  std::vector<Fold> folds_;
  mutable std::vector<std::int32_t> held_;  // scratch
};

}  // namespace pneuma::skin::internal
