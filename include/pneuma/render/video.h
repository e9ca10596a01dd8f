#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "pneuma/render/image.h"
#include "pneuma/render/renderer.h"

namespace pneuma::render {

/// Rate and quality of a film.
struct VideoOptions {
  double framesPerSecond = 30;  ///< > 0
  int quality = 18;  ///< constant rate factor of H.264, 0 (lossless) to 51; 18 looks clean
};

/// Writes pictures of one size as an MP4 (H.264, yuv420p, index first) through ffmpeg. The file
/// appears at finish(), complete; without it (an exception) nothing is left behind.
class VideoWriter {
 public:
  /// Throws InputError when ffmpeg is not installed or the place cannot be written.
  VideoWriter(std::filesystem::path path, int width, int height, const VideoOptions& options = {});
  ~VideoWriter();
  VideoWriter(VideoWriter&&) noexcept;

  /// Throws InputError when the size differs or ffmpeg gave up, with its reason.
  void add(const Image& frame);
  /// Closes the film and gives it its name. Throws InputError without any frame.
  void finish();
  int frames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A film of a scene that turns once about the upright axis through what the camera looks at; its
/// last frame is followed by its first. `progress` gets 0 .. 1.
void writeTurntable(const std::filesystem::path& path, Renderer& renderer, const Camera& camera,
                    const RenderOptions& options, double seconds, const VideoOptions& film = {},
                    const std::function<void(double)>& progress = {});

}  // namespace pneuma::render
