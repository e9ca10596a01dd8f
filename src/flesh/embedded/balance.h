#pragma once

#include <cstdint>
#include <vector>

#include "pneuma/flesh/embedded/flesh_model.h"

namespace pneuma::flesh::embedded {

/// Tells which rows (free nodes) a force would move, by the stiffness of shear alone: that makes
/// little of flesh that hardly compresses, so it errs on the side of moving.
///
/// Weight is small at every node and large in its sum. Sums are seen on the coarser levels of the
/// multigrid: a force per volume f moves a patch of size H by f H^2 / mu, and there a row's force
/// has grown by 8 where its stiffness has by 2.
class Balance {
 public:
  explicit Balance(const FleshModel& model);

  /// Rows whose force would move them farther than `distance` [m]; with `sums`, those of patches
  /// whose summed force would, too.
  std::vector<std::int32_t> moved(const VecX& forces, double distance, bool sums) const;

 private:
  const FleshModel& model_;
  std::vector<std::vector<double>> stiffness_;  ///< of rows in shear, by level [N/m]
};

}  // namespace pneuma::flesh::embedded
