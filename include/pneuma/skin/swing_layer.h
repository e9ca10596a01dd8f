#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Skin over muscles that swing: what points under it do besides being carried along, as a smooth
/// displacement of the rest pose.
///
///   e_v = a_v R_v^T sum_i k_vi u_i          k_vi a Gaussian of the distance at rest, sum 1
///   (L + A / l^2) s = A / l^2 e             evened out over l, as a sheet does (skin_tension.h)
///   d_v = s_v / sqrt(1 + |s_v|^2 / b^2)     bounded by b
///   then along the normals, by a_v, until the volume inside the skin is that of rest
///
///   u_i  swing of point i in the world, R_v rotation of the vertex's motion
///   a_v  1 over a muscle that lies near, 0 where none does; points outside the skin do not count,
///        so one thigh does not move the other
class SwingLayer {
 public:
  /// `points` at rest [m]. Throws InputError when none of them lies under the skin.
  SwingLayer(const TriangleMesh& rest, std::span<const Vec3> points);
  ~SwingLayer();

  std::size_t pointCount() const;
  const std::vector<double>& share() const;  ///< a_v, 0 .. 1
  /// Adds d_v. `motions` of all vertices; `swings` one for each point. No allocation.
  void displace(std::span<const Vec3> swings, std::span<const Pose> motions,
                std::span<Vec3> displacements);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::skin
