#pragma once

#include <vector>

#include "skin/control_net.h"
#include "skin/plate_solver.h"

namespace pneuma::skin::internal {

/// The skin around shoulders and hips, where a limb's tube opens out of the trunk.
///
/// Contours alone cannot shape it: those of the trunk do not turn with the arm, those of the arm
/// fan out around the armpit. It spans like a plate between trunk and limb, each point with the
/// offset from its neighbours that it has at rest, turned as the edges to them turn:
///
///   b_i = mean over neighbours j of 1/2 (R_i + R_j) (r_j - r_i)     r at rest, R blended turn
///
/// In the closed fold of an armpit the skin has no shape of its own. The further the arm is drawn
/// to the trunk, the more it forgets the shape at rest and spans like a membrane, so that the fold
/// shuts and shears without turning triangles over.
class LimbRoots {
 public:
  LimbRoots(const Layout& layout, const ControlNet& net, const skeleton::Model& model,
            double height);

  /// Overwrites the loose points; the others are where their links carry them.
  void span(const PackedShares& shares, const Carriers& carriers, std::vector<Vec3>& control);
  /// Evens out what fills armpits and crotch.
  void evenFolds(const skeleton::Kinematics& kinematics, std::vector<Vec3>& control) const;

 private:
  /// Armpit or crotch.
  struct Fold {
    bool arm = false;
    double side = 1;
    std::size_t trunkLink = 0, armLink = 0;
    Vec3 along = Vec3::Zero();         // the arm at rest
    std::vector<std::int32_t> points;  // that fill it
  };
  void findFolds(const Layout& layout, const skeleton::Model& model, double height);
  Vec3 meanAround(std::int32_t i, const std::vector<Vec3>& points) const;

  const ControlNet& net_;
  std::vector<bool> loose_;
  PlateSolver plate_;
  std::vector<std::size_t> turning_;  // points whose turn the offsets need
  std::vector<Mat3> turns_;
  std::vector<Vec3> offsets_;  // of the plate's rows
  std::vector<int> row_;       // of each point in the plate, or -1
  std::vector<Fold> folds_;
};

}  // namespace pneuma::skin::internal
