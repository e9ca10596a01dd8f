#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pneuma/io/signal.h"
#include "pneuma/muscle/muscle_model.h"

namespace pneuma::muscle {

/// Excitation of every muscle over time, from a short text:
///
///   rest               nothing
///   random             smooth, different for every muscle, between 0 and 0.3
///   0.2                the same constant for all
///   NAME=0.5,NAME=0.2  constants by line, muscle ("biceps_brachii_l") or group, the others rest
///   FILE.csv           a time column, and columns named likewise
///
/// Unknown names and values outside 0..1 are InputErrors.
class Excitation {
 public:
  Excitation(const std::string& text, const MuscleModel& muscles, std::uint64_t seed);

  /// Of the content of the file, so that a run is not resumed with another one.
  std::string hash() const;

  /// Writes the excitations at a time [s]; beyond a file's ends its first or last values hold.
  void evaluate(double time, std::vector<double>& out) const;

 private:
  void readFile(const std::string& path, const MuscleModel& muscles);
  void readPairs(const std::string& text, const MuscleModel& muscles);

  std::vector<double> constant_;
  std::vector<double> phase_, frequency_;  // of random signals
  io::Signals signals_;
  std::vector<std::vector<int>> targets_;  // muscles of each channel
};

}  // namespace pneuma::muscle
