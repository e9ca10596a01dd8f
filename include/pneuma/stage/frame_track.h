#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "pneuma/body/frame.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::stage {

/// The one recorder: frames of a run at the rate of its results, in the checkpoint of the run.
///
/// Poses and scalars are kept as they are, since tables promise full precision; points as 32-bit
/// floats, 0.1 micrometres at a metre, which halves what a skin costs. With `keepSeconds` only the
/// last ones stay, so that a run of an hour needs no more memory than one of a minute.
class FrameTrack {
 public:
  explicit FrameTrack(body::FrameLayout layout,
                      double keepSeconds = std::numeric_limits<double>::infinity());

  const body::FrameLayout& layout() const { return layout_; }
  void add(const body::Frame& frame);

  std::size_t size() const { return stored_.size(); }
  bool empty() const { return stored_.empty(); }
  double time(std::size_t i) const { return stored_[i].time; }
  double scalar(std::size_t i, int index) const {
    return stored_[i].scalars[static_cast<std::size_t>(index)];
  }
  /// One frame, expanded.
  body::Frame at(std::size_t i) const;
  void get(std::size_t i, body::Frame& frame) const;
  std::vector<double> times() const;
  /// One scalar over all frames.
  std::vector<double> series(int index) const;

  void save(io::StateWriter& out) const;
  /// Throws InputError when the frames are those of another layout.
  void load(io::StateReader& in);

 private:
  struct Stored {
    double time = 0;
    std::vector<Pose> poses;
    std::vector<float> points;
    std::vector<double> scalars;
  };
  body::FrameLayout layout_;
  double keepSeconds_;
  std::deque<Stored> stored_;
};

/// Some frames of a track, in order: what a file, a film or a picture shows.
class Clip {
 public:
  Clip(const FrameTrack& track, std::vector<std::size_t> frames)
      : track_(&track), frames_(std::move(frames)) {}
  /// All frames.
  explicit Clip(const FrameTrack& track);
  /// The last ones that span at most that long [s].
  static Clip last(const FrameTrack& track, double seconds);
  /// Every `stride`-th frame from `first` on.
  Clip every(std::size_t stride, std::size_t first = 0) const;

  const FrameTrack& track() const { return *track_; }
  const body::FrameLayout& layout() const { return track_->layout(); }
  std::size_t size() const { return frames_.size(); }
  double time(std::size_t k) const { return track_->time(frames_[k]); }
  double scalar(std::size_t k, int index) const { return track_->scalar(frames_[k], index); }
  body::Frame operator[](std::size_t k) const { return track_->at(frames_[k]); }
  /// Times since the first frame [s].
  std::vector<double> times() const;
  /// Mean rate [1/s]; 0 for a single frame.
  double framesPerSecond() const;

 private:
  const FrameTrack* track_;
  std::vector<std::size_t> frames_;
};

}  // namespace pneuma::stage
