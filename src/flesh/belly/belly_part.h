#pragma once

#include <span>
#include <vector>

#include "flesh/belly/belly_carriers.h"
#include "pneuma/flesh/belly_system.h"

namespace pneuma::flesh::internal {

using LinkWrenches = std::vector<Vec6>;  ///< about the kinematics' origin, by the part's own links

/// What a belly looks at in one evaluation.
struct BellyView {
  const FigureBellies& bellies;  ///< aimed at the step's end
  const skeleton::Kinematics& kinematics;
  const skeleton::Model& tree;
  const BelliesState& state;
  const std::vector<Vec6>& acceleration;  ///< known, by link
  Vec3 gravity, restGravity;              ///< [m/s^2]
  double h;                               ///< [s]
};

/// One belly in the step: see BellySystem for the symbols.
struct BellyPart {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;  ///< a row per particle

  BellyPart(const FigureBellies& bellies, int index, Eigen::Index offset,
            const BodyBellyConfig& config);

  Eigen::Map<Rows> in(VecX& all) const { return {all.data() + offset, n, 3}; }
  Eigen::Map<const Rows> in(const VecX& all) const { return {all.data() + offset, n, 3}; }

  void findCarriers(const FigureBellies& bellies) { internal::findCarriers(bellies, index, rings); }
  std::span<const Carrier> carriersOf(Eigen::Index particle) const {
    return rings[ring[static_cast<std::size_t>(particle)]].all();
  }
  /// Velocities of the links at the particles.
  void carryVelocities(const skeleton::Kinematics& k, BelliesState& state) const;
  /// Which links move as they are told.
  void setKnown(std::span<const std::uint8_t> known);

  /// Forces, known carried motion, and what the links feel.
  void evaluate(const BellyView& view);
  /// (m + g + h^2 S)^-1.
  void factor(const BellyModel& model, double h);
  /// y without the links' free motion, and its reaction.
  void solve(const Vec3& origin);
  /// How y answers to the twists of links that move freely.
  void condense(const Vec3& origin);
  void addGains(const skeleton::Model& tree, const skeleton::Kinematics& k,
                const std::vector<int>& freeIndex, MatX& gains) const;
  /// The links' free motion is known: y, the change of velocity and the reaction follow.
  void answer(const std::vector<Vec6>& twist, const Vec3& origin);

  int index;
  Eigen::Index n, offset;  ///< particles; first number in the state
  double mass, stiffness, damping, endStiffness;
  std::vector<std::size_t> ring;  ///< of each particle
  std::vector<Carriers> rings;
  std::vector<int> links;       ///< all that hold the belly
  std::vector<char> freeLinks;  ///< of those: moves by itself
  bool coupled = false;         ///< one does
  LinkWrenches held, pulled;    ///< -f and g y
  Rows change;                  ///< of the velocity in this step

 private:
  std::size_t slot(int link) const;
  void pullLinks(const Vec3& origin);

  MatX inverse;
  VecX gain;                     // g by particle
  Rows x;                        // at the step's beginning
  Rows given, carried, besides;  // h f - m w_c; w_c; y
  std::vector<MatX> weights;     // by slot: w, w (x - o), a row per particle
  std::vector<MatX> answers;     // the same, m (m + g + h^2 S)^-1 times it
  VecX forces;
};

}  // namespace pneuma::flesh::internal
