#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/pose_fit.h"

namespace pneuma::skeleton {

/// Places of links as part of a pose: where head, chest or hands shall be, and how they shall be
/// turned. Joint angles follow by inverse kinematics (PoseFit), as those of [Lee09, Sec. 4.1] do
/// from "position and orientation of the head and chest".
///
/// A place is named "LINK@AXIS":
///
///   skull@x, skull@y, skull@z            from where its centre of mass is in the neutral pose, in
///                                        the body's axes: left, up, front [m]
///   skull@turn_x, ...turn_y, ...turn_z   its turn from there, as a vector of rotation [rad]
///
/// Axes of a place that are not stated stay as near to the neutral pose as the others let them,
/// those of a turn are zero; a link with no turn stated turns as it likes.
/// Places of the spine (skull, vertebrae) are met first, by the spine; then those of limbs, by
/// their own joints. Joints that the places leave open stay near the pose they are given.
class PosePlaces {
 public:
  PosePlaces(const anatomy::CompiledBody& body, const Model& model)
      : body_(body), model_(model), glides_(makeGlides(body, model)) {}

  /// Whether a name is one of a place.
  static bool names(const std::string& name) { return name.find('@') != std::string::npos; }
  /// Takes a name up. Throws InputError for an unknown link or axis, with the nearest.
  void add(const std::string& name, const std::string& subject);
  bool empty() const { return entries_.empty(); }
  /// Whether a name's values are turns.
  static bool turns(const std::string& name) { return name.find("@turn_") != std::string::npos; }

  /// `pose` with its links at these places, one value per name added. Throws InputError when a link
  /// stays away from its place by more than 10 mm or 3 degrees.
  VecX fit(const VecX& pose, std::span<const double> values, const std::string& subject) const;

 private:
  struct Entry {
    int link = 0, axis = 0;
    bool turn = false;
  };
  struct Goals {
    std::vector<PointTarget> points;
    std::vector<std::array<bool, 3>> stated;  // axes of each point
    std::vector<OrientationTarget> orientations;
    std::vector<int> links;
  };
  bool onSpine(int link) const;
  Goals goals(std::span<const double> values, bool spine) const;
  void meet(const Goals& goals, bool spine, const std::string& subject, VecX& q) const;

  const anatomy::CompiledBody& body_;
  const Model& model_;
  std::vector<Glide> glides_;
  std::vector<Entry> entries_;
};

}  // namespace pneuma::skeleton
