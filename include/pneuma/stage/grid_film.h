#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/core/progress.h"
#include "pneuma/flesh/grid_skin.h"
#include "pneuma/flesh/grid_system.h"
#include "pneuma/io/table.h"
#include "pneuma/render/plot.h"
#include "pneuma/stage/licence.h"
#include "pneuma/stage/view.h"

namespace pneuma::stage {

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

/// A continuum muscle on stage: the frames of its run (surface, tendons, scalars of the group
/// `muscle`), and the pictures made of them.
class GridFilm {
 public:
  GridFilm(const flesh::GridModel& model, double framesPerSecond, std::vector<FilmPart> parts);
  GridFilm(const GridFilm&) = delete;
  GridFilm& operator=(const GridFilm&) = delete;

  /// Appends a frame.
  void record(const flesh::GridState& state, int iterations);
  std::size_t frameCount() const { return track_->size(); }
  std::vector<double> times() const { return track_->times(); }
  /// Shows surfaces beside the muscle, with one shape per recorded frame.
  void accompany(const std::vector<FilmCompanion>& companions);

  io::Table table() const;
  /// Largest deviation from rest over the run [%].
  double worstVolumePercent() const { return worst("volume_deviation"); }
  double worstSumPercent() const { return worst("sum_dv_deviation"); }

  void save(io::StateWriter& out) const { track_->save(out); }
  void load(io::StateReader& in) { track_->load(in); }

  void writeGlb(const std::filesystem::path& path,
                const std::string& copyright = kBodyLicence) const;
  void writeVideo(const std::filesystem::path& path, Progress& progress) const;
  /// One frame as a picture; the camera makes room for what moves in the whole run.
  render::Image picture(std::size_t frame, int width, int height) const;
  /// Length, force, activation, volume and energy over time.
  render::Plot plot(const std::string& title) const;

  /// Where the camera stands, from the subject; default: chosen from the shape.
  std::optional<Vec3> viewDirection;
  double margin = 0.1;                    ///< around the subject, as part of the picture
  int filmWidth = 800, filmHeight = 450;  ///< [pixels], even
  /// What pictures and film say below the numbers.
  std::string caption;

 private:
  void addParts(std::vector<FilmPart> parts, body::FrameLayout& layout);
  double worst(const char* scalar) const;
  View view(int width, int height, int samples) const;
  render::Camera camera(double aspect) const;

  const flesh::GridModel& model_;
  flesh::GridSkin skin_;
  double framesPerSecond_;
  double restVolume_, restSum_;
  struct AnchorLink {
    int anchor;
    Vec3 shift;
  };
  std::vector<AnchorLink> links_;  ///< of the layout
  Cast cast_;
  std::optional<FrameTrack> track_;
};

/// Thin plates behind the two ends of a muscle, seen as what its tendons are fixed to.
std::vector<FilmPart> planeParts(const flesh::GridModel& model);

}  // namespace pneuma::stage
