#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "breath/cage/block_cholesky.h"
#include "pneuma/breath/cage_system.h"

namespace pneuma::breath::internal {

/// Where springs were when the tangent was taken, and how far they may leave that before it is
/// taken anew: turned by more than 5 degrees, or pulling so much harder that a step could
/// overshoot.
struct TangentLimits {
  PointArray direction;
  std::vector<double> tension;     ///< a little more than it was [N]
  std::vector<double> leastAlong;  ///< squared cosine to that direction
  double lightest = 0;             ///< particle [kg]

  /// Transverse vibration of a string of masses m stays stable in explicit steps while
  /// h^2 (T - 2 T0) / l < m / 2 (eight neighbours), with T0 what the gains hold.
  double slack(double h) const { return 0.5 * lightest / (h * h); }
};

/// What the ties of a cage (springs, pins, drag) answer to a change of velocity, linearised at one
/// configuration: the blocks A_s, U and G of skeleton::Subsystem. A spring of tension T and length
/// l along n gives
///
///   (h d + h^2/2 k) n n^T + h^2/2 T/l (I - n n^T)
///
/// and nothing in other directions: what a tie does not resist, it must not weigh down.
class CageTangent {
 public:
  CageTangent(const CageModel& model, const skeleton::Model& tree);

  /// Places points and springs where the tangent is to be taken; build() follows when it is needed.
  void take(const TangentPoint& at);
  const TangentLimits& limits() const { return limits_; }
  bool builtFor(const TangentPoint& at, std::span<const std::uint8_t> prescribed, double h) const;
  /// Assembles and factors; false when a number is not finite.
  bool build(const TangentPoint& at, std::span<const std::uint8_t> prescribed, double h);

  /// Adds G - U^T A_s^-1 U, by degree of freedom that is not prescribed.
  void addGains(MatX& out) const;
  /// Of each particle in the order in which rows and vectors below have them.
  const std::vector<int>& places() const { return block_.places(); }
  /// y = L^-1 b of A_s = L L^T, in place, for all right-hand sides; finds U^T A_s^-1 b besides.
  void solve(BlockCholesky::Rows& rows);
  /// Adds U^T A_s^-1 b of one of them by degree of freedom.
  void addReaction(int side, VecX& out) const;
  /// A_s^-1 (U dv + sum_k weights_k b_k), with b_k as solved.
  const Quads& answer(const BlockCholesky::Rows& rows, const VecX& dv,
                      const std::array<double, 3>& weights);
  const Mat3& chest() const { return chest_; }  ///< orientation of the chest when it was taken

 private:
  void setFree(std::span<const std::uint8_t> prescribed);
  void sortColumns();
  template <class Visit>
  void forEachTie(const Visit& visit) const;
  void gather(int point, double weight);
  void gatherCarriers(int particle);
  void gatherLink(int link, const Vec3& position, double weight);
  void forget();
  void tie(int a, int b, const Mat3& gain, std::size_t& pair);
  void tieToLinks(int particle, const Mat3& gain);
  void addLinkGains(const Mat3& gain);
  void condense();
  void leaveOutZeros();
  double activeStiffness(std::size_t spring, double length) const;

  const CageModel& model_;
  const skeleton::Model& tree_;
  std::vector<int> linkOf_;     // of each bone point
  std::vector<double> across_;  // of springs, see build
  TangentLimits limits_;

  double h_ = 0;
  std::uint64_t stamp_ = 0, taken_ = 0;  // of the tangent that was built, and of its points
  std::vector<std::uint8_t> prescribed_;
  // Columns of U and G: those that hold particles come first. Of each degree of freedom, or -1; and
  // back; and the number among those that are free.
  std::vector<int> column_, free_, rank_;
  std::size_t holding_ = 0;  // columns that hold particles
  skeleton::Kinematics kinematics_;
  PointArray points_;
  Mat3 chest_ = Mat3::Identity();

  /// L^-1 U without what is zero: of each particle, in the order of elimination, those registers of
  /// columns that links couple to it or to what was eliminated before it. A rib's are few.
  struct Sparse {
    std::vector<std::int32_t> start, place;  // of a particle's registers; which column's
    Quads rows;                              // three of each register, one for each axis
  };

  // L^-1 U has a row for each axis of a particle and whole registers of columns.
  BlockCholesky block_;
  MatX coupling_, gains_;  // U, G - U^T A_s^-1 U
  Quads reduced_;
  std::size_t registers_ = 0;  // of a row of it: of columns that hold particles
  Sparse sparse_;
  Quads change_, answer_;
  Quads reactions_;  // registers of all right-hand sides, side by side
  BlockCholesky::Rows rows_;
  // How free degrees of freedom move the point at hand.
  std::vector<Vec3> motion_;
  std::vector<std::uint8_t> moves_;
  std::vector<int> touched_;
};

}  // namespace pneuma::breath::internal
