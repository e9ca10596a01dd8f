#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/torso_step.h"

/// The secondary layer of the breathing torso [Zordan05, Sec. 8]: shoulders, arms and the soft
/// bodies of chest and shoulders, which follow the trunk and never act on it.
namespace pneuma::breath {

inline constexpr int kArmBodyCount = 6;  ///< 22 of the trunk and these make the paper's 28
inline constexpr int kAllBodyCount = kBodyCount + kArmBodyCount;

/// The rigid body that carries a bone: of the trunk below kBodyCount, then the arms' (see
/// ShoulderLayer::pose), or -1 for bones that the torso does not hold (legs).
int torsoBodyOf(const std::string& bone);
/// "shoulder_l", "upper_arm_l", "lower_arm_l", "shoulder_r", ... for bodies from kBodyCount on;
/// bodyName below.
std::string anyBodyName(int body);

/// Settings of shoulders, arms and the flesh on them.
struct ShoulderLayerConfig {
  double stiffness = 600;      ///< k_pe of a shoulder element [N/m], > 0
  double damping = 12;         ///< b [N s/m], >= 0
  double prestrain = 0.03;     ///< strain at rest: tone that lets both directions answer, 0 .. 1
  double jointFriction = 0.6;  ///< of the arm's joints [N m s/rad], >= 0
  bool gravity = true;         ///< arms hang: weight along -Y, balanced at rest by their tone
};
/// Table 1, "Misc. shoulder", for the preset `zordan2005`; scaled to physiology for the others.
ShoulderLayerConfig makeShoulderConfig(const TorsoConfig& torso);

/// A spring element from the trunk to an arm's body, by names of the body file.
struct ShoulderElement {
  std::string name;
  int trunkBody = 0, armBody = 0;  ///< numbers of torsoBodyOf
  Vec3 onTrunk, onArm;             ///< at rest [m]
};

/// Clavicle with scapula, upper arm, forearm with hand on either side, jointed to the sternum; 52
/// spring elements (Eq. 1) from spine, ribs and sternum; two pairs of volume-preserving bodies
/// (pectorals; trapezius with deltoid) on zero-length springs, the shoulders' with inner supports.
///
/// One-way coupling [OBrien00]: the sternum's motion is prescribed at the sternoclavicular joints,
/// all other ends ride on the trunk's bodies; nothing flows back, so the trunk's bits do not depend
/// on the layer.
/// Reading: the paper gives neither insertions nor shapes; insertions are those of the body file,
/// shapes follow its landmarks.
/// Departure: weight and tone of the arms are balanced by constant loads at rest, as in the trunk.
class ShoulderLayer {
 public:
  /// `body` is the measured body (loadBody), whose points the torso's anatomy scales.
  ShoulderLayer(const TorsoModel& torso, const anatomy::Body& body,
                const ShoulderLayerConfig& config);
  ~ShoulderLayer();
  ShoulderLayer(ShoulderLayer&&) noexcept;

  /// Follows the trunk through a step that ended in `torso`. Throws SimulationError.
  void step(const TorsoState& torso, double dt);

  int elementCount() const;
  int fleshCount() const;
  const std::vector<ShoulderElement>& elements() const;
  /// Present tension of every element [N].
  const std::vector<double>& tensions() const;
  /// Present ends of an element in the world.
  std::array<Vec3, 2> ends(std::size_t element) const;

  /// Pose of an arm's body (kBodyCount .. kAllBodyCount - 1) against its place at rest: the
  /// identity at rest.
  Pose motion(int body) const;
  /// Mean rise of both acromia against rest [m].
  double shoulderRise() const;

  std::string fleshName(std::size_t k) const;  ///< "pectoral_l", "shoulder_r", ...
  const TriangleMesh& flesh(std::size_t k) const;
  double fleshVolumeError(std::size_t k) const;  ///< V / V0 - 1

  /// Points that skin may follow: the soft bodies' surfaces, trace points along arms, neck and
  /// head. At rest and now, in the same order.
  const std::vector<Vec3>& restPoints() const;
  const std::vector<Vec3>& points() const;

  void save(io::StateWriter& out) const;
  /// `torso` is the trunk at the moment of the saving.
  void load(io::StateReader& in, const TorsoState& torso);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::breath
