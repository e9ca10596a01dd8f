#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/stage/torso_cast.h"
#include "pneuma/stage/units.h"
#include "stage/breath_marks.h"
#include "stage/torso_skin.h"

/// The film of a breath: the skin from the side with the outline that it had empty and the way of
/// chest and belly, and two small views of what moves under it.
namespace pneuma::stage {
namespace {

using internal::BreathMarks;
using internal::kMarkColor;
using internal::markScale;

constexpr double kLargeShare = 0.645;                  // of the width
constexpr double kSway = degreesToRadians(22);         // of the camera, from the profile forwards
constexpr int kBreathFilmSamples = 4;                  // the denoiser does the rest
constexpr double kInsetLow = 0.54, kInsetHigh = 0.83;  // heights of the body that insets show

/// The course of the lungs' volume, and where on it a frame is.
class VolumeCurve {
 public:
  explicit VolumeCurve(const Clip& clip) {
    for (std::size_t k = 0; k < clip.size(); ++k) volumes_.push_back(lungVolume(clip, k));
    start_ = clip.time(0);
    seconds_ = std::max(1e-9, clip.time(clip.size() - 1) - start_);
    const auto [low, high] = std::ranges::minmax(volumes_);
    low_ = low, span_ = std::max(1e-9, high - low);
  }
  void draw(render::Image& image, double time, double volume) const {
    const double scale = markScale(image);
    const double left = 24 * scale, bottom = image.height - 26 * scale;
    const double width = 0.26 * image.width, height = 54 * scale;
    const auto place = [&](double share, double v) {
      return Vec2(left + share * width, bottom - (v - low_) / span_ * height);
    };
    const auto last = static_cast<double>(std::max<std::size_t>(1, volumes_.size() - 1));
    for (std::size_t k = 0; k + 1 < volumes_.size(); ++k) {
      const Vec2 a = place(static_cast<double>(k) / last, volumes_[k]);
      const Vec2 b = place(static_cast<double>(k + 1) / last, volumes_[k + 1]);
      render::drawLine(image, a.x(), a.y(), b.x(), b.y(), 1.4 * scale, kMarkColor, 0.8);
    }
    const Vec2 now = place((time - start_) / seconds_, volume);
    render::drawLine(image, now.x(), now.y(), now.x(), now.y() + 1e-3, 9 * scale, kMarkColor);
  }

 private:
  std::vector<double> volumes_;
  double start_ = 0, seconds_ = 1, low_ = 0, span_ = 1;
};

/// A name in the corner of a small view.
auto labelled(const char* words) {
  return [words](const body::Frame&, const render::Camera&, render::Image& image) {
    const double size = 0.05 * image.height;
    render::drawText(image, 0.8 * size, 1.7 * size, words,
                     {.size = size, .color = kMarkColor, .weight = 1.1});
    render::fillRect(image, 0, 0, image.width, std::max(1, image.height / 200), kMarkColor, 0.5);
    render::fillRect(image, 0, 0, std::max(1, image.height / 200), image.height, kMarkColor, 0.5);
  };
}

}  // namespace

void TorsoCast::film(const std::filesystem::path& path, const Clip& clip, const body::Frame& empty,
                     const BreathFilm& config, const std::function<void(double)>& progress) const {
  const int large = static_cast<int>(kLargeShare * config.width) / 2 * 2;
  const int small = config.width - large, half = config.height / 2;
  const body::Frame first = clip[0];
  const double seconds = std::max(1e-9, static_cast<double>(clip.size()) / clip.framesPerSecond());

  const BreathMarks marks(skin_->surface(), skin(empty));
  const VolumeCurve curve(clip);
  const auto volume = static_cast<std::size_t>(layout_.scalarIndex("breath", "lung_volume"));
  std::vector<FilmPanel> panels;
  const auto add = [&](const Look& look, bool cut, int width, int height, const CameraOf& camera) {
    TorsoPicture picture{.look = look, .cut = cut, .width = width, .height = height};
    picture.samples = kBreathFilmSamples, picture.studio = true, picture.denoise = cut;
    panels.push_back({.view = view(first, picture, camera)});
    panels.back().view.keepLight(first);  // breath moves shadows by less than a pixel
  };
  const render::Camera side = camera(Vec3::UnitX(), static_cast<double>(large) / config.height);
  add(torsoLook(1), false, large, config.height,
      swayingCamera([side](const body::Frame&) { return side; }, -kSway, first.time, seconds));
  panels.back().over = [&](const body::Frame& frame, const render::Camera& c,
                           render::Image& image) {
    marks.outline(image, c);
    marks.travels(image, c, skin(frame), 1);
    curve.draw(image, frame.time, frame.scalars[volume]);
    BreathMarks::title(
        image, fmt::format("{:.2f} l", (frame.scalars[volume] - empty.scalars[volume]) / kLitre),
        "white line: the end of the breath out");
  };
  const TorsoPicture inset;  // its direction
  const render::Camera close =
      camera(inset.direction, static_cast<double>(small) / half, {kInsetLow, kInsetHigh});
  const auto still = [close](const body::Frame&) { return close; };
  const auto opaque = [](Look look) {
    look.organ = 1;
    return look;
  };
  add(opaque(torsoLook(0, true, true)), false, small, half, still);
  panels.back().x = large;
  panels.back().over = labelled("under the skin");
  add(opaque(torsoLook(1, true, true)), true, small, config.height - half, still);
  panels.back().x = large, panels.back().y = half;
  panels.back().over = labelled("cut open");
  // Frames lie on whole steps, so the mean rate is off by a little.
  const double rate = std::round(10 * clip.framesPerSecond()) / 10;
  writeFilm(path, clip, std::move(panels), {.framesPerSecond = rate}, progress);
}

}  // namespace pneuma::stage
