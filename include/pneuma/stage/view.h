#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/render/renderer.h"
#include "pneuma/stage/cast.h"
#include "pneuma/stage/frame_track.h"

/// Frames as pictures and films.
namespace pneuma::stage {

/// What of a cast is seen, by tissue: 0 hides it, below 1 it is seen through.
struct Look {
  double bone = 0;    ///< and cartilage
  double muscle = 0;  ///< surfaces
  double organ = 0, skin = 0;
  bool lines = false;               ///< of any tissue
  std::vector<std::string> hidden;  ///< parts left out whatever their tissue
  bool cutSkinOnly = false;         ///< a cut opens the skin; what it holds stays whole
  std::shared_ptr<const render::Texture> skinTexture = {};  ///< of a skin that is not seen through
  std::vector<render::Polyline> hair;  ///< on it; stands still, as a head that breathes does

  double opacityOf(body::Tissue tissue) const;
  bool hides(const std::string& part) const;
};

/// Where the camera stands in a frame.
using CameraOf = std::function<render::Camera(const body::Frame&)>;

/// One way to look at a cast: a scene that is built once and moved from frame to frame.
class View {
 public:
  /// `first` is any frame of the layout. The cast must outlive the view.
  View(const Cast& cast, const body::Frame& first, Look look, CameraOf camera,
       render::RenderOptions options);

  render::Image draw(const body::Frame& frame);
  /// Draws with another camera or size than its own.
  render::Image draw(const body::Frame& frame, const render::Camera& camera,
                     const render::RenderOptions& options);
  /// Keeps the light of a frame for all that follow (Renderer::keepLight).
  void keepLight(const body::Frame& frame);
  const render::RenderOptions& options() const { return options_; }
  render::Camera camera(const body::Frame& frame) const { return camera_(frame); }

 private:
  void show(const body::Frame& frame);

  const Cast& cast_;
  Look look_;
  CameraOf camera_;
  render::RenderOptions options_;
  std::vector<std::size_t> rigid_, soft_;  ///< indices of the parts that are shown
  render::Renderer renderer_;
};

/// `size` metres around a point, seen from a standard view.
CameraOf fixedCamera(const Vec3& center, double size, render::View view, double aspect);

/// A camera that sways about what it looks at, out by `angle` [rad] and back in `period` [s], from
/// where it stands at `start` [s]: slow enough to show depth, and closed for a loop.
CameraOf swayingCamera(CameraOf camera, double angle, double start, double period);

/// A view at its place in the pictures of a film, and what is drawn over it.
struct FilmPanel {
  View view;
  int x = 0, y = 0;  ///< of its upper left corner [pixels]
  std::function<void(const body::Frame&, const render::Camera&, render::Image&)> over = {};
};
/// Views of one height from left to right.
std::vector<FilmPanel> sideBySide(std::vector<View> views);

/// How a film is made of a clip.
struct FilmOptions {
  double framesPerSecond = 0;  ///< 0: the clip's own
  /// Two lines of text in the lower left corner for frame k of the clip; or null.
  std::function<std::pair<std::string, std::string>(std::size_t k)> caption;
};

/// Writes an MP4 of all panels; its pictures are as large as the panels reach. `progress` gets
/// 0 .. 1.
void writeFilm(const std::filesystem::path& path, const Clip& clip, std::vector<FilmPanel> panels,
               const FilmOptions& options, const std::function<void(double)>& progress = {});

}  // namespace pneuma::stage
