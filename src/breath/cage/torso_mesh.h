#pragma once

#include <array>
#include <string>
#include <vector>

#include "pneuma/breath/cage_model.h"

/// The points, surfaces and springs of a torso before they are numbered and weighed. Points ride on
/// bones, by name; which link moves a bone is the articulation's choice.
namespace pneuma::breath::internal {

enum class PointKind { Particle, Bone, Blend, Fixed };

struct PointRef {
  PointKind kind = PointKind::Fixed;
  int index = 0;
};

struct BonePoint {
  std::string bone;
  Vec3 position = Vec3::Zero();
};

struct BlendSpec {
  std::vector<std::pair<int, double>> parts;  ///< bone point, weight
};

/// Springs of a group that have gains of their own.
enum class SpringPart { Plain, Tendon, Oblique };

struct SpringSpec {
  PointRef a, b;
  MuscleGroup group = MuscleGroup::Cartilage;
  int channel = channel::kPassive;
  double width = 0;  ///< it stands for [m]
  SpringPart part = SpringPart::Plain;
};

/// A cartilage: the end of a rib and the same place on the bone in front; its length, how far that
/// end is from the rib's head (0: the joint there does not give way for it), and its section [m].
struct CartilageSpec {
  PointRef rib, front;
  double length = 0, reach = 0;
  double wide = 0.014, thick = 0.010;
};

using TrianglePoints = std::array<PointRef, 3>;

/// Grids of the mesh: index = ring * columns + column.
struct TorsoMesh {
  int columns = 0;  ///< around, 0 front, columns / 4 left
  int rings = 0;    ///< cells of a meridian of the dome
  int rows = 0;     ///< cells of a column of the wall

  std::vector<Vec3> particles;
  std::vector<BonePoint> bonePoints;
  std::vector<BlendSpec> blends;
  std::vector<Vec3> fixed;

  std::vector<PointRef> rim;   ///< columns
  std::vector<PointRef> dome;  ///< (rings) x columns; ring 0 is the rim
  PointRef apex;
  std::vector<PointRef> wall;  ///< (rows + 1) x columns; row 0 is the rim, the last is fixed
  std::vector<TrianglePoints> domeFaces, wallFaces, cageFaces;
  std::vector<TrianglePoints> partitionFaces;  ///< between gut and lungs, see addApposition
  std::vector<SpringSpec> springs;
  std::vector<std::pair<PointRef, PointRef>> rimPins;  ///< rim particle, point it hangs on
  std::vector<CartilageSpec> cartilagePins;
  std::vector<CartilageSpec> sternumArch;                 ///< what pushes the sternum forward
  std::vector<std::pair<PointRef, PointRef>> groundPins;  ///< point of the spine, fixed point
  std::array<std::vector<PointRef>, 3> girths;
  PointRef sternumMid, xiphoid;

  /// The lower ribs of each side that the diaphragm lies on: their inside, facing out, and its
  /// border above and behind, from the rim in front to the rim behind.
  struct Apposed {
    std::vector<TrianglePoints> faces;
    std::vector<PointRef> border;
    int front = 0, back = 0;  ///< columns of the rim between which it lies, counted on its side
  };
  std::array<Apposed, 2> apposed;

  Vec3 position(PointRef p) const;
  PointRef addParticle(const Vec3& p);
  PointRef addBonePoint(const std::string& bone, const Vec3& p);
  PointRef addFixed(const Vec3& p);
  void addSpring(PointRef a, PointRef b, MuscleGroup group, int channel, double width,
                 SpringPart part = SpringPart::Plain);
};

using anatomy::alongLine;
using anatomy::azimuthOf;
using anatomy::domePoint;
using anatomy::domeTop;
using anatomy::innerPoint;
using anatomy::kHalfColumns;
using anatomy::lineLength;
using anatomy::spinePoint;
using anatomy::sternumPoint;

/// How much stiffer joints and cartilages of the ribs are than at 30 years.
double cageStiffening(double age);

std::string ribBone(int level, int side);  ///< "rib_05_l"
std::string thoracicBone(int level);       ///< "vertebra_t05"
inline const std::string kSternumBone = "body_of_sternum";
/// The vertebra at that height, or the sacrum below them.
std::string columnBone(const TorsoAnatomy& anatomy, double height);

/// Mirror image for side 1.
inline Vec3 onSide(const Vec3& p, int side) {
  return side == 0 ? p : Vec3(-p.x(), p.y(), p.z());
}

double distance(const TorsoMesh& mesh, PointRef a, PointRef b);
/// Two triangles of a cell, cut along mirrored diagonals on the two sides; one triangle at a pole.
void addFaces(PointRef a, PointRef b, PointRef aIn, PointRef bIn, bool left, bool pole,
              std::vector<TrianglePoints>& faces);
/// Both diagonals of the cell a b over c d.
void addLiner(TorsoMesh& mesh, PointRef a, PointRef b, PointRef c, PointRef d);

// Steps of the construction, in this order.
void addRim(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh);
void addDome(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh);
void addWall(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh);
void addCage(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh);
/// The dome where it is free, and the inside of the ribs where it lies on them.
void addApposition(const TorsoConfig& config, TorsoMesh& mesh);
void addRibMuscles(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh);

TorsoMesh makeTorsoMesh(const TorsoAnatomy& anatomy, const TorsoConfig& config);

}  // namespace pneuma::breath::internal
