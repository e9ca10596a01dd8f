#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// The shape of a bone as few measured parameters, and the surface generated from them.
///
/// All coordinates are in the body frame at rest (design: +Y up, +Z front, +X left) [m].
/// Each field names its spelling in body text, where parts are the rows of `part = [{...}, ...]`
/// (or `[[bone.part]]` tables); fields left out keep the defaults below.
namespace pneuma::anatomy {

/// How a part combines with the parts before it in the list. Text: operation = "add" | "subtract".
enum class ShapeOperation { Add, Subtract };

/// A cross-section of a sweep: an ellipse across the centreline. `radiusA` lies along the sweep's
/// reference direction made perpendicular to the line, `radiusB` across it.
/// Text: sections = [[x, y, z, radiusA, radiusB, refX, refY, refZ], ...]; the reference may be left
/// out.
struct SweepSection {
  Vec3 center = Vec3::Zero();
  double radiusA = 0;             ///< [m], > 0
  double radiusB = 0;             ///< [m], > 0
  Vec3 reference = Vec3::Zero();  ///< direction of radiusA; zero: carried along without twist
};

/// Text: kind = "sweep" | "ellipsoid" | "plate" | "profile".
enum class ShapeKind {
  Sweep,      ///< smooth tube through `sections`; ends close half a radius beyond the last section
  Ellipsoid,  ///< `center`, `radii`, `rotation`, `bend`
  Plate,      ///< curved plate: a grid of points (rows x columns) with a thickness at each
  Profile     ///< stack of closed contours along an axis, each a short Fourier series of its radius
};

/// One contour of a Profile: r(phi) = r0 + sum_k (c_k cos k phi + s_k sin k phi), around `center`,
/// in the plane spanned by the part's rotation columns 0 and 1; contours are ordered along
/// column 2. Text: contours = [[x, y, z, r0, c1, s1, c2, s2, ...], ...].
struct ProfileSection {
  Vec3 center = Vec3::Zero();
  double meanRadius = 0;             ///< r0 [m]
  std::vector<double> cosine, sine;  ///< c_k, s_k for k = 1.. [m], equally many
};

/// One building block. Only the fields of its kind are used.
struct ShapePart {
  ShapeKind kind = ShapeKind::Sweep;
  ShapeOperation operation = ShapeOperation::Add;
  double blend = 0.002;  ///< radius of the smooth union or cut with what came before [m], >= 0
  std::vector<SweepSection> sections;                // Sweep, at least 2
  Vec3 center = Vec3::Zero(), radii = Vec3::Zero();  // Ellipsoid
  /// Ellipsoid, Profile. Text: rotation = [x, y, z], a rotation vector (axis times angle) [rad].
  Mat3 rotation = Mat3::Identity();
  /// Ellipsoid: curvature of its middle surface [1/m]; local z is raised by
  /// (bend_x x^2 + bend_y y^2) / 2 + bend_z x y. Makes curved plates and arches.
  Vec3 bend = Vec3::Zero();
  int rows = 0, columns = 0;             // Plate
  std::vector<Vec3> grid;                // Plate, row by row; text: grid = [[x, y, z, t], ...]
  std::vector<double> thickness;         // Plate, full thickness t [m]
  std::vector<ProfileSection> contours;  // Profile
  /// Fields this version does not know, kept as TOML text and written back.
  std::map<std::string, std::string> unknownFields = {};
};

/// A bone's shape: parts combined in order.
struct BoneShape {
  /// The parts describe the half x >= 0; the other half is its mirror image. Text: symmetric =
  /// true.
  bool symmetric = false;
  std::vector<ShapePart> parts;
};

/// The closed surface of a shape, from a level set of cell size `resolution` [m]. Deterministic.
/// Throws InputError for a part whose fields do not describe a body (fewer than two sections,
/// a radius <= 0, a grid that does not match rows x columns, a non-finite number).
TriangleMesh makeBoneMesh(const BoneShape& shape, double resolution);

/// The same shape on the other side: reflected in x = 0.
BoneShape mirrored(const BoneShape& shape);

/// Digest of all that determines the surface (key of the geometry cache).
std::uint64_t contentHash(const BoneShape& shape);

}  // namespace pneuma::anatomy
