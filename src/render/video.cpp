#include "pneuma/render/video.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <optional>

#include "pneuma/core/error.h"
#include "render/process.h"

namespace pneuma::render {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& message,
                       const std::string& expected = "") {
  throw InputError(
      Diagnostic{.where = {.file = path.string()}, .message = message, .expected = expected});
}

/// ffmpeg writes by itself (the index goes to the front at the end), so it gets a hidden name of
/// the same pattern as io::AtomicFile's.
fs::path hiddenName(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() /
         fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), 100000 + counter++);
}

std::vector<std::string> command(int width, int height, const VideoOptions& o,
                                 const fs::path& target) {
  // Even sizes for 4:2:0; the colours are named, so that players do not guess.
  const std::string filter =
      "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
  return {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo",
          "-pix_fmt", "rgb24", "-s", fmt::format("{}x{}", width, height), "-r",
          fmt::format("{}", o.framesPerSecond), "-i", "pipe:0", "-vf", filter, "-c:v", "libx264",
          "-preset", "medium", "-crf", fmt::format("{}", o.quality), "-colorspace", "bt709",
          "-color_primaries", "bt709", "-color_trc", "bt709", "-fflags", "+bitexact", "-movflags",
          "+faststart", "-f", "mp4",
          // "a:b" would be read as a protocol.
          "file:" + target.string()};
}

}  // namespace

struct VideoWriter::Impl {
  Impl(fs::path p, int w, int h)
      : path(std::move(p)), hidden(hiddenName(path)), width(w), height(h) {}
  ~Impl() {
    encoder.reset();
    std::error_code ignored;
    fs::remove(hidden, ignored);
  }

  fs::path path, hidden;
  int width, height;
  int frames = 0;
  std::optional<internal::Process> encoder;
};

VideoWriter::VideoWriter(fs::path path, int width, int height, const VideoOptions& options) {
  if (!(options.framesPerSecond > 0) || options.framesPerSecond > 1000)
    fail(path, fmt::format("{} frames per second", options.framesPerSecond), "over 0 to 1000");
  if (options.quality < 0 || options.quality > 51)
    fail(path, fmt::format("quality {}", options.quality), "0 to 51");
  if (width < 2 || height < 2) fail(path, fmt::format("size {} x {}", width, height), "2 or more");
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (fs::is_directory(path, error)) fail(path, "is a folder", "the name of a film");
  impl_ = std::make_unique<Impl>(std::move(path), width, height);
  // Taking the hidden name now tells at once whether the place can be written.
  if (std::FILE* file = std::fopen(impl_->hidden.c_str(), "wbe"))
    std::fclose(file);
  else
    fail(impl_->path, "cannot be written");
  impl_->encoder.emplace(command(width, height, options, impl_->hidden), "ffmpeg");
}

VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;

void VideoWriter::add(const Image& frame) {
  if (frame.width != impl_->width || frame.height != impl_->height)
    fail(impl_->path, fmt::format("frame of {} x {}", frame.width, frame.height),
         fmt::format("{} x {}", impl_->width, impl_->height));
  if (!impl_->encoder->write(frame.rgb.data(), frame.rgb.size())) {
    impl_->encoder->finish();  // says why
    fail(impl_->path, "ffmpeg stopped reading");
  }
  ++impl_->frames;
}

void VideoWriter::finish() {
  if (impl_->frames == 0) fail(impl_->path, "no frames");
  impl_->encoder->finish();
  std::error_code error;
  fs::rename(impl_->hidden, impl_->path, error);
  if (error) fail(impl_->path, error.message());
}

int VideoWriter::frames() const {
  return impl_->frames;
}

void writeTurntable(const fs::path& path, Renderer& renderer, const Camera& camera,
                    const RenderOptions& options, double seconds, const VideoOptions& film,
                    const std::function<void(double)>& progress) {
  VideoWriter video(path, options.width, options.height, film);
  const int frames = std::max(1, static_cast<int>(std::lround(seconds * film.framesPerSecond)));
  for (int k = 0; k < frames; ++k) {
    Camera moved = camera;
    moved.position = camera.target + Eigen::AngleAxisd(2 * kPi * k / frames, Vec3::UnitY()) *
                                         (camera.position - camera.target);
    video.add(renderer.render(moved, options));
    if (progress) progress(static_cast<double>(k + 1) / frames);
  }
  video.finish();
}

}  // namespace pneuma::render
