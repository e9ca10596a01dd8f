#pragma once

#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// The shape of a bone as few measured parameters, and the surface generated from them.
///
/// All coordinates are in the body frame at rest (design: +Y up, +Z front, +X left) [m].
namespace pneuma::anatomy {

/// How a part combines with the parts before it in the list.
enum class ShapeOperation { Add, Subtract };

/// A cross-section of a sweep: an ellipse across the centreline. `radiusA` lies along the sweep's
/// reference direction made perpendicular to the line, `radiusB` across it.
struct SweepSection {
  Vec3 center = Vec3::Zero();
  double radiusA = 0;             ///< [m], > 0
  double radiusB = 0;             ///< [m], > 0
  Vec3 reference = Vec3::Zero();  ///< direction of radiusA; zero: carried along without twist
};

enum class ShapeKind {
  Sweep,      ///< smooth tube through `sections`, rounded ends
  Ellipsoid,  ///< `center`, `radii`, `rotation`
  Plate,      ///< curved plate: a grid of points (rows x columns) with a thickness at each
  Profile     ///< stack of closed contours along an axis, each a short Fourier series of its radius
};

/// One contour of a Profile: r(phi) = r0 + sum_k (c_k cos k phi + s_k sin k phi), around `center`,
/// in the plane spanned by the part's rotation columns 0 and 1.
struct ProfileSection {
  Vec3 center = Vec3::Zero();
  double meanRadius = 0;             ///< r0 [m]
  std::vector<double> cosine, sine;  ///< c_k, s_k for k = 1.. [m]
};

/// One building block. Only the fields of its kind are used.
struct ShapePart {
  ShapeKind kind = ShapeKind::Sweep;
  ShapeOperation operation = ShapeOperation::Add;
  double blend = 0.002;  ///< radius of the smooth union or cut with what came before [m], >= 0
  std::vector<SweepSection> sections;                // Sweep
  Vec3 center = Vec3::Zero(), radii = Vec3::Zero();  // Ellipsoid
  Mat3 rotation = Mat3::Identity();                  // Ellipsoid, Profile
  int rows = 0, columns = 0;                         // Plate
  std::vector<Vec3> grid;                            // Plate, row by row
  std::vector<double> thickness;                     // Plate, full thickness [m]
  std::vector<ProfileSection> contours;              // Profile
};

/// A bone's shape: parts combined in order.
struct BoneShape {
  std::vector<ShapePart> parts;
};

/// The closed surface of a shape, from a level set of cell size `resolution` [m]. Deterministic.
TriangleMesh makeBoneMesh(const BoneShape& shape, double resolution);

/// The same shape on the other side: reflected in x = 0.
BoneShape mirrored(const BoneShape& shape);

}  // namespace pneuma::anatomy
