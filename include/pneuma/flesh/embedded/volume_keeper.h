#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/types.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/flesh/embedded/carriers.h"

namespace pneuma::flesh::embedded {

/// Volumes that are kept: of each large muscle, and of all flesh but lungs.
///
/// Bulk moduli that a solver likes (62 shear moduli in the paper) let flesh between two bones lose
/// percents. Where a group g of tissue is off by more than it may, a pressure p_g in it makes up
/// for what its bulk modulus lacks: an augmented Lagrangian of
///
///   c_g(x) = V_g(x) / V_g(rest) - 1 = sum_t w_gt (J_t - 1) / V_g(rest),
///   w_gt = a_gt m_t k_g / k_t            -b_g <= c_g <= b_g
///
///   m_t material of tetrahedron t [m^3]   a_gt share of the group in it
///   k_g, k_t compliance of volume of the group's tissue, and of the mixture in t [1/Pa]
///
/// A tetrahedron of several tissues has one pressure, so each changes its volume by its own
/// compliance; that is how FleshVolumes measures, and it makes c linear in J. The energy has
/// -sum_g p_g V_g(rest) c_g more: the tetrahedron's pressure is sum_g p_g a_gt k_g / k_t, whose
/// force and second derivative are exact (material.h). The quadratic term of an augmented
/// Lagrangian is the material's own bulk modulus, so
///
///   p_g <- S(p_g - c_g / k_g, b_g / k_g),   S(x, d) = sign(x) max(|x| - d, 0):
///
/// zero in a group that keeps its volume, fading where a pose relaxes, and never more than a fifth
/// of the bulk modulus. All flesh is kept by
/// regions, what goes with each bone, for the thigh must not swell for what the hip has lost; they
/// are looked at only when the sum is off.
class VolumeKeeper {
 public:
  /// Both must outlive this. Takes no memory before a volume is off.
  VolumeKeeper(const BodyFlesh& flesh, const NodeCarriers& carriers);

  /// Whether volumes are off, or pressures stay where none is needed. Then pressures were changed
  /// and the pose is to be solved again. `volumes` are those of the nodes.
  bool adjust(const FleshVolumes& volumes, std::span<const Vec3> nodes);
  /// One per tetrahedron [Pa]; empty: none acts.
  std::span<const float> pressures() const { return pressures_; }

  /// p_g [Pa] of the large muscles, then of regions; empty: none acts. Throws InputError for
  /// another number of them.
  const std::vector<double>& multipliers() const { return multipliers_; }
  void setMultipliers(std::vector<double> multipliers);

 private:
  void findGroups();
  std::vector<double> regionChanges(std::span<const Vec3> nodes) const;
  bool adjustMuscles(const FleshVolumes& volumes);
  bool adjustRegions(double flesh, std::span<const Vec3> nodes);
  void fillPressures();
  double fleshPart(std::size_t tet) const;

  const BodyFlesh& flesh_;
  const NodeCarriers& carriers_;
  std::vector<std::int32_t> large_;    ///< muscles
  std::vector<std::uint16_t> region_;  ///< of each tetrahedron: the bone it goes with
  std::vector<double> regionVolume_, regionBulk_;
  std::vector<double> multipliers_;
  std::vector<float> pressures_;
};

}  // namespace pneuma::flesh::embedded
