#pragma once

#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/glide_surface.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::skeleton {

/// The shoulder blade on the ribs: a bone that slides over others as a limb is raised.
///
/// What a pose says about the arm leaves collar bone and blade open. Two things are known of them.
/// As the arm is raised by e from where it hangs, they move along [Inman et al. 1944],
///
///   n_j = (part_j + forward_j max(0, z)) max(0, e - after)
///
/// with z how far the arm points forwards; and points of the blade's inner border keep the distance
/// from the ribs that they have at rest, for serratus and rhomboids hold them there. PoseFit takes
/// n_j as its preferred pose and the distances as targets.
class Glide {
 public:
  /// `model` is made from `body`, `glide` is one of its. Throws InputError for a follower that is
  /// neither hinge nor slide.
  Glide(const anatomy::CompiledBody& body, const Model& model, const anatomy::CompiledGlide& glide);

  /// A freedom that moves along.
  struct Follower {
    int dof = 0, position = 0;  ///< in v and q
    double part = 0, forward = 0;
    double lower = 0, upper = 0;  ///< its range
  };
  /// A point that keeps its distance.
  struct Contact {
    int link = 0;
    Vec3 local = Vec3::Zero();
    double distance = 0;  ///< at rest [m]
  };
  /// How far a contact is from where it should be, and along which direction in the world.
  struct Departure {
    Vec3 point = Vec3::Zero();   ///< in the world
    Vec3 normal = Vec3::Zero();  ///< out of the surface, unit
    double distance = 0;         ///< too far > 0, too deep < 0 [m]
  };

  int limb() const { return limb_; }
  int on() const { return on_; }
  const Vec3& direction() const { return direction_; }  ///< of the limb at rest, body frame
  const std::vector<Follower>& followers() const { return followers_; }
  const std::vector<Contact>& contacts() const { return contacts_; }

  /// Angle of the limb from its direction at rest, seen from the link that carries the surface, or
  /// from the limb's parent [rad].
  double elevation(const Kinematics& kinematics) const;
  double elevationInSocket(const Kinematics& kinematics) const;
  Departure departure(const Contact& contact, const Kinematics& kinematics) const;
  /// Writes n into the followers' entries of a configuration.
  void prefer(const Kinematics& kinematics, VecX& configuration) const;

 private:
  Vec3 directionFrom(int link, const Kinematics& kinematics) const;

  const Model& model_;
  int limb_ = 0, on_ = 0;
  Vec3 direction_;  // of the limb at rest, body frame
  double after_ = 0;
  std::vector<Follower> followers_;
  std::vector<Contact> contacts_;
  GlideSurface surface_;
};

/// All glides of a body.
std::vector<Glide> makeGlides(const anatomy::CompiledBody& body, const Model& model);

}  // namespace pneuma::skeleton
