#pragma once

#include <array>
#include <limits>
#include <vector>

#include "breath/cage/cage_tangent.h"
#include "breath/cage/quads.h"
#include "pneuma/breath/cage_system.h"

namespace pneuma::breath {
namespace internal {

/// What does not change of four springs (SpringSet), side by side. The last ones are filled up with
/// springs that hold nothing.
struct alignas(64) SpringQuad {
  static constexpr std::size_t kCount = 4;
  using Numbers = std::array<double, kCount>;
  Numbers active, passiveStiffness, damping, slackLength, lowest, strength, leastAlong;
  Numbers activeLength;                   ///< l0 of Eq. 2; of muscles with a strength their optimum
  Numbers perReach, mostStretch;          ///< 1 / reach; of the group
  std::array<std::int32_t, kCount> a, b;  ///< bytes from the first point to the ends
  std::array<std::int32_t, kCount> channels;
  bool oneChannel = true;
  bool passive = true;  ///< no muscle among them
};

/// The stretch, in reaches of the force-length curve, up to which it weakens a muscle: none in
/// the wall of the belly. Its muscles are chains of springs, and a chain whose links weaken as they
/// stretch is unstable: one link gives way while the others shorten, another one on every mesh.
inline double mostStretch(MuscleGroup group) {
  const bool wall = group == MuscleGroup::Rectus || group == MuscleGroup::Transverse;
  return wall ? 0 : std::numeric_limits<double>::infinity();
}

/// The corners of a face as bytes from the first point.
using FaceBytes = std::array<std::int32_t, 3>;

/// Bone points, sorted by link.
struct BonePoints {
  std::vector<int> points, start;  // of each link into them, and the end
};

}  // namespace internal

/// Scratch of a cage's step.
struct CageSystem::Data {
  Data(const CageModel& model, const skeleton::Model& tree);
  const CageModel& model;
  const skeleton::Model& tree;
  CageState* state = nullptr;
  const MuscleDrive* bound = nullptr;
  MuscleDrive drive;  // what is bound, shifted by posture and person
  double h = 0;
  bool limited = false;  // a muscle has a strength
  double need = 1;       // of a command: the default man's strength over this person's
  double tone = 1;       // of the wall in this pose
  PointArray tonedLoad;  // what holds the rest state at another tone than 1
  VecX tonedLinkLoad;
  const PointArray* restLoad = &model.restLoad;  // at this tone
  const VecX* restLinkLoad = &model.restLinkLoad;

  internal::Quads position, velocity, force;  // all points
  internal::Quads gutGradient, lungGradient;  // of the two volumes
  std::vector<std::int32_t> surfacePoints;    // used by any surface, without fixed ones
  std::vector<std::int32_t> partitionPoints;  // alike, of the partition
  internal::BonePoints all, onGut, onLungs;   // which forces and which volumes act on
  std::vector<internal::FaceBytes> partition, wall, cage;  // faces in the order of inTurns
  bool placed = false;                                     // points are those of the step at hand
  bool listed = false;                                     // and the lists below
  PointArray positionList, forceList;  // for those who look at points one by one
  Vec3 gutCentre = Vec3::Zero();       // at rest
  std::array<Mat3, 2> carrierTurn;     // of chest and pelvis against rest
  std::array<Vec6, 2> carrierVelocity;
  std::array<Vec3, 2> carrierOrigin;  // reference of those velocities

  std::vector<Vec6> wrench;       // by link, about the kinematics' origin
  std::array<VecX, 2> gradients;  // of the volumes of gut and lungs, by degree of freedom
  std::array<VecX, 2> condensed;  // the same with what the particles hand on
  std::array<double, 2> gains{};  // of their pressures
  double cavityRate = 0;          // of the lungs' cavity [m^3/s]
  internal::CageTangent tangent;
  Mat3 turn = Mat3::Identity();  // of the chest since the tangent was taken, if its motion is given
  Mat3 chestNow = Mat3::Identity();
  internal::BlockCholesky::Rows rows;  // right-hand sides, then what CageTangent makes of them
  internal::BlockCholesky::Products products;  // of them
  internal::Quads carried;  // change of the particles' velocity with their carriers
  PointArray change;        // and of all
  bool carriersKnown = false;
  Vec3 gutAcceleration = Vec3::Zero();  // of the carriers at its middle, when known

  std::vector<internal::SpringQuad> springs;
  bool left = false;  // springs have left the tangent
  std::vector<double> tensions, lengths;
  TorsoReading reading;
  BallState ball;  // at the step's end

  /// The chest's turn since the tangent was taken: ties keep their directions in its frame as long
  /// as its motion is given; a chest that moves freely turns them.
  void follow() {
    turn = carriersKnown ? Mat3(chestNow * tangent.chest().transpose()) : Mat3::Identity();
  }
  bool turned() const { return turn != Mat3::Identity(); }
  /// Brings the lists up to date.
  void list();
};

namespace internal {

using CageData = CageSystem::Data;

/// Places all points and their velocities.
void placePoints(const CageState& state, const skeleton::Kinematics& kinematics, CageData& d);
/// Volumes, their gradients, the pressures, and how fast the cavity grows.
void readVolumes(const CageState& state, CageData& d);
/// Pressures of lungs and gut on their surfaces. The gut's grows along `gravity` (in the world) by
/// its weight.
void addPressures(const Vec3& gravity, const skeleton::Kinematics& kinematics, CageData& d);
/// Alveolar and pleural pressure at the end of a step in which the cavity grows by `change`.
Lungs::Alveoli endOfStep(const CageData& d, double change);
/// Middle of the gut as the pelvis carries it.
Vec3 gutPlace(const skeleton::Kinematics& kinematics, const CageData& d);
/// The springs of a cage by fours; `leastAlong` of each as in TangentLimits.
std::vector<SpringQuad> packSprings(const SpringSet& springs, std::span<const double> leastAlong);
/// Gives the springs of the wall another tone, and with it the loads that hold them at rest.
void setTone(double tone, CageData& d);
void addSprings(CageData& d);
void addPins(CageData& d);
/// What makes the viscosity of pins between bones act at one place on both, so that it turns the
/// whole no more than it pushes it.
void addPinCouples(CageData& d);
/// Loads that hold the rest state, and the drag of what lies around the gut, between particles and
/// their carriers.
void addCarriedLoads(CageData& d);
/// What the carriers' accelerations add to the velocity of each particle in a step.
void carryParticles(const skeleton::Kinematics& kinematics, std::span<const Vec6> acceleration,
                    double h, CageData& d);
/// How far the carriers' motion alone changes volume k.
double carriedProduct(const CageData& d, int k);
/// Collects forces (or gradients) at the bone points `used` into a generalised vector.
void collectLinks(const skeleton::Kinematics& kinematics, const BonePoints& used, Quads& points,
                  CageData& d, VecX& out);
/// Adds wrenches on links (about the kinematics' origin; used up) to a generalised force.
void addLinkWrenches(const skeleton::Model& tree, const skeleton::Kinematics& kinematics,
                     std::vector<Vec6>& wrench, VecX& out);

/// Right-hand sides of the particles' block: motion, gradients of gut and lungs, as seen when the
/// tangent was taken.
void gatherSides(CageData& d);
/// Change of all particles' velocities, w = A_s^-1 (b_s + U dv - sum_k phi_k s_k) and what carries
/// them, for the links' dv and the pressures' factors phi. Returns a particle whose motion is not
/// finite, or -1.
int findChange(std::span<const double> factors, const VecX& dv, CageData& d);

/// Sets the loads so that the rest state stays at rest in the neutral configuration, weight
/// included.
void balanceRest(const skeleton::Model& tree, CageModel& model);

}  // namespace internal
}  // namespace pneuma::breath
