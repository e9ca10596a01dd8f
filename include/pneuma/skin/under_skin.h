#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Points that lie under a skin and go along with what moves it apart from its flesh:
///
///   q <- q + (1 - s(z / 30 mm)) sum_k b_k m_k
///
///   m_k  what moved the corners of the triangle nearest to q at rest [m]
///   b_k  barycentric weights of the place there that is nearest [-]
///   z    depth of q at rest [m]            s  smooth step
///
/// and that keep a third of their depth at least under the plane of that triangle. Muscles ride in
/// elements of the flesh, each in its own; where the skin over them is evened (FleshFairing), or
/// rides in another element, those that lie near it would come through.
class UnderSkin {
 public:
  /// Skin and points at rest.
  UnderSkin(const TriangleMesh& skin, std::span<const Vec3> points);

  /// `skin` as it is now, `moves` of each of its vertices, or none.
  void follow(std::span<const Vec3> skin, std::span<const Vec3> moves,
              std::span<Vec3> points) const;

 private:
  struct Tie {
    std::size_t point = 0;
    Triangle corners{};
    Vec3 weights = Vec3::Zero();  ///< sum 1
    double share = 0;             ///< 1 - s
    double depth = 0;             ///< to be kept [m]
  };
  std::size_t count_;
  std::vector<Tie> ties_;
};

}  // namespace pneuma::skin
