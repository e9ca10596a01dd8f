#pragma once

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

  const MatX& gains() const { return gains_; }  ///< G - U^T A_s^-1 U
  void solve(const BlockCholesky::Rows& given, BlockCholesky::Rows& rows) {
    block_.solve(given, rows);
  }
  /// Finds U^T x for all right-hand sides, and adds that of one of them by degree of freedom.
  void react(const BlockCholesky::Rows& x);
  void addReaction(int lane, VecX& out) const;
  /// A_s^-1 U dv, three entries for each particle.
  const VecX& answer(const VecX& dv);
  const Mat3& chest() const { return chest_; }  ///< orientation of the chest when it was taken

 private:
  void setFree(std::span<const std::uint8_t> prescribed);
  void gather(int point, double weight);
  void gatherCarriers(int particle);
  void gatherLink(int link, const Vec3& position, double weight);
  void forget();
  void tie(int a, int b, const Mat3& gain, std::size_t& pair);
  void tieToLinks(int particle, const Mat3& gain);
  void addLinkGains(const Mat3& gain);
  void condense();

  const CageModel& model_;
  const skeleton::Model& tree_;
  std::vector<int> linkOf_;     // of each bone point
  std::vector<double> across_;  // of springs, see build
  TangentLimits limits_;

  double h_ = 0;
  std::uint64_t stamp_ = 0, taken_ = 0;  // of the tangent that was built, and of its points
  std::vector<std::uint8_t> prescribed_;
  std::vector<int> column_, free_;            // of each degree of freedom, or -1; and back
  std::vector<std::pair<int, int>> pattern_;  // particle, column of U
  SparseColumns columns_;                     // the same by columns
  skeleton::Kinematics kinematics_;
  PointArray points_;
  Mat3 chest_ = Mat3::Identity();

  BlockCholesky block_;
  MatX coupling_, answers_, gains_;  // U, A_s^-1 U, G - U^T A_s^-1 U
  std::vector<Vec3> packed_;         // U in the order of its pattern
  std::vector<Reaction> reactions_;
  VecX change_, answer_;
  BlockCholesky::Rows rows_;
  // How free degrees of freedom move the point at hand.
  std::vector<Vec3> motion_;
  std::vector<int> touched_;
};

}  // namespace pneuma::breath::internal
