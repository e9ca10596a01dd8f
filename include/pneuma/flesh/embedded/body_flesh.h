#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/embedded/flesh_model.h"
#include "pneuma/flesh/embedded/tissue.h"

/// The flesh of a body: a lattice that knows what it is made of and what moves it.
///
/// *Sampling* [Lee09, Sec. 3.3.2]. Each tetrahedron is looked at in up to 64 places, the small
/// tetrahedra of its material. A place belongs to the bone around it, else to the muscle solid
/// around it, else to lung or gut, else to fat. Reading: where muscle solids overlap, the one in
/// which the place lies deepest has it, so that shares sum to one. Departure: places are even, not
/// random, and 64 instead of 1,000 to 10,000; sheets thinner than a cell are met by chance, their
/// volume over many cells is right.
///
/// *Fibres.* A muscle's places follow its nearest line: activation and tangent of that line. Gap in
/// the paper: how lines reach volumes. A line without a solid, or whose solid gives it less than
/// half of its volume, is a tube along its path of volume PCSA times fibre length, laid over
/// what was there before (not over bone).
///
/// *Bones.* Points spread evenly over bones hold the flesh with springs, except where another bone
/// is near: joints have no flesh to hold. A bone that slides past within half a cell more would
/// drag the same cells another way, so it counts as near, too.
///
/// *Walls.* Surfaces whose motion is simulated elsewhere (diaphragm, abdominal wall) hold the flesh
/// alike.
namespace pneuma::flesh::embedded {

struct NamedSolid {
  std::string name;
  TriangleMesh mesh;  ///< closed; empty: none
};

/// The path of a muscle line at rest.
struct FleshLine {
  std::string name, muscle;  ///< muscle without side: "biceps_brachii"
  std::vector<Vec3> points;  ///< origin first, at least two [m]
  double volume = 0;         ///< PCSA times fibre length [m^3]
  /// Of the fully active line at its best length [N]; 0: its fibres are those of the law.
  double force = 0;
  double section = 0;    ///< PCSA [m^2]
  double restFibre = 0;  ///< fibre length at rest over the best one
  std::int32_t originBone = -1, insertionBone = -1;
};

/// A surface that moves the flesh around it: triangles over points given from outside.
struct FleshWall {
  std::string name;
  std::vector<Vec3> rest;  ///< [m]
  std::vector<Triangle> triangles;
};

/// All that lies under a skin, in the body frame at rest: data, wherever it comes from.
struct FleshAnatomy {
  std::vector<NamedSolid> muscles;  ///< "long_head_of_biceps_brachii_l"
  std::vector<NamedSolid> bones;    ///< by the body's numbering
  /// The bone that each is jointed to, nearer to the trunk, or -1; empty: no joints are known.
  std::vector<std::int32_t> boneParents;
  /// Motions of the bones from rest in the ends of the joints' ranges: how far bones slide past one
  /// another.
  std::vector<std::vector<Pose>> extremes;
  std::vector<FleshLine> lines;
  TriangleMesh lungs, gut;  ///< closed; empty: none
  std::vector<FleshWall> walls;
};

/// The part of a tetrahedron's material that is of one muscle.
struct MuscleShare {
  std::int32_t tet = 0, muscle = 0;
  float share = 0;
};

/// A muscle of the flesh.
struct FleshMuscle {
  std::string name;      ///< of the solid, or of the line's muscle with its side
  double described = 0;  ///< volume of the solid, or of the tubes [m^3]
  double volume = 0;     ///< what the lattice holds of it [m^3]
  int lines = 0;         ///< that pull in it
};

/// A point of a bone that holds flesh.
struct BoneAnchor {
  std::int32_t bone = 0;
  Vec3 rest = Vec3::Zero();
};
/// A point of a bone that skin must lie over (BoneCover).
struct BonePoint {
  std::int32_t bone = 0;
  Vec3 rest = Vec3::Zero();
  double stiffness = 0;  ///< with which it pushes [N/m]
};
/// A point of a wall's triangle that holds flesh.
struct WallAnchor {
  std::int32_t wall = 0, triangle = 0;
  Vec3 weights = Vec3::Zero();
};

struct BodyFlesh {
  FleshModel model;   ///< anchors: those of bones, then those of walls
  TriangleMesh skin;  ///< that it fills, at rest: what touches itself
  std::vector<std::array<float, kTissues>> shares;  ///< of each tetrahedron's material, sum 1
  std::array<double, kTissues> compliance{};        ///< 1 / kappa of each tissue [1/Pa]
  double fleshKept = 1, muscleKept = 1;             ///< as in TissueConstants
  std::vector<std::string> boneNames;
  std::vector<std::int32_t> boneParents;  ///< as in the anatomy, or -1 for all
  std::vector<BoneAnchor> boneAnchors;
  std::vector<BonePoint> bonePoints;  ///< evenly over all bones
  std::vector<WallAnchor> wallAnchors;
  std::vector<FleshWall> walls;
  std::vector<FleshMuscle> muscles;
  std::vector<MuscleShare> muscleShares;  ///< by tetrahedron
  std::vector<double> lineVolume;         ///< that each line pulls in [m^3]
  std::vector<std::uint8_t> tube;         ///< by line: it is one
  std::vector<double> lineWanted;         ///< PCSA times fibre length [m^3]

  /// Volume of each tissue at rest [m^3].
  std::array<double, kTissues> tissueVolumes() const;
  /// Material volume of a tetrahedron at rest [m^3].
  double material(std::size_t tet) const;
  /// Targets of all anchors: bones by their motion from rest, walls by their points (as many as
  /// `walls`).
  void targets(std::span<const Pose> bones, std::span<const std::span<const Vec3>> walls,
               std::vector<Vec3>& out) const;
};

/// Fills a lattice with tissue. Deterministic, same bits for any thread count.
BodyFlesh makeBodyFlesh(std::shared_ptr<const Lattice> lattice, const TriangleMesh& skin,
                        const FleshAnatomy& anatomy, const TissueConstants& constants);

/// How volumes stand in a pose, as parts of their rest. In a tetrahedron of several tissues the
/// pressure is one, so each takes part in its change of volume by its compliance: a cell that is
/// half lung widens in that half.
struct FleshVolumes {
  double flesh = 1;               ///< of all but lungs
  std::vector<double> muscles;    ///< of each of BodyFlesh::muscles
  double worst = 1;               ///< of the large muscles, farthest from 1
  std::int32_t worstMuscle = -1;  ///< which one
};
/// A muscle that counts as large has this volume [m^3].
inline constexpr double kLargeMuscle = 50e-6;
FleshVolumes measureVolumes(const BodyFlesh& flesh, std::span<const Vec3> nodes);

}  // namespace pneuma::flesh::embedded
