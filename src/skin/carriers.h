#pragma once

#include <map>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/kinematics.h"
#include "skin/dual_quaternion.h"

namespace pneuma::skin::internal {

/// What can carry a point: every link as it moves, and every link without the turn about its own
/// length. A point half-way between both has half of the twist. Index 2 l is link l of the model
/// itself, 2 l + 1 the untwisted one.
using Shares = std::map<int, double>;  ///< carrier -> share, sum 1

/// The link of a model that carries a bone: skin is bound to bones, an articulation moves them.
class BoneLinks {
 public:
  BoneLinks(const anatomy::CompiledBody& compiled, const skeleton::Model& model);
  /// Throws InputError for a bone that the articulation does not carry.
  int operator()(const std::string& bone) const;

 private:
  std::string articulation_;
  std::map<std::string, int> link_;
};

/// Passes a part of all shares to a link, which turns about its own length by `twist` of its turn.
void passShares(Shares& shares, int link, double part, double twist = 1);

/// Motion from rest to the pose.
using Carry = DualQuaternion;

/// All carriers in a pose.
class Carriers {
 public:
  Carriers(const anatomy::CompiledBody& compiled, const skeleton::Model& model);
  void follow(const skeleton::Kinematics& kinematics);

  const Carry& operator[](int carrier) const { return now_[static_cast<std::size_t>(carrier)]; }
  int count() const { return static_cast<int>(now_.size()); }

 private:
  struct Twist {
    int link, parent;  // in the model
    Vec3 axis;         // along the link, at rest
  };
  const skeleton::Model& model_;
  std::vector<Twist> twists_;
  std::vector<Carry> now_;
};

/// Shares of many points, packed.
class PackedShares {
 public:
  void add(const Shares& shares);
  std::size_t size() const { return begin_.size() - 1; }
  /// The blended motion of point i: the carriers' dual quaternions, weighted and normalised. Two
  /// links that share a joint thus give a turn by a part of the joint's angle about its centre: a
  /// contour shared half and half lies in the bisecting plane and keeps its size.
  /// [Kavan08]
  Pose motion(std::size_t i, const Carriers& carriers) const;
  /// Where the carriers take a rest position each on its own, and the weighted mean of that: the
  /// straight line between two links where `motion` gives the arc. The twisted and untwisted part
  /// of one link are still blended as a turn.
  Vec3 tight(std::size_t i, const Carriers& carriers, const Vec3& rest) const;

 private:
  std::vector<int> begin_{0}, carrier_;
  std::vector<double> share_;
};

}  // namespace pneuma::skin::internal
