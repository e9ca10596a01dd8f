#pragma once

#include <vector>

#include "pneuma/breath/shoulder_layer.h"
#include "pneuma/muscle/spring_element.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::breath::internal {

/// The muscles of the set "shoulder" of a fitted body, left side first.
std::vector<ShoulderElement> makeShoulderElements(const anatomy::Body& body);

/// The elements as loads on the arms: the trunk's ends move as told, the other ends ride on links.
///
///   F = min[-k (l - l0) - b l', 0]     [Zordan05, Eq. 1]
class ShoulderMuscles : public skeleton::LoadSource {
 public:
  ShoulderMuscles(const skeleton::Model& model, const std::vector<ShoulderElement>& elements,
                  const std::vector<int>& links, const ShoulderLayerConfig& config);

  void setTrunkEnd(std::size_t i, const Vec3& position, const Vec3& velocity) {
    springs_[i].target = position;
    springs_[i].targetVelocity = velocity;
  }
  void addLoads(const skeleton::Model&, const skeleton::State&, const skeleton::Kinematics&,
                skeleton::Loads&) override;

  const std::vector<double>& tensions() const { return tensions_; }
  /// End on the arm for the kinematics of the last addLoads.
  const Vec3& armEnd(std::size_t i) const { return springs_[i].armEnd; }

 private:
  struct Spring {
    std::size_t end = 0;  // which of ends_
    muscle::SpringElement element;
    Vec3 local;  // in the link's frame
    Vec3 target, targetVelocity = Vec3::Zero(), armEnd;
  };
  /// Forces and gains of all springs that end on one link. With q = (a x n, n) of a spring along n
  /// whose end has the arm a from the kinematics' origin, force F and gains k along and F / l
  /// across, its derivatives are made of q q^T and of the sums below, so that the links' degrees of
  /// freedom are gone through once for all of them.
  struct LinkEnd {
    skeleton::RelativePath path;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    Mat6 along = Mat6::Zero();    // sum (k - F / l) q q^T
    Mat6 viscous = Mat6::Zero();  // sum d q q^T
    double across = 0;            // sum F / l
    Vec3 acrossArm = Vec3::Zero();
    Mat3 acrossArms = Mat3::Zero();  // sum F / l a a^T
    Mat3 armForce = Mat3::Zero();    // sum a F^T

    void clear();
    skeleton::LinkWrench wrench() const;
  };
  std::vector<LinkEnd> ends_;
  std::vector<Spring> springs_;
  std::vector<double> tensions_;
};

}  // namespace pneuma::breath::internal
