#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/flesh/embedded/lattice.h"

namespace pneuma::flesh::embedded {

/// Points that ride in a lattice: the skin, or surfaces of what lies in it.
///
///   x = sum_k w_k (y_k + 1/2 F_k (p - Y_k))
///
///   p at rest, in a tetrahedron with nodes at Y_k at rest and y_k now, w_k barycentric
///   F_k mean of the deformation gradients around node k, by volume of material
///
/// Departure from [Lee09, Sec. 3.3.4], whose skin is the barycentric mean of the nodes (F_k left
/// out): that has an edge wherever the skin leaves one tetrahedron, which shows as the lattice's
/// pattern on a bent arm. With the half of F_k quadratic maps are reproduced exactly, as far as F_k
/// is the gradient there: by the trapezoidal rule u(p) = u_k + 1/2 (F_k + F(p)) (p - Y_k), and
/// sum_k w_k (p - Y_k) = 0.
class Embedding {
 public:
  /// `normals` point out of the surface that the points are of and decide between copies of a cell;
  /// empty: points inside. The lattice must outlive it.
  Embedding(const Lattice& lattice, std::span<const Vec3> points, std::span<const Vec3> normals);

  /// Places for given places of all nodes.
  void apply(std::span<const Vec3> nodes, std::span<Vec3> positions);
  /// The same, to the last bit, where `positions` are those that the last call left: only points
  /// are placed anew whose flesh has moved since.
  void follow(std::span<const Vec3> nodes, std::span<Vec3> positions);
  /// How much the gradients around each point differ from one another, for the nodes last applied:
  /// their root mean square distance from F_k, evened out over about a cell. It is of the order of
  /// a cell's size over the radius in which flesh bends: where it is not small, the lattice does
  /// not resolve what happens.
  std::vector<double> roughness() const;
  std::size_t size() const { return places_.size(); }
  const LatticePlace& place(std::size_t i) const { return places_[i]; }

 private:
  std::vector<std::uint8_t> moved(std::span<const Vec3> nodes) const;
  void place(std::span<const Vec3> nodes, std::span<const std::uint8_t> moved,
             std::span<Vec3> positions);

  const Lattice& lattice_;
  std::vector<Vec3> rest_;
  std::vector<LatticePlace> places_;
  std::vector<std::int32_t> used_;   ///< nodes whose gradient is asked for
  std::vector<std::int32_t> slot_;   ///< by node: place in used_, or -1
  std::vector<std::int32_t> start_;  ///< tetrahedra around each used node
  std::vector<std::int32_t> around_;
  std::vector<Mat3> gradient_;     ///< of each used node
  std::vector<double> roughness_;  ///< of the gradients around it
  std::vector<Vec3> last_;         ///< nodes last followed
};

}  // namespace pneuma::flesh::embedded
