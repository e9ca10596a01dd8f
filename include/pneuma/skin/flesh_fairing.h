#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/skin/layered_driver.h"

namespace pneuma::skin {

/// Evens a skin out where the flesh under it bends within a cell or two of its lattice.
///
///   x_v = g_v + R_v u_v        (L + A_v / l_v^2) u = A_v / l_v^2 d        d_v = R_v^T (y_v - g_v)
///   l_v = 87 mm max(0, r_v - 0.12)
///
///   y_v  where the flesh takes the vertex [m]       g_v, R_v  place and turn by a guide that knows
///                                                   no lattice: the skin of weights
///   r_v  how much gradients differ around v (flesh::embedded::Embedding::roughness), itself spread
///        over 30 mm as d is over l_v [-]
///   L, A_v  Laplacian of the skin at rest (cotangent formula), area of the vertex [m^2]
///
/// A lattice says nothing of what is smaller than its cells. In an elbow of 130 degrees cells of
/// 29 mm turn by half a right angle from one to the next, and what the skin shows there is theirs.
/// So the guide has the fine shape, and of its difference from the flesh is taken what is left
/// after it has been spread over l_v. Where the bend is mild, what that took is spread once more
/// and given back,
///
///   x_v = g_v + R_v (u_v + b_v w_v)        w is to d - u what u is to d
///   b_v = 1 to r_v = 0.2, falling to 0 at 0.6
///
/// so what is wide beside l_v (a muscle's bulge) stays. In a fold all differences are wide: there
/// the guide's shape is the better one. Then the skin gets the volume back that it had,
///
///   x_v <- x_v + lambda c_v n_v        c_v = min(1, l_v / 58 mm)
///
/// (VolumeLaw), which guides lose in joints and flesh does not. Where flesh is resolved, l_v is 0
/// and the skin is the flesh's own; the guide is not even asked if it is everywhere. Finer lattices
/// are rough in less skin, and shorter lengths follow from that; a length in proportion to cells
/// would leave their buckles.
class FleshFairing {
 public:
  /// `guide` poses the same mesh. Of `bones` those count that lie less than 5 cm under the skin.
  FleshFairing(const TriangleMesh& skin, std::unique_ptr<LayeredDriver> guide,
               std::span<const flesh::embedded::BonePoint> bones = {});

  /// `positions` are those of the flesh; `roughness` of each vertex.
  void apply(const SkinInputs& inputs, std::span<const double> roughness,
             std::span<Vec3> positions);

  std::size_t evened() const { return active_.size(); }  ///< vertices, in the last pose

 private:
  template <int N>
  using Value = Eigen::Matrix<double, N, 1>;
  void findLengths(std::span<const double> roughness);
  /// Solves (L + A / l^2) x = A / l^2 x_given for the vertices that are active.
  template <int N>
  void spread(std::vector<Value<N>>& x, double tolerance) const;
  template <int N>
  Value<N> timesMatrix(std::span<const Value<N>> x, std::size_t vertex) const;
  void cover(std::span<const Pose> bones, std::span<Vec3> positions);
  void pushAround(const SurfaceQuery::Hit& hit, const Vec3& push);

  std::vector<Vec3> rest_;
  std::vector<Triangle> triangles_;
  std::unique_ptr<LayeredDriver> guide_;
  std::vector<double> area_;
  std::vector<std::int32_t> begin_, neighbour_;  ///< of each vertex
  std::vector<double> weight_;                   ///< of each neighbour
  std::vector<double> length_;                   ///< l_v [m]
  std::vector<double> hold_;                     ///< A_v / l_v^2
  std::vector<std::int32_t> active_;             ///< vertices where l_v is not 0
  std::vector<Vec3> guided_, apart_;             ///< g_v; d_v, then what is put on
  std::vector<Value<1>> rough_;                  ///< r_v
  SurfaceQuery query_;
  std::vector<flesh::embedded::BonePoint> points_;
  std::vector<double> margin_;  ///< of skin over each of them [m]
  std::vector<Vec3> push_;      ///< of each vertex
  std::vector<double> reach_;   ///< way to each vertex along edges at rest, or -1
  std::vector<std::int32_t> front_;
};

}  // namespace pneuma::skin
