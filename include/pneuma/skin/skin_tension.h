#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Skin as an elastic sheet that slides over the flesh under it: evens out what a pose driver
/// squeezes into a crease.
///
///   min over x   1/2 sum over edges w_ij |x_i - x_j - R_ij (p_i - p_j)|^2
///              + 1/2 sum over vertices A_v / l_v^2 |x_v - y_v|^2
///
///   p_v at rest, y_v = X_v p_v where the driver puts it [m]     R_ij mean of the rotations of X_i
///   w_ij cotangent weights of the rest surface [-]              and X_j
///   A_v  area of the vertex [m^2]     l_v  how far skin slides on what lies under it [m]
///
/// Each edge wants to keep its length and to turn with its surroundings, each vertex wants to stay
/// over its bone. Where a joint bends, blended motions shorten the skin of the inner side by its
/// distance from the joint times the angle, all of it where the weights change; past a certain
/// angle triangles there turn over. The sheet passes the shortening on to the skin around, over a
/// length of about l_v. For a rigid motion both terms vanish at y: nothing moves.
///
/// In u = x - y the system is (L + A / l^2) u = -r, r the edges' terms at y: linear with a constant
/// matrix, factorised once [Sorkine07 without its
/// rotation step: the drivers' rotations are smooth]. Tried and dropped: smoother rotations than
/// the drivers' own, which open no further triangle.
class SkinTension {
 public:
  /// `slide` is l_v of every vertex, > 0. Throws InputError otherwise.
  SkinTension(const TriangleMesh& rest, std::span<const double> slide);
  ~SkinTension();
  SkinTension(SkinTension&&) noexcept;

  /// Writes u_v for the driver's motions.
  void relax(std::span<const Pose> motions, std::span<Vec3> shifts);

  /// Skin that is carried by d_v at rest (breath) slides alike, and does not leave the flesh: of
  ///
  ///   (L + A / l^2) s = A / l^2 d
  ///
  /// d_v takes over what lies in the surface, d_v <- d_v + (1 - n n^T) (s_v - d_v), n_v the normal
  /// of the flesh: that of the skin at rest, spread alike, so that its relief is carried along.
  /// Ribs that pass one another thus move the skin over them together, as far as it slides; where
  /// all skin moves alike nothing changes.
  void slide(std::span<Vec3> displacements);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::skin
