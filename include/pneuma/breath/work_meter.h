#pragma once

#include <array>
#include <vector>

#include "pneuma/breath/cage_system.h"

/// Work and load of the muscles of breathing.
namespace pneuma::breath {

/// Work and load of the muscles over some time.
struct MuscleWork {
  std::array<double, kGroupCount> done{};  ///< active tension times shortening, both signs [J]
  std::array<double, kGroupCount> load{};  ///< greatest mean active tension over strength [-]
  double greatestLoad = 0;                 ///< of a single element over its force-length curve [-]
  double positive() const;                 ///< sum of the groups that gave work [J]
};

/// Sums up work from the lengths of the springs at successive moments:
///
///   W_g = - sum over the springs of a group, sum over time, T dl
///
///   T  active tension of Eq. 2 at the later moment [N]     dl  change of length since the earlier
class WorkMeter {
 public:
  /// `drive` acted since the last call. The first call only takes the lengths.
  void add(const SpringSet& springs, const MuscleDrive& drive, const std::vector<double>& lengths);
  const MuscleWork& work() const { return work_; }
  void clear() { work_ = {}; }

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  MuscleWork work_;
  std::vector<double> lengths_;
};

}  // namespace pneuma::breath
