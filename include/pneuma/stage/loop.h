#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

/// Recordings made into loops: cut where the body does the same again, sampled at whole frames, and
/// closed, so that the last key is the first.
namespace pneuma::stage {

/// Part of a recording that a loop shows.
struct LoopCut {
  double begin = 0, end = 0;  ///< in the recording [s]
  int cycles = 1;             ///< breaths or strides in it; 0: none, it is shown as it is
};

/// Cuts where breath begins to flow in: at a least volume, and there as late as the volume stays
/// within 2 % of the swing, so that a pause ends a breath.
///
/// A breath counts when the volume rises and falls by 15 % of the recording's whole swing, so noise
/// makes none. `breaths` = 0: as many as there are; else, among the places where so many lie in a
/// row, that with the least difference of volume between its ends. Throws InputError when there
/// are fewer whole breaths, or for times that do not rise.
LoopCut cutWholeBreaths(std::span<const double> times, std::span<const double> lungVolumes,
                        int breaths = 0);
/// The same, or all of the recording as it is when that holds no whole breath.
LoopCut cutBreathsOrAll(std::span<const double> times, std::span<const double> lungVolumes);

/// A cut on a grid of whole frames, and what a recording is there.
///
/// N = round(length * fps) intervals; key k is the recording at begin + (end - begin) k / N, so the
/// clip is stretched by less than half a frame. With u = t / T over the loop and s = (t - T + tau)
/// / tau over its last tau = 0.4 s, a value x becomes
///
///   x(t) - (3 u^2 - 2 u^3) (x(T) - x(0)) - tau (s^3 - s^2) (x'(T) - x'(0)):
///
/// value and speed at the end become those of the beginning. The gap is spread over the whole loop,
/// where nobody sees it; the speed changes within tau, because spread over many breaths it would
/// move them by tau's many times. Values between recorded frames are linear. A cut without a cycle
/// is sampled only: it has an end.
class Loop {
 public:
  /// `times` are those of the recording [s], rising; fps > 0 [1/s].
  Loop(std::span<const double> times, const LoopCut& cut, double framesPerSecond);

  const LoopCut& cut() const { return cut_; }
  std::size_t keyCount() const { return keyTimes_.size(); }
  const std::vector<double>& keyTimes() const { return keyTimes_; }  ///< from 0, closing key last
  bool closes() const { return cut_.cycles > 0; }
  double period() const { return keyTimes_.back(); }  ///< [s]
  double stretch() const { return period() / (cut_.end - cut_.begin); }

  /// Rows of `columns` numbers per recorded frame become rows per key.
  std::vector<double> closed(std::span<const double> rows, std::size_t columns) const;
  /// Poses per recorded frame become poses per key; rotations are closed along the shortest way.
  /// With `keepTravel` x and z go on where they end: the root's way over the floor.
  std::vector<Pose> closed(std::span<const Pose> poses, bool keepTravel = false) const;

  /// Recorded frames around a key: row = (1 - share) * rows[first] + share * rows[first + 1].
  struct Place {
    std::size_t first = 0;
    double share = 0;
  };
  const Place& place(std::size_t key) const { return places_[key]; }

 private:
  std::size_t recorded_, window_ = 2;
  LoopCut cut_;
  std::vector<double> keyTimes_;
  std::vector<Place> places_;
};

}  // namespace pneuma::stage
