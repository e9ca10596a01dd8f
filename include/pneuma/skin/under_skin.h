#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Points that lie under a skin and go along with what moves it apart from its flesh:
///
///   q <- q + (1 - s(z / 30 mm)) sum_k b_k m_k
///
///   m_k  what moved the corners of the triangle nearest to q at rest [m]    b_k  barycentric
///   weights z    depth of q at rest [m]                                             s    smooth
///   step
///
/// Muscles ride in elements of the flesh; where the skin over them is evened (FleshFairing), those
/// that lie near it would come through.
class UnderSkin {
 public:
  /// Skin and points at rest.
  UnderSkin(const TriangleMesh& skin, std::span<const Vec3> points);

  /// `moves` of each vertex of the skin; none if empty.
  void follow(std::span<const Vec3> moves, std::span<Vec3> points) const;

 private:
  struct Tie {
    std::size_t point = 0;
    Triangle corners{};
    Vec3 weights = Vec3::Zero();  ///< sum: 1 - s
  };
  std::size_t count_;
  std::vector<Tie> ties_;
};

}  // namespace pneuma::skin
