#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/stage/played_motion.h"
#include "pneuma/stage/posed_flesh.h"
#include "pneuma/stage/recorder.h"
#include "pneuma/stage/skin_rig.h"

/// Flesh in poses that are given: joints by hand, key poses, a posture or a clip, with muscles as
/// active as one likes. Nothing is simulated but the flesh.
namespace pneuma::stage {

struct FleshPosesRequest {
  double framesPerSecond = 4;            ///< of the motion into the pose
  std::vector<std::string> activations;  ///< "biceps_brachii_r=0.5"
  int skinTriangles = 20000;
  bool beside = false;  ///< the last pose also by contours and by linear blend skinning
  std::string color;    ///< of the skin: "strain", "displacement"; "": clay
  std::string cut;  ///< "x", "-z"...: the half on that side of what moved is taken away; "": none
  std::vector<std::string> views{"front", "left", "back", "right"};
  int tileWidth = 480, tileHeight = 640;  ///< of each view [pixels]
  FleshRequest flesh{.on = true};         ///< its fields are listed apart
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<FleshPosesRequest> r) {
  v.field({.name = "fps",
           .meaning = "Poses solved per second of the motion (of joints: from rest in 1 s)",
           .min = 0.01,
           .max = 250},
          r.framesPerSecond);
  v.field({.name = "activation",
           .meaning = "How active a muscle (with _l or _r: of one side) or a line of it is, 0 to "
                      "1; may be repeated",
           .type = "NAME=LEVEL"},
          r.activations);
  v.field({.name = "skin_triangles", .meaning = "Of the skin", .min = 2000, .max = 400000},
          r.skinTriangles);
  v.field(
      {.name = "beside",
       .meaning = "The last pose also by contours and by linear blend skinning, in the picture"},
      r.beside);
  v.field({.name = "color",
           .meaning = "Colour of the skin in the picture: strain (largest stretch against rest) or "
                      "displacement (from linear blend skinning)",
           .choices = {"strain", "displacement"}},
          r.color);
  v.field({.name = "cut",
           .meaning = "Take away the half of the picture's body on this side of what moved",
           .choices = {"x", "-x", "y", "-y", "z", "-z"}},
          r.cut);
}

/// Activations of all lines from texts "muscle=level", "muscle_l=level" or "line=level". Throws
/// InputError with the nearest name.
std::vector<double> activationsOf(const std::vector<std::string>& texts,
                                  const anatomy::CompiledBody& lines);

class FleshPoses : private Performer {
 public:
  /// `measured` is the body before it is fitted to the person; it outlives the poses. Throws
  /// InputError for a motion, muscle, level or tissue that is not there.
  FleshPoses(const anatomy::Body& measured, const anatomy::Person& person,
             const MotionSource& motion, const FleshPosesRequest& request);

  /// Solves pose after pose, from the last one that the folder holds on. A pose that has no
  /// equilibrium ends in a SimulationError; those before it are there.
  void solve(io::RunFolder& folder, Progress& progress);
  /// The same without a folder.
  void solve(Progress& progress);

  std::size_t frames() const { return track_->size(); }
  /// Numbers of every pose, and the worst of all.
  nlohmann::ordered_json json() const;
  std::string text() const;
  /// The last pose, as in pose.png.
  render::Image picture() const;
  /// flesh.csv, girths.csv, pose.glb, summary.json, and with pictures pose.png.
  void write(const io::RunFolder& folder, bool pictures, Progress& progress) const;
  /// Two poses of the same motion are the same poses.
  std::string hash() const;

 private:
  void advance(double time) override;
  double time() const override { return motion_.times[frame_]; }
  std::uint64_t steps() const override { return frame_; }
  body::Frame capture() override;
  void save(io::StateWriter& out) const override { flesh_.save(out); }
  void load(io::StateReader& in) override { flesh_.load(in); }
  /// Colours of the skin by `request_.color`.
  std::vector<double> skinScalars(std::span<const Vec3> shown, std::span<const Vec3> rest,
                                  std::span<const Triangle> triangles, const SkinRig& rig) const;

  FleshPosesRequest request_;
  const anatomy::Body& measured_;
  PlayedMotion motion_;
  std::vector<double> activations_;
  PosedFlesh flesh_;
  std::optional<FrameTrack> track_;
  std::size_t frame_ = 0;
};

}  // namespace pneuma::stage
