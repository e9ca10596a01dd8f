#pragma once

#include <span>
#include <utility>
#include <vector>

#include "breath/cage/block_cholesky.h"
#include "pneuma/breath/cage_system.h"

namespace pneuma::breath::internal {

/// Unit directions of springs, an array per axis.
using Directions = PointArray;

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

  /// Whether springs that now point along `now` (seen turned by `turn` since the tangent was taken)
  /// with these tensions and lengths have left it: turned by more than 5 degrees, or pulling so
  /// much harder that a step could overshoot.
  bool left(const Directions& now, const Mat3& turn, std::span<const double> tension,
            std::span<const double> length) const;
  bool builtFor(const TangentPoint& at, std::span<const std::uint8_t> prescribed, double h) const;
  /// Assembles and factors; false when a number is not finite.
  bool build(const TangentPoint& at, std::span<const std::uint8_t> prescribed, double h);

  const MatX& gains() const { return gains_; }  ///< G - U^T A_s^-1 U
  void solve(std::vector<BlockCholesky::Row>& rows) { block_.solve(rows); }
  /// Finds U^T x for all right-hand sides, and adds that of one of them by degree of freedom.
  void react(const std::vector<BlockCholesky::Row>& x);
  void addReaction(int lane, VecX& out) const;
  /// A_s^-1 U dv, three entries for each particle.
  const VecX& answer(const VecX& dv);
  const Mat3& chest() const { return chest_; }  ///< orientation of the chest when it was taken

 private:
  void setFree(std::span<const std::uint8_t> prescribed);
  void place(const TangentPoint& at);
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
  std::vector<int> linkOf_;                  // of each bone point
  double lightest_ = 0;                      // particle [kg]
  std::vector<double> leastAlong_, across_;  // of springs, see CageTangent::left and build

  double h_ = 0;
  std::uint64_t stamp_ = 0;
  std::vector<std::uint8_t> prescribed_;
  std::vector<int> column_, free_;            // of each degree of freedom, or -1; and back
  std::vector<std::pair<int, int>> pattern_;  // particle, column of U
  skeleton::Kinematics kinematics_;
  PointArray points_;
  Directions direction_;
  std::vector<double> tension_;
  Mat3 chest_ = Mat3::Identity();

  BlockCholesky block_;
  MatX coupling_, answers_, gains_;  // U, A_s^-1 U, G - U^T A_s^-1 U
  std::vector<Vec3> packed_;         // U in the order of its pattern
  using Reaction = Eigen::Matrix<double, BlockCholesky::kWidth, 1>;
  std::vector<Reaction> reactions_;
  VecX change_, answer_;
  std::vector<BlockCholesky::Row> rows_;
  // How free degrees of freedom move the point at hand.
  std::vector<Vec3> motion_;
  std::vector<int> touched_;
};

}  // namespace pneuma::breath::internal
