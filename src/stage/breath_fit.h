#pragma once

#include <string>

#include "stage/breath_regions.h"

namespace pneuma::stage::internal {

/// Targets and weights in turns (see makeBreathLoop) for some frames of a recording.
class BreathFit {
 public:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  struct Settings {
    double tolerance = 2e-4;    ///< [m]
    bool mayBeNegative = true;  ///< whether weights may
  };

  /// `fitted` are the frames that targets are fitted to; the others can be asked for afterwards.
  BreathFit(std::span<const std::vector<Vec3>> frames, std::vector<Vec3> base,
            std::vector<std::size_t> fitted, std::vector<Membership> memberships,
            const Settings& settings);

  /// Each adds a target with first weights; `solve` makes all of them fit.
  void addRegion(const std::string& name, BreathRegion region);
  /// `shares`: first weights, one per frame of the recording.
  void addSignal(const std::string& name, const std::vector<double>& shares);
  /// A last target, from what the others leave, which stay as they are; false when that is nothing.
  bool addDetail(const std::string& name);
  void solve();
  /// Drops targets that move nothing.
  void finish();

  std::size_t targetCount() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::vector<Vec3> target(std::size_t k) const;
  /// Weights of the targets in frames of the recording, one row for each frame.
  RowMatrix weights(std::span<const std::size_t> frames) const;
  /// Largest and root-mean-square distance over frames and vertices that move [m].
  struct Error {
    double largest = 0, mean = 0;
  };
  Error error(std::span<const std::size_t> frames) const;

 private:
  RowMatrix displacements(std::span<const std::size_t> frames) const;
  RowMatrix bestWeights(const RowMatrix& displacements) const;
  void fitTargets();
  /// How freely target k moves vertex v.
  double membership(Eigen::Index k, std::size_t v) const;
  /// How much each target is held back there; the first of the regions not at all.
  VecX penalties(std::size_t v) const;

  std::span<const std::vector<Vec3>> frames_;
  std::vector<Vec3> base_;
  std::vector<std::size_t> fitted_;
  std::vector<Membership> memberships_;
  Settings settings_;
  std::vector<bool> moves_;  // which vertices move by more than the tolerance
  RowMatrix d_;              // displacements: fitted frames x 3 vertices
  std::vector<std::string> names_;
  std::vector<int> regions_;  // of each target, -1: none
  RowMatrix targets_;         // targets x 3 vertices
  RowMatrix weights_;         // fitted frames x targets
};

}  // namespace pneuma::stage::internal
