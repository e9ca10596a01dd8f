#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/belly_zone.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::flesh {

/// Settings of all bellies of a figure.
///
/// The coefficients of `belly` give the shape only; they are scaled for every belly so that its
/// stiffest oscillation has the angular frequency below, whatever its mass. A muscle of 20 g then
/// takes the same time step as one of 2 kg, and both move on the same time scale.
struct FigureBellyConfig {
  BellyConfig belly{.shapeStiffness = 24};  ///< the global constraint holds them to their lines
  double highestFrequency = 52;  ///< of every belly [rad/s], > 0; one inner step at 20 Hz
  double dampingRate = 30;       ///< damping over mass where the body file says 0.5 [1/s], >= 0
  double exponent = 0.7;         ///< of the fusiform shape, see makeFusiform
};

/// The coefficients and damping scaled to a particle's mass as above.
BellyConfig scaledToMass(BellyConfig config, double particleMass, double highestFrequency,
                         double dampingRate);

/// All fusiform parts of a figure, following its skeleton. [Nedel00, Sec. 4 and 6]
///
/// Each muscle line that names a belly becomes one: a spindle of the muscle's volume (or with its
/// described profile) between the tendons, its points on the bones that the body file names. So any
/// scaled person has bellies without further description.
///
/// A belly may have zones (belly_zone.h): regions of its surface that keep the place they have at
/// rest on a bone, or on another belly. The side of a bone that counts is its joint-to-joint line.
///
/// Reading: the rest direction of a belly's rings turns with the rotation half-way between the
/// bones of origin and insertion; the paper only says that lines follow the skeleton.
class FigureBellies {
 public:
  /// `model` is made from `compiled`. Throws InputError for a belly without a volume.
  FigureBellies(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                const skeleton::Model& model, const FigureBellyConfig& config = {});

  int count() const { return static_cast<int>(parts_.size()); }
  const std::string& name(int part) const { return parts_[at(part)].name; }
  const Belly& belly(int part) const { return parts_[at(part)].belly; }
  double lineLength(int part) const { return belly(part).line().length(); }

  /// A point of a belly's line on its bone.
  struct LinePoint {
    int link;    ///< of the model
    Vec3 local;  ///< in the link's frame [m]
  };
  const std::vector<LinePoint>& linePoints(int part) const { return parts_[at(part)].points; }
  /// A particle that keeps its place on a bone by a goal of its belly.
  struct BoneTie {
    int link;
    Vec3 place;        ///< in the link's frame [m]
    std::size_t goal;  ///< of the belly
  };
  const std::vector<BoneTie>& boneTies(int part) const { return parts_[at(part)].ties; }

  /// Moves lines and goals to the poses of links; particles stay where they are (Belly::aim).
  void aim(std::span<const Pose> X_WL);
  /// Puts the particles of a belly somewhere (Belly::setPositions).
  void setPositions(int part, const Eigen::Ref<const VecX>& positions) {
    parts_[at(part)].belly.setPositions(positions);
  }

  /// Moves all lines to a pose and advances the bellies by dt [s]. Throws SimulationError naming
  /// the belly.
  void follow(const skeleton::Kinematics& kinematics, double dt);
  /// Starts over in a pose: rest shapes carried to it, then settled.
  void settle(const skeleton::Kinematics& kinematics, double seconds = 2);

 private:
  struct Part {
    std::string name;
    std::vector<LinePoint> points;
    Vec3 reference;
    Belly belly;
    std::vector<BoneTie> ties = {};
  };
  struct Tie {
    int part, other;
    BellyTie tie;
  };
  static std::size_t at(int part) { return static_cast<std::size_t>(part); }
  void addZone(std::size_t part, const anatomy::BellyZone& zone, const anatomy::Body& body,
               const anatomy::CompiledBody& compiled, const std::vector<int>& links);
  void moveBoneTies(Part& part, std::span<const Pose> X_WL);
  /// Points of the line into points_; the direction of its first ring.
  Vec3 findLine(const Part& part, std::span<const Pose> X_WL);
  void moveBellyTies();

  std::vector<Part> parts_;
  std::vector<Tie> bellyTies_;
  std::vector<Vec3> points_;  // scratch
};

}  // namespace pneuma::flesh
