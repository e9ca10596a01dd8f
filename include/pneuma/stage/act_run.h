#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/control/performance.h"
#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/plot.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/act_flesh.h"
#include "pneuma/stage/act_person.h"
#include "pneuma/stage/drawn_parts.h"
#include "pneuma/stage/figure_actor.h"

namespace pneuma::stage {

/// What a body is asked to do by its own muscles.
struct ActRequest {
  std::string exercise = "curl";   ///< of control::exercises()
  std::string poses;               ///< CSV of key poses instead; "" for none
  std::string motion;              ///< BVH clip instead; "" for none
  std::string jointTable;          ///< see MotionSource
  std::vector<std::string> loads;  ///< of control::parseLoad; empty: the exercise's own
  std::string coactivation = "0";  ///< of control::parsePerPart
  std::optional<double> seconds;   ///< default: to the last key
  double framesPerSecond = 30;     ///< of the results; the step divides a frame
  bool grouped = false;            ///< part by part, as the paper
  bool excitation = false;         ///< activations cannot jump
  double smoothness = 0;           ///< see control::ActivationPlannerConfig
  double checkpointEvery = 2;
};

/// In the order of a help page: what to do, with what weights, then how the controller goes about
/// it.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<ActRequest> a) {
  v.field({.name = "poses",
           .meaning = "Key poses instead of an exercise: a CSV with a time column and columns "
                      "named by joint (elbow_r.flexion, degrees) or place (hand_r@z, metres)",
           .type = "FILE"},
          a.poses);
  v.field({.name = "motion",
           .meaning = "A BVH clip instead, of a whole body: legs and pelvis are carried along it, "
                      "muscles do the rest",
           .type = "FILE"},
          a.motion);
  v.field({.name = "joint_table",
           .meaning = "Lines 'role = joint' for a clip with names of its own",
           .type = "FILE"},
          a.jointTable);
  v.field({.name = "load",
           .meaning = "Held weight or force, e.g. 5kg@hand_r, 0/-30/0N@hand_l, or changing: "
                      "2kg,3s:8kg@hand_r",
           .type = "LOAD"},
          a.loads);
  v.field({.name = "coactivation",
           .meaning = "Tension of agonists against antagonists by body part: arms=0.5,neck=0.2, "
                      "or one number for all"},
          a.coactivation);
  v.field({.name = "seconds", .meaning = "Simulated time", .unit = "s", .min = 0.01, .max = 3600},
          a.seconds);
  v.field({.name = "fps", .meaning = "Frames per second in the results", .min = 1, .max = 140},
          a.framesPerSecond);
  v.field(
      {.name = "grouped", .meaning = "Arms and neck by themselves, then the torso, as the paper"},
      a.grouped);
  v.field({.name = "excitation", .meaning = "Activations follow excitations and cannot jump"},
          a.excitation);
  v.field({.name = "smoothness",
           .meaning = "Pull towards the last activations against that towards none",
           .min = 0,
           .max = 1e3},
          a.smoothness);
  v.field({.name = "checkpoint_every",
           .meaning = "Simulated time between saves",
           .unit = "s",
           .min = 0.01,
           .max = 3600},
          a.checkpointEvery);
}

/// How well a joint followed.
struct JointTracking {
  std::string joint;
  double largest = 0, mean = 0;   ///< error [rad] or [m]
  double asked = 0, missing = 0;  ///< largest torque asked for, and missing [N m]
  double share = 1;               ///< least part of the torque asked for that was given

  /// Muscles did not give what was asked for in some frame, and the joint fell behind by 5 mrad.
  bool outOfStrength() const { return share < 0.95 && largest > 0.005; }
};

/// How hard a muscle line worked.
struct MuscleEffort {
  std::string line, muscle;  ///< the line, and the muscle it is of
  double activation = 0;     ///< largest [-]
  double force = 0;          ///< the same times the peak isometric force [N]
};

/// A body that acts by its own muscles: simulated with checkpoints, recorded, and written as
/// tables, plots, an animated GLB, a film and stills with muscles coloured by their activation, and
/// a report.
class ActRun {
 public:
  /// `described` and `compiled` outlive the run. Throws InputError for poses, loads or parts that
  /// are not understood.
  ActRun(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
         const ActRequest& request);

  /// Flesh and a skin of about `triangles` over the muscles; before the run. `measured` is the body
  /// before it was fitted to its person.
  void addFlesh(const anatomy::Body& measured, const FleshRequest& request, int triangles);
  const ActFlesh* flesh() const { return flesh_.get(); }
  /// The person beside the muscles in pictures and film, with a skin of about `triangles` carried
  /// by weights.
  void addPerson(const anatomy::Body& measured, int triangles);

  const control::MuscleController& controller() const { return performance_.controller(); }
  double seconds() const { return seconds_; }
  /// Every recorded frame.
  const FrameTrack& track() const { return *track_; }
  /// Content of what was read, so that a run is not resumed with something else.
  std::string hash() const;

  /// Every setting that decides the motion as data, for run.toml; flesh is told apart.
  nlohmann::ordered_json describe(const std::string& articulation) const;

  /// From the start or the last checkpoint to the end; CPU seconds of a step, the median.
  double simulate(io::RunFolder& run, Progress& progress);
  void writeResults(const io::RunFolder& run, const DrawnParts& drawn, Progress& progress) const;

  /// Driven joints, the worst first.
  std::vector<JointTracking> tracking() const;
  /// The lines that work hardest, by the largest active force.
  std::vector<MuscleEffort> strongest(std::size_t count) const;

 private:
  anatomy::RelaxedHands takeUp();
  void placeFingers();
  void addScalars();
  void addDumbbells();
  body::Frame capture();
  void save(std::uint64_t step, io::RunFolder& run) const;
  void restore(const std::string& bytes);
  struct MuscleRow;
  std::vector<MuscleRow> muscleRows(std::size_t most) const;
  render::Plot activationPlot() const;
  render::Plot hardestPlot() const;
  render::Plot trackingPlot() const;
  std::vector<View> views(int width, int height, int samples) const;
  void dress();
  void film(const io::RunFolder& run, Progress& progress) const;
  void addStills(const io::RunFolder& run, render::Report& report) const;

  const anatomy::Body& described_;
  const anatomy::CompiledBody& compiled_;
  ActRequest request_;
  control::Performance performance_;
  double seconds_ = 0;
  anatomy::RelaxedHands hands_;  // closed around what they hold
  FigureActor actor_;
  std::unique_ptr<ActFlesh> flesh_;
  /// Points of muscle lines in the hands, shown where the fingers are.
  struct FingerPoint {
    std::size_t point = 0;
    int link = 0;  // of the layout
    Vec3 local = Vec3::Zero();
  };
  std::vector<FingerPoint> fingers_;
  Cast cast_;  // with what is held
  std::unique_ptr<ActPerson> person_;
  Cast personCast_;  // the person with what is held
  std::optional<FrameTrack> track_;
};

}  // namespace pneuma::stage
