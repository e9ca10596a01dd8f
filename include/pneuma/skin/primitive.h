#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::skin {

/// An ellipsoid in the world: x = center + rotation * diag(radii) * y, |y| = 1.
struct Ellipsoid {
  Vec3 center = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  Vec3 radii = Vec3::Ones();

  /// Distance from the centre in units of the half axes: 1 on the surface.
  double scaledDistance(const Vec3& p) const {
    return (rotation.transpose() * (p - center)).cwiseQuotient(radii).norm();
  }
};

/// Density of a blending primitive at scaled distance s: (1 - (s/R)^2)^2 for s < R, else 0, with
/// R = kBlendReach, scaled so that it is 1 at s = 1. [Nedel00, Sec. 6.1: "isosurfaces with
/// ellipsoidal density distribution"]
///
/// Reading: the paper does not give the density. This one is smooth, has a finite reach, and leaves
/// a single primitive the ellipsoid that it describes (primitive_test,
/// ASingleBlendingOneIsItsEllipsoid).
inline constexpr double kBlendReach = 1.5;
double blendDensity(double scaledDistance);

/// Outermost point of a ray on a solid ellipsoid: the distance along it, if any within `reach` [m].
std::optional<double> castUnblended(const Ellipsoid& ellipsoid, const Vec3& origin,
                                    const Vec3& direction, double reach);
/// The same on the isosurface "sum of densities = 1" of several.
std::optional<double> castBlended(std::span<const Ellipsoid> ellipsoids, const Vec3& origin,
                                  const Vec3& direction, double reach);

/// The primitives of a body, following its skeleton. Each moves rigidly with its bone; a deformable
/// one also changes with a joint's angle between three states: at the lower limit, at rest, at the
/// upper limit, interpolated linearly. [Nedel00, Sec. 6.1] Under an articulation without that
/// freedom it keeps its shape at rest.
class PrimitiveSet {
 public:
  PrimitiveSet(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
               const skeleton::Model& model);

  int count() const { return static_cast<int>(parts_.size()); }
  const std::string& name(int i) const { return parts_[static_cast<std::size_t>(i)].name; }
  const Ellipsoid& ellipsoid(int i) const { return now_[static_cast<std::size_t>(i)]; }
  bool blends(int i) const { return parts_[static_cast<std::size_t>(i)].blend; }
  /// Indices into Body::skinGroups.
  const std::vector<int>& groups(int i) const { return parts_[static_cast<std::size_t>(i)].groups; }

  void follow(const VecX& q, const skeleton::Kinematics& kinematics);
  /// Writes the entries of q that `follow` reads, as the poses of the links give them: the turn of
  /// a link against its parent about the freedom's axis.
  void readAngles(const skeleton::Kinematics& kinematics, VecX& q) const;

 private:
  struct Part {
    std::string name;
    std::vector<int> groups;
    bool blend = true;
    int link = 0;               // in the model
    Vec3 offset;                // of the link's frame at rest
    Ellipsoid rest;             // body frame at rest
    int position = -1;          // of the freedom in q; -1: not deformable
    int child = 0, parent = 0;  // links that the freedom joins
    Vec3 axis = Vec3::UnitX();
    double lower = 0, upper = 0;
    anatomy::SkinPrimitiveState lowest, highest;
  };
  std::vector<Part> parts_;
  std::vector<Ellipsoid> now_;
};

}  // namespace pneuma::skin
