#include <algorithm>

#include "cli/breath_outputs.h"
#include "pneuma/render/video.h"

namespace pneuma::cli {
namespace {

render::RenderOptions optionsOf(const PictureConfig& config) {
  render::RenderOptions options;
  options.width = config.width;
  options.height = config.height;
  options.samples = config.samples;
  options.ground = false;
  if (config.cut) options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  return options;
}

/// One panel of the film: a scene that is built once and moved from frame to frame.
class Panel {
 public:
  Panel(const TorsoShapes& shapes, const BreathFrame& first, PictureConfig config)
      : shapes_(shapes),
        config_(config),
        options_(optionsOf(config)),
        camera_(shapes.camera(config.direction, static_cast<double>(config.width) / config.height)),
        renderer_(shapes.scene(first, config.look)) {}

  render::Image draw(const BreathFrame& frame) {
    shapes_.pose(renderer_, frame, config_.look);
    return renderer_.render(camera_, options_);
  }

 private:
  const TorsoShapes& shapes_;
  PictureConfig config_;
  render::RenderOptions options_;
  render::Camera camera_;
  render::Renderer renderer_;
};

/// Copies a picture into a wider one.
void paste(const render::Image& source, int x, render::Image& target) {
  const auto row = static_cast<std::size_t>(3 * source.width);
  for (int y = 0; y < source.height; ++y)
    std::copy_n(source.rgb.begin() + static_cast<std::ptrdiff_t>(row) * y, row,
                target.rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(target.width) * y + x));
}

}  // namespace

render::Image breathPicture(const TorsoShapes& shapes, const BreathFrame& frame,
                            const PictureConfig& config) {
  return Panel(shapes, frame, config).draw(frame);
}

render::Image travelPicture(const TorsoShapes& shapes, const BreathFrame& from,
                            const BreathFrame& to) {
  const std::vector<Vec3> before = shapes.skin(from), after = shapes.skin(to);
  std::vector<double> travel(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) travel[i] = 1e3 * (after[i] - before[i]).norm();
  render::Scene scene;
  scene.add({after, shapes.skin().rest().triangles}, travel,
            render::makeColorScale(travel, render::ColorMap::Sequential, "travel [mm]"));
  render::Renderer renderer(std::move(scene));
  const auto view = [&](const Vec3& direction) {
    const PictureConfig config{.direction = direction};
    const double aspect = static_cast<double>(config.width) / config.height;
    return renderer.render(shapes.camera(direction, aspect), optionsOf(config));
  };
  return render::tile({{view({0, 0.08, 1}), "front"}, {view({0.97, 0.08, 0.2}), "left"}}, 2);
}

void writeBreathFilm(const TorsoShapes& shapes, const std::vector<const BreathFrame*>& frames,
                     int rounds, const std::filesystem::path& path,
                     const std::function<void(double)>& progress) {
  constexpr int kWidth = 376, kHeight = 488, kSamples = 4;
  const auto panel = [&](const TorsoLook& look, bool cut) {
    return Panel(
        shapes, *frames.front(),
        {.look = look, .cut = cut, .width = kWidth, .height = kHeight, .samples = kSamples});
  };
  std::vector<Panel> panels;
  panels.push_back(panel({.skinOpacity = 1}, false));
  panels.push_back(panel({.skinOpacity = 1, .bones = true, .diaphragm = true, .gut = true}, true));
  panels.push_back(panel({.skinOpacity = 0, .bones = true, .diaphragm = true}, false));
  const auto width = static_cast<int>(panels.size()) * kWidth;
  const double rate =
      static_cast<double>(frames.size() - 1) / (frames.back()->time - frames.front()->time);
  render::VideoWriter video(path, width, kHeight, {.framesPerSecond = rate});
  std::vector<render::Image> sheets;
  for (const BreathFrame* frame : frames) {
    render::Image& sheet = sheets.emplace_back(width, kHeight);
    for (std::size_t k = 0; k < panels.size(); ++k)
      paste(panels[k].draw(*frame), static_cast<int>(k) * kWidth, sheet);
    if (progress) progress(static_cast<double>(sheets.size()) / static_cast<double>(frames.size()));
  }
  for (int round = 0; round < rounds; ++round)
    for (const render::Image& sheet : sheets) video.add(sheet);
  video.finish();
}

}  // namespace pneuma::cli
