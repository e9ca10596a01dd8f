#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/core/progress.h"
#include "pneuma/flesh/grid_skin.h"
#include "pneuma/flesh/grid_system.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/render/plot.h"
#include "pneuma/render/renderer.h"

namespace pneuma::cli {

/// A rigid part shown with a muscle: it moves with one of the model's anchors.
struct FilmPart {
  std::string name;
  TriangleMesh mesh;
  int anchor = -1;            ///< -1: does not move
  bool framed = true;         ///< false: the camera does not make room for all of it
  Vec3 shift = Vec3::Zero();  ///< shown this far from its place [m]
};

/// A surface shown beside the muscle for comparison, frame by frame.
struct FilmCompanion {
  std::string name;
  std::vector<Triangle> triangles;
  std::vector<std::vector<Vec3>> frames;              ///< positions [m]
  std::vector<std::vector<std::vector<Vec3>>> lines;  ///< tendons by frame: polylines [m]
};

/// Everything that is recorded of a run of a grid model, and the pictures made of it.
class GridFilm {
 public:
  GridFilm(const flesh::GridModel& model, double framesPerSecond, std::vector<FilmPart> parts);

  /// Appends a row of numbers and a frame of the surface.
  void record(const flesh::GridState& state, int iterations);
  std::size_t frameCount() const { return times_.size(); }
  const std::vector<double>& times() const { return times_; }

  const io::Table& table() const { return table_; }
  /// Largest deviation from rest over the run [%].
  double worstVolumePercent() const;
  double worstSumPercent() const;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

  void writeGlb(const std::filesystem::path& path) const;
  void writeVideo(const std::filesystem::path& path, Progress& progress) const;
  /// One frame as a picture; the camera makes room for what moves in the whole run.
  render::Image picture(std::size_t frame, int width, int height) const;
  /// Length, force, activation, volume and energy over time.
  render::Plot plot(const std::string& title) const;

  /// Where the camera stands, from the subject; default: chosen from the shape.
  std::optional<Vec3> viewDirection;
  double margin = 0.1;                    ///< around the subject, as part of the picture
  int filmWidth = 800, filmHeight = 450;  ///< [pixels], even
  /// One frame each per recorded frame.
  std::vector<FilmCompanion> companions;
  /// What pictures and film say below the numbers.
  std::string caption;

 private:
  render::Scene makeScene() const;
  void pose(render::Renderer& renderer, std::size_t frame) const;
  render::Camera camera(double aspect) const;
  Pose partPose(const FilmPart& part, double time) const;

  const flesh::GridModel& model_;
  flesh::GridSkin skin_;
  double framesPerSecond_;
  std::vector<FilmPart> parts_;
  double restVolume_, restSum_;
  io::Table table_;
  std::vector<double> times_;
  std::vector<double> activation_;
  std::vector<std::vector<Vec3>> frames_;   ///< surface
  std::vector<std::vector<Vec3>> tendons_;  ///< pairs of ends, tendon by tendon
};

/// Thin plates behind the two ends of a muscle, seen as what its tendons are fixed to.
std::vector<FilmPart> planeParts(const flesh::GridModel& model);

}  // namespace pneuma::cli
