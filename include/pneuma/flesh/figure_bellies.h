#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/belly.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::flesh {

/// Settings of all bellies of a figure.
///
/// The coefficients of `belly` give the shape only; they are scaled for every belly so that its
/// stiffest oscillation has the angular frequency below, whatever its mass. A muscle of 20 g then
/// takes the same time step as one of 2 kg, and both move on the same time scale.
struct FigureBellyConfig {
  BellyConfig belly;
  double highestFrequency = 105;  ///< of every belly [rad/s], > 0; two inner steps at 20 Hz
  double dampingRate = 30;        ///< damping over mass where the body file says 0.5 [1/s], >= 0
  double exponent = 0.7;          ///< of the fusiform shape, see makeFusiform
};

/// The coefficients and damping scaled to a particle's mass as above.
BellyConfig scaledToMass(BellyConfig config, double particleMass, double highestFrequency,
                         double dampingRate);

/// A spindle around a line that encloses a volume [m^3].
BellyGrid makeFusiformOfVolume(const ActionLine& line, double volume, double exponent, int slices,
                               int around);

/// A spindle with the given radii [m], spread evenly from the belly's start to its end.
BellyGrid makeProfiled(const ActionLine& line, std::span<const double> radii, int slices,
                       int around);

/// All fusiform parts of a figure, following its skeleton. [Nedel00, sections 4 and 6]
///
/// Each muscle line that names a belly becomes one: a spindle of the muscle's volume (or with its
/// described profile) between the tendons, its points on the bones that the body file names. So any
/// scaled person has bellies without further description.
///
/// A belly may have zones [Nedel00, section 4.3]: regions of its surface that keep the place they
/// have at rest on a bone, or on the nearest particles of another belly, by an induced force.
/// Particles of a zone are those within its part of the length and its width around the side that
/// faces the bone's joint-to-joint line or the other belly.
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

  /// Moves all lines to a pose and advances the bellies by dt [s]. Throws SimulationError naming
  /// the belly.
  void follow(const skeleton::Kinematics& kinematics, double dt);
  /// Starts over in a pose: rest shapes carried to it, then settled.
  void settle(const skeleton::Kinematics& kinematics, double seconds = 2);

 private:
  struct LinePoint {
    int link;
    Vec3 local;
  };
  /// A region of a belly and what holds it.
  struct Zone {
    int link = -1;             // of the model, or
    int part = -1;             // another belly
    std::size_t first = 0;     // goal of its first particle
    std::vector<Vec3> places;  // in the link's frame, or from the other belly's particle
    std::vector<int> others;   // particles of the other belly
  };
  struct Part {
    std::string name;
    std::vector<LinePoint> points;
    Vec3 reference;
    Belly belly;
    std::vector<Zone> zones = {};
  };
  static std::size_t at(int part) { return static_cast<std::size_t>(part); }
  void addZone(std::size_t part, const anatomy::BellyZone& zone, const anatomy::Body& body,
               const anatomy::CompiledBody& compiled, const std::vector<int>& links);
  void moveZones(Part& part, const skeleton::Kinematics& kinematics);
  void moveLine(Part& part, const skeleton::Kinematics& kinematics);

  std::vector<Part> parts_;
  std::vector<Vec3> points_;  // scratch
};

}  // namespace pneuma::flesh
