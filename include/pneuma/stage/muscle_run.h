#pragma once

#include "pneuma/io/run_folder.h"
#include "pneuma/stage/muscle_scene.h"

namespace pneuma::stage {

/// What a simulation cost.
struct RunCost {
  double simulated = 0;  ///< [s], without what a checkpoint already held
  double cpu = 0;        ///< [s]
  double realTimeFactor() const { return cpu > 0 ? simulated / cpu : 0.0; }
};

/// A continuum muscle simulated frame by frame, with checkpoints, and its results.
class MuscleRun {
 public:
  /// Throws InputError when more frames are asked for than memory holds.
  MuscleRun(const MuscleSettings& settings, const anatomy::Body* armBody);
  ~MuscleRun();

  const MuscleScene& scene() const { return scene_; }
  const GridFilm& film() const { return film_; }
  double stepSize() const;

  /// From the run's last checkpoint, if there is one, to the end.
  RunCost simulate(io::RunFolder& run, Progress& progress);
  /// muscle.csv, muscle.glb, muscle.svg, muscle.png and, with `video`, muscle.mp4.
  void writeResults(const io::RunFolder& run, bool video, Progress& progress);

 private:
  class FrameStepper;
  void save(std::uint64_t frame, const flesh::GridState& state, io::RunFolder& run) const;
  void restore(const std::string& bytes, flesh::GridState& state);
  render::Image still() const;

  MuscleSettings settings_;
  MuscleScene scene_;
  std::unique_ptr<FrameStepper> stepper_;
  GridFilm film_;
};

}  // namespace pneuma::stage
