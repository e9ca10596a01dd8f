#pragma once

#include <span>
#include <vector>

#include "pneuma/flesh/sealed_link_system.h"

namespace pneuma::flesh::internal {

/// One sealed body in the step: see SealedLinkSystem for the symbols.
class SealedPart {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;  ///< a row per vertex
  using Wrenches = std::vector<Vec6>;  ///< about the kinematics' origin, by the part's own links

  /// Its numbers in the state begin at `offset`.
  SealedPart(const SealedBodyPlan& plan, const skeleton::Model& tree, Eigen::Index offset);

  const SealedBodyPlan& plan() const { return plan_; }
  Eigen::Index size() const { return n_; }
  Eigen::Map<Rows> in(VecX& all) const { return {all.data() + offset_, n_, 3}; }
  Eigen::Map<const Rows> in(const VecX& all) const { return {all.data() + offset_, n_, 3}; }
  double vertexMass() const { return mass_; }
  double restVolume() const { return law_.restVolume; }
  /// Where its link carries a vertex.
  Vec3 carriedPlace(const skeleton::Kinematics& k, Eigen::Index vertex) const;
  double volumeOf(const SealedState& state) const;

  void setKnown(std::span<const std::uint8_t> known);
  /// Forces, pressure and the known change of the anchors' links.
  void evaluate(const skeleton::Kinematics& k, const SealedState& state,
                const std::vector<Vec6>& acceleration, const Vec3& gravity, double h);
  void factor(double h);  ///< (m + g_s S + g)^-1
  void condense(const Vec3& origin);
  void addGains(const skeleton::Model& tree, const skeleton::Kinematics& k,
                const std::vector<int>& freeIndex, MatX& gains) const;
  void solve(const Vec3& origin);
  /// w for the links' twists and the factor of its pressure.
  void answer(const std::vector<Vec6>& twist, double factor);
  bool finite() const { return change_.allFinite(); }
  void advance(SealedState& state, double h) const;
  double elasticEnergy(const skeleton::Kinematics& k) const;

  const std::vector<int>& links() const { return links_; }
  bool coupled() const { return coupled_; }
  const Wrenches& held() const { return held_; }        ///< reactions of the ties
  const Wrenches& pulled() const { return pulled_; }    ///< what the gains add within the step
  const Wrenches& pressed() const { return pressed_; }  ///< U^T A_s^-1 s
  double pressureGain() const { return pressureGain_; }
  double gradientOfMotion() const { return gradientOfMotion_; }
  double gradientOfGradient() const { return gradientOfGradient_; }

 private:
  /// Six right-hand sides: motion and gradient, three axes each.
  using Sides = Eigen::Matrix<double, Eigen::Dynamic, 6>;

  template <class Visit>
  void forEachAnchor(const Visit& visit) const {
    for (std::size_t a = 0; a < anchors_.size(); ++a) visit(anchors_[a], slots_[a]);
  }

  SealedBodyPlan plan_;
  Eigen::Index n_, offset_;
  SealedSurface surface_;
  PressureLaw law_;
  double mass_ = 0;
  std::vector<Vec3> local_;  // places at rest in the carriers' frames
  std::vector<Eigen::Index> anchors_;
  std::vector<std::size_t> slots_;  // of the anchors' links
  std::vector<int> links_;          // that it is tied to
  std::vector<char> free_;          // of those: moves by itself
  bool coupled_ = false;            // one does
  Wrenches held_, pulled_, pressed_;
  double tieGain_ = 0, pressureGain_ = 0, gradientOfMotion_ = 0, gradientOfGradient_ = 0;
  MatX inverse_;
  Rows x_, known_, change_;  // at the step's beginning; known change of u; w
  Sides sides_, solved_;
  std::vector<MatX> weights_;  // by slot: 1 and x - o of its anchors, a row per vertex
  std::vector<MatX> answers_;  // g (m + g_s S + g)^-1 times it
};

}  // namespace pneuma::flesh::internal
