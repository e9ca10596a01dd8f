#pragma once

#include "pneuma/anatomy/compile.h"
#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/excitation.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/recorder.h"

namespace pneuma::stage {

/// A muscle-driven body: what drives it, how long and how finely it is simulated and recorded.
struct DrivenRunConfig {
  std::string activations = "rest";  ///< see muscle::Excitation
  double duration = 2;               ///< [s], > 0
  double step = 0.007;               ///< [s], > 0
  double framesPerSecond = 30;       ///< of the results, > 0
  double checkpointEvery = 10;       ///< simulated [s], > 0
  std::uint64_t seed = 1;            ///< of random activations
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<DrivenRunConfig> d) {
  v.field({.name = "activations",
           .meaning = "Simulate the body by its muscles: rest, random, a number, NAME=NUMBER,... "
                      "(muscles, lines or groups), or a CSV file; nobody keeps it upright"},
          d.activations);
  v.field({.name = "seconds",
           .meaning = "Simulated time, or the part of a clip that is played",
           .unit = "s",
           .min = 1e-3,
           .max = 36000},
          d.duration);
  v.field({.name = "step", .meaning = "Time step", .unit = "s", .min = 1e-6, .max = 0.1}, d.step);
  v.field({.name = "fps", .meaning = "Frames per second in the results", .min = 0.01, .max = 1e5},
          d.framesPerSecond);
  v.field({.name = "seed", .meaning = "Of random activations"}, d.seed);
  v.field({.name = "checkpoint_every",
           .meaning = "Simulated time between saves",
           .unit = "s",
           .min = 1e-3,
           .max = 36000},
          d.checkpointEvery);
}

/// A body moved by its muscles: simulated with checkpoints, recorded, and written as tables (joint
/// angles, muscle lengths, forces and activations, energy), an animated GLB and a still.
class DrivenRun : private Performer {
 public:
  /// All must outlive the run.
  DrivenRun(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
            muscle::DrivenBody& body);

  /// Steps from the start or the run's last checkpoint to the end; gives CPU seconds per simulated
  /// one.
  double simulate(const DrivenRunConfig& config, const muscle::Excitation& excitation,
                  io::RunFolder& run, Progress& progress);
  void writeTables(const io::RunFolder& run) const;
  /// motion.glb.
  void writeScene(const io::RunFolder& run) const;
  /// still.png with the body at the start and now side by side.
  void writeStill(const io::RunFolder& run);
  std::size_t frameCount() const { return track_->size(); }

 private:
  void addScalars();
  void advance(double time) override;
  double time() const override { return body_.state().skeleton.time; }
  std::uint64_t steps() const override { return steps_; }
  body::Frame capture() override;
  void save(io::StateWriter& out) const override;
  void load(io::StateReader& in) override;
  render::Image still();

  const anatomy::Body& described_;
  const anatomy::CompiledBody& compiled_;
  muscle::DrivenBody& body_;
  FigureActor actor_;
  std::optional<FrameTrack> track_;
  const muscle::Excitation* excitation_ = nullptr;  // of the simulation that runs
  std::vector<double> excitations_;
  std::uint64_t steps_ = 0, taken_ = 0;  // of the whole run; by this process
  double spent_ = 0;                     // processor time on them [s]
};

}  // namespace pneuma::stage
