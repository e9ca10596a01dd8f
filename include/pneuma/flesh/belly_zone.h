#pragma once

#include <span>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/flesh/belly.h"

/// Zonal constraints: regions of a belly that keep their place on a bone or on another belly's
/// surface. [Nedel00, Sec. 4.3]
///
/// "With the whole body in the rest position, the user defines the regions of the muscle that are
/// in contact with another organ, bone, etc."; what follows is the conservation of the link between
/// each particle of the region and the other surface, by an induced force.
namespace pneuma::flesh {

/// A place on a belly's surface: a point of one of its triangles and what stands off from there,
/// in the triangle's own axes, so that it turns with the surface.
struct SurfacePlace {
  Triangle triangle{};
  std::array<double, 3> weights{};  ///< barycentric
  Vec3 offset = Vec3::Zero();       ///< along edge, across, normal [m]
};

/// The place of a world point with respect to the nearest triangle of a belly as it is now.
SurfacePlace findPlace(const Belly& on, const Vec3& point);
/// Where a place is now, and how far it stands off the surface there.
Vec3 pointOf(const SurfacePlace& place, const Belly& on);
Vec3 offsetOf(const SurfacePlace& place, const Belly& on);

/// The particles of a zone at rest: within its part of the length, and within its width around the
/// side of every ring that comes nearest to `facing`.
std::vector<int> zoneParticles(const Belly& belly, const anatomy::BellyZone& zone,
                               std::span<const Vec3> facing);

/// Ties between the surfaces of two bellies. Both give way: a goal of either belly pulls with the
/// same stiffness towards where the other one is, so that the forces are equal and opposite.
class BellyTie {
 public:
  /// Ties the particles of `belly` to the nearest places on `other`, as both are now; both should
  /// have a goal stiffness.
  BellyTie(Belly& belly, Belly& other, std::span<const int> particles);

  /// Renews the goals of both after one has moved.
  void update(Belly& belly, Belly& other) const;

 private:
  std::size_t first_, firstOfOther_;  // goals
  std::vector<int> particles_;
  std::vector<SurfacePlace> places_;
};

}  // namespace pneuma::flesh
